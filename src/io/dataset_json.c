/* dataset_json.c -- datasets as JSON objects, and the choice of a dataset file's format. */
#include "io/dataset_json.h"

#include <string.h>

#include <attest/dataset.h>

#include "base/file.h"
#include "io/dataset_array.h"
#include "io/json_write.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "io/zip.h"
#include "number/rationals.h"
#include "number/scope.h"

/* The names of a ragged array of vectors in errors. */
typedef struct names {
    const char *row, *vector;
} names;

/* Checks that all vectors of the row have *dim entries; if *dim is 0, sets it to the length of
 * the first one. */
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

/* Checks that rows are an array of arrays of vectors of one length, and counts rows and
 * vectors, before memory is allocated for them. */
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

/* Checks that there are as many rows as sequences, each with the length of its sequence. */
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

/* Parses the member under key as a ragged array of tokens like "sequences", without labels and
 * name. */
static attest_status parse_member(attest_dataset *dataset, const char *key, const char *text,
                                  size_t size, attest_budget *budget, attest_error *error)
{
    beside b = {dataset, key};

    return attest_json_parse_value(&b, set_beside, text, size, budget, error);
}

attest_status attest_dataset_parse_json(attest_dataset *dataset, const char *text, size_t size,
                                        attest_budget *budget, attest_error *error)
{
    return attest_json_parse_value(dataset, set, text, size, budget, error);
}

void attest_dataset_write_sequence_json(attest_json *json, const attest_dataset *dataset,
                                        size_t i)
{
    FMPQ(entry);

    attest_json_write_array(json, NULL);
    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < dataset->dim; c++) {
            attest_tokens_get_entry(entry, &dataset->tokens,
                                    attest_dataset_token(dataset, i, k), c);
            attest_json_write_rational(json, NULL, entry);
        }
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_labels(attest_json *json, const attest_dataset *dataset, size_t i)
{
    attest_json_write_array(json, NULL);
    for (size_t k = dataset->start[i]; k < dataset->start[i + 1]; k++) {
        attest_json_write_array(json, NULL);
        for (size_t c = 0; c < dataset->label_dim; c++)
            attest_json_write_rational(json, NULL, dataset->label + k * dataset->label_dim + c);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

void attest_dataset_write_json(attest_json *json, const char *key,
                               const attest_dataset *dataset)
{
    attest_json_write_object(json, key);
    attest_json_write_format(json, "attest/dataset");
    if (dataset->name)
        attest_json_write_string(json, "name", dataset->name);
    if (dataset->comment)
        attest_json_write_string(json, "comment", dataset->comment);
    attest_json_write_array(json, "sequences");
    for (size_t i = 0; i < dataset->count; i++)
        attest_dataset_write_sequence_json(json, dataset, i);
    attest_json_write_close(json);
    if (dataset->label) {
        attest_json_write_array(json, "labels");
        for (size_t i = 0; i < dataset->count; i++)
            write_labels(json, dataset, i);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

attest_status attest_dataset_write(const attest_dataset *dataset, const char *path,
                                   attest_error *error)
{
    attest_json_file file;
    attest_status status = attest_json_file_open(&file, path, error);

    if (status != ATTEST_OK)
        return status;
    attest_dataset_write_json(&file.json, NULL, dataset);
    return attest_json_file_commit(&file, error);
}

/* A dataset file, in any format. */

/* The contents decide; the name does if they are cut short. */
static bool is_safetensors(const attest_input *input)
{
    static const char end[] = ".safetensors";
    size_t length = strlen(input->path), tail = sizeof end - 1;

    return attest_safetensors_is(input->data, input->size) ||
           (length >= tail && strcmp(input->path + length - tail, end) == 0);
}

static attest_status parse(attest_dataset *dataset, const attest_input *input,
                           const char *tensor, attest_budget *budget, attest_error *error)
{
    if (attest_npy_is(input->data, input->size)) {
        if (tensor)
            return attest_error_set(error, ATTEST_USAGE,
                                    "an .npy file has no tensors to choose from");
        return attest_dataset_set_npy(dataset, input->data, input->size, budget, error);
    }
    if (attest_zip_is(input->data, input->size))
        return attest_error_set(error, ATTEST_FORMAT,
                                "this is a zip archive; a dataset is an .npy, safetensors or "
                                "JSON file, and .npz archives hold weights");
    if (is_safetensors(input))
        return attest_dataset_set_safetensors(dataset, input->data, input->size, tensor, budget,
                                              error);
    if (tensor)
        return parse_member(dataset, tensor, (const char *)input->data, input->size, budget,
                            error);
    return attest_dataset_parse_json(dataset, (const char *)input->data, input->size, budget,
                                     error);
}

attest_status attest_dataset_read_input(attest_dataset *dataset, const attest_input *input,
                                        const char *tensor, attest_budget *budget,
                                        attest_error *error)
{
    attest_dataset_clear(dataset);
    return attest_input_locate(input, parse(dataset, input, tensor, budget, error), error);
}

attest_status attest_dataset_read_tensor(attest_dataset *dataset, const char *path,
                                         const char *tensor, attest_budget *budget,
                                         attest_error *error)
{
    attest_input input;
    attest_status status = attest_input_open(&input, path, attest_budget_left(budget), error);

    attest_dataset_clear(dataset);
    if (status == ATTEST_OK)
        status = attest_dataset_read_input(dataset, &input, tensor, budget, error);
    attest_input_close(&input);
    return status;
}

attest_status attest_dataset_read(attest_dataset *dataset, const char *path,
                                  attest_budget *budget, attest_error *error)
{
    return attest_dataset_read_tensor(dataset, path, NULL, budget, error);
}
