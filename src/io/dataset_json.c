/* dataset_json.c -- datasets as JSON objects: reading. */
#include "io/dataset_json.h"

#include "number/rationals.h"

/* What a ragged array of vectors is called in errors. */
typedef struct names {
    const char *row, *vector;
} names;

/* All vectors of the row must have dim entries; 0: as many as the first one, dim gets that. */
static void check_row(size_t *dim, size_t *total, const attest_json_cursor *row,
                      const names *name)
{
    size_t count = attest_json_take_length(row, name->row);

    for (size_t k = 0; k < count && !attest_json_failed(row); k++) {
        attest_json_cursor vector = attest_json_get_element(row, k);
        size_t length = attest_json_take_length(&vector, name->vector);

        *dim = *dim ? *dim : length;
        if (length != *dim)
            attest_json_refuse(&vector, "%s has %zu numbers, the first one has %zu",
                               name->vector, length, *dim);
    }
    *total += count;
}

/* Checks that rows are an array of arrays of vectors of one length; how many rows, how many
 * vectors in all. Nothing is allocated for what is not there. */
static void check_shape(size_t *dim, size_t *count, size_t *total,
                        const attest_json_cursor *rows, const names *name)
{
    *total = *dim = 0;
    *count = attest_json_take_length(rows, NULL);
    for (size_t i = 0; i < *count && !attest_json_failed(rows); i++) {
        attest_json_cursor row = attest_json_get_element(rows, i);

        check_row(dim, total, &row, name);
    }
}

static void add_sequence(attest_dataset_builder *builder, fmpq *token,
                         const attest_json_cursor *sequence)
{
    attest_error *error = sequence->failure->error;
    size_t length = attest_json_take_length(sequence, NULL);

    for (size_t k = 0; k < length && !attest_json_failed(sequence); k++) {
        attest_json_cursor vector = attest_json_get_element(sequence, k);

        attest_json_take_rationals(token, &vector, builder->dataset.dim);
        ATTEST_JSON_NOTE_AT(&vector, attest_dataset_builder_add_token(builder, token, error));
    }
    ATTEST_JSON_NOTE(sequence, attest_dataset_builder_end_sequence(builder, error));
}

static void set_sequences(attest_dataset *dataset, const attest_json_cursor *object,
                          const char *key)
{
    static const names name = {"the sequence", "the token"};
    attest_json_cursor sequences = attest_json_take(object, key);
    attest_error *error = object->failure->error;
    size_t dim, count, total;

    check_shape(&dim, &count, &total, &sequences, &name);
    if (count == 0)
        attest_json_refuse(&sequences, "there are no sequences");
    if (attest_json_failed(object))
        return;
    attest_dataset_builder builder ATTEST_CLEARED_BY(attest_dataset_builder_clear);
    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, object->budget);
    ATTEST_RATIONALS(token, dim);
    if (!token)
        attest_json_note_memory(object);
    ATTEST_JSON_NOTE(object, attest_dataset_builder_reserve(&builder, count, total, error));
    for (size_t i = 0; i < count && !attest_json_failed(object); i++) {
        attest_json_cursor sequence = attest_json_get_element(&sequences, i);

        add_sequence(&builder, token, &sequence);
    }
    ATTEST_JSON_NOTE(object, attest_dataset_builder_finish(dataset, &builder, error));
}

/* As many rows as sequences, each of its sequence's length. */
static void check_labels(const attest_dataset *dataset, size_t count,
                         const attest_json_cursor *labels)
{
    if (count != dataset->count)
        attest_json_refuse(labels, "%zu rows of labels for %zu sequences", count,
                           dataset->count);
    for (size_t i = 0; i < count && !attest_json_failed(labels); i++) {
        attest_json_cursor row = attest_json_get_element(labels, i);
        size_t length = attest_json_take_length(&row, NULL);

        if (length != attest_dataset_length(dataset, i))
            attest_json_refuse(&row, "%zu labels for a sequence of %zu tokens", length,
                               attest_dataset_length(dataset, i));
    }
}

static void set_labels(attest_dataset *dataset, const attest_json_cursor *labels)
{
    static const names name = {"this row of labels", "the label"};
    size_t dim, count, total;

    check_shape(&dim, &count, &total, labels, &name);
    check_labels(dataset, count, labels);
    if (attest_json_failed(labels))
        return;
    dataset->label = attest_rationals_alloc(total * dim);
    if (!dataset->label) {
        attest_json_note_memory(labels);
        return;
    }
    dataset->label_dim = dim;
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor row = attest_json_get_element(labels, i);

        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
            attest_json_cursor vector = attest_json_get_element(&row, k);

            attest_json_take_rationals(dataset->label + (dataset->start[i] + k) * dim, &vector,
                                       dim);
        }
    }
}

void attest_dataset_set_json(attest_dataset *dataset, const attest_json_cursor *object)
{
    attest_json_cursor labels;

    attest_dataset_clear(dataset);
    attest_json_take_format(object, "attest/dataset");
    set_sequences(dataset, object, "sequences");
    if (attest_json_find_member(&labels, object, "labels"))
        set_labels(dataset, &labels);
    dataset->name = attest_json_take_optional(object, "name");
    dataset->comment = attest_json_take_optional(object, "comment");
    if (attest_json_failed(object))
        attest_dataset_clear(dataset);
}

static void set(void *dataset, const attest_json_cursor *object)
{
    attest_dataset_set_json(dataset, object);
}

/* Other tokens at the same places, under a name of their own. */
typedef struct beside {
    attest_dataset *dataset;
    const char *key;
} beside;

static void set_beside(void *value, const attest_json_cursor *object)
{
    const beside *b = value;

    attest_json_take_format(object, "attest/dataset");
    set_sequences(b->dataset, object, b->key);
}

attest_status attest_dataset_parse_json_beside(attest_dataset *dataset, const char *key,
                                               const char *text, size_t size,
                                               attest_budget *budget, attest_error *error)
{
    beside b = {dataset, key};

    return attest_json_parse_value(&b, set_beside, text, size, budget, error);
}

attest_status attest_dataset_parse_json(attest_dataset *dataset, const char *text, size_t size,
                                        attest_budget *budget, attest_error *error)
{
    return attest_json_parse_value(dataset, set, text, size, budget, error);
}
