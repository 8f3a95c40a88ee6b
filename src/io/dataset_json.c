/* dataset_json.c -- datasets as JSON objects: reading. */
#include "io/dataset_json.h"

#include <stdlib.h>

#include "base/memory.h"
#include "io/json_member.h"
#include "number/rationals.h"

/* What a ragged array of vectors is called in errors. */
typedef struct names {
    const char *row, *vector;
} names;

/* All vectors of the row must have dim entries; 0: as many as the first one, dim gets that. */
static attest_status check_row(size_t *dim, size_t *total, const attest_json_cursor *row,
                               const names *name, attest_error *error)
{
    size_t count = 0, length = 0;
    attest_status status = attest_json_get_filled(&count, row, name->row, error);

    for (size_t k = 0; k < count && status == ATTEST_OK; k++) {
        attest_json_cursor vector = attest_json_get_element(row, k);
        status = attest_json_get_filled(&length, &vector, name->vector, error);
        *dim = *dim ? *dim : length;
        if (status == ATTEST_OK && length != *dim)
            status = attest_json_fail(&vector, error, ATTEST_FORMAT,
                                      "%s has %zu numbers, the first one has %zu", name->vector,
                                      length, *dim);
    }
    *total += count;
    return status;
}

/* Checks that rows are an array of arrays of vectors of one length; how many rows, how many
 * vectors in all. Nothing is allocated for what is not there. */
static attest_status check_shape(size_t *dim, size_t *count, size_t *total,
                                 const attest_json_cursor *rows, const names *name,
                                 attest_error *error)
{
    attest_status status = attest_json_get_length(count, rows, error);

    *total = *dim = 0;
    for (size_t i = 0; i < *count && status == ATTEST_OK; i++) {
        attest_json_cursor row = attest_json_get_element(rows, i);
        status = check_row(dim, total, &row, name, error);
    }
    return status;
}

static attest_status add_sequence(attest_dataset_builder *builder, fmpq *token,
                                  const attest_json_cursor *sequence, attest_error *error)
{
    size_t length = 0;
    attest_status status = attest_json_get_length(&length, sequence, error);

    for (size_t k = 0; k < length && status == ATTEST_OK; k++) {
        attest_json_cursor vector = attest_json_get_element(sequence, k);
        status = attest_json_get_rationals(token, &vector, builder->dataset.dim, error);
        if (status != ATTEST_OK)
            return status;
        status = attest_dataset_builder_add_token(builder, token, error);
        if (status != ATTEST_OK)
            return attest_json_locate(&vector, error, status);
    }
    return status == ATTEST_OK ? attest_dataset_builder_end_sequence(builder, error) : status;
}

static attest_status build(attest_dataset_builder *builder, const attest_json_cursor *sequences,
                           size_t count, size_t total, attest_error *error)
{
    size_t dim = builder->dataset.dim;
    fmpq *token = attest_rationals_alloc(dim);
    attest_status status = token ? attest_dataset_builder_reserve(builder, count, total, error)
                                 : attest_memory_fail(error);

    for (size_t i = 0; i < count && status == ATTEST_OK; i++) {
        attest_json_cursor sequence = attest_json_get_element(sequences, i);
        status = add_sequence(builder, token, &sequence, error);
    }
    attest_rationals_free(token, dim);
    return status;
}

static attest_status set_sequences(attest_dataset *dataset, const attest_json_cursor *object,
                                   const char *key, attest_error *error)
{
    static const names name = {"the sequence", "the token"};
    attest_json_cursor sequences;
    attest_dataset_builder builder;
    size_t dim, count, total;
    attest_status status = attest_json_get_member(&sequences, object, key, error);

    if (status == ATTEST_OK)
        status = check_shape(&dim, &count, &total, &sequences, &name, error);
    if (status != ATTEST_OK)
        return status;
    if (count == 0)
        return attest_json_fail(&sequences, error, ATTEST_FORMAT, "there are no sequences");
    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, object->budget);
    status = build(&builder, &sequences, count, total, error);
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(dataset, &builder, error);
    attest_dataset_builder_clear(&builder);
    return status;
}

/* As many rows as sequences, each of its sequence's length. */
static attest_status check_labels(const attest_dataset *dataset, size_t count,
                                  const attest_json_cursor *labels, attest_error *error)
{
    attest_status status = ATTEST_OK;
    size_t length = 0;

    if (count != dataset->count)
        return attest_json_fail(labels, error, ATTEST_FORMAT,
                                "%zu rows of labels for %zu sequences", count, dataset->count);
    for (size_t i = 0; i < count && status == ATTEST_OK; i++) {
        attest_json_cursor row = attest_json_get_element(labels, i);
        status = attest_json_get_length(&length, &row, error);
        if (status == ATTEST_OK && length != attest_dataset_length(dataset, i))
            status = attest_json_fail(&row, error, ATTEST_FORMAT,
                                      "%zu labels for a sequence of %zu tokens", length,
                                      attest_dataset_length(dataset, i));
    }
    return status;
}

static attest_status set_row_labels(attest_dataset *dataset, size_t i,
                                    const attest_json_cursor *row, attest_error *error)
{
    size_t dim = dataset->label_dim;
    attest_status status = ATTEST_OK;

    for (size_t k = 0; k < attest_dataset_length(dataset, i) && status == ATTEST_OK; k++) {
        attest_json_cursor vector = attest_json_get_element(row, k);
        status = attest_json_get_rationals(dataset->label + (dataset->start[i] + k) * dim,
                                           &vector, dim, error);
    }
    return status;
}

static attest_status set_labels(attest_dataset *dataset, const attest_json_cursor *labels,
                                attest_error *error)
{
    static const names name = {"this row of labels", "the label"};
    size_t dim, count, total;
    attest_status status = check_shape(&dim, &count, &total, labels, &name, error);

    if (status == ATTEST_OK)
        status = check_labels(dataset, count, labels, error);
    if (status != ATTEST_OK)
        return status;
    dataset->label = attest_rationals_alloc(total * dim);
    if (!dataset->label)
        return attest_memory_fail(error);
    dataset->label_dim = dim;
    for (size_t i = 0; i < count && status == ATTEST_OK; i++) {
        attest_json_cursor row = attest_json_get_element(labels, i);
        status = set_row_labels(dataset, i, &row, error);
    }
    return status;
}

attest_status attest_dataset_set_json(attest_dataset *dataset, const attest_json_cursor *object,
                                      attest_error *error)
{
    attest_json_cursor labels;
    attest_status status = attest_json_check_format(object, "attest/dataset", error);

    attest_dataset_clear(dataset);
    if (status == ATTEST_OK)
        status = set_sequences(dataset, object, "sequences", error);
    if (status == ATTEST_OK && attest_json_find_member(&labels, object, "labels"))
        status = set_labels(dataset, &labels, error);
    if (status == ATTEST_OK)
        status = attest_json_copy_optional(&dataset->name, object, "name", error);
    if (status == ATTEST_OK)
        status = attest_json_copy_optional(&dataset->comment, object, "comment", error);
    if (status != ATTEST_OK)
        attest_dataset_clear(dataset);
    return status;
}

static attest_status set(void *dataset, const attest_json_cursor *object, attest_error *error)
{
    return attest_dataset_set_json(dataset, object, error);
}

/* Other tokens at the same places, under a name of their own. */
typedef struct beside {
    attest_dataset *dataset;
    const char *key;
} beside;

static attest_status set_beside(void *value, const attest_json_cursor *object,
                                attest_error *error)
{
    const beside *b = value;
    attest_status status = attest_json_check_format(object, "attest/dataset", error);

    return status == ATTEST_OK ? set_sequences(b->dataset, object, b->key, error) : status;
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
