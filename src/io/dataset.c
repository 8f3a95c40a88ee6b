/* dataset.c -- datasets in files: JSON, arrays of numbers, and the choice between them. */
#include "io/dataset.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hint.h"
#include "base/memory.h"
#include "base/scope.h"
#include "io/json_write.h"
#include "io/npy.h"
#include "io/safetensors.h"
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

/* Another tensor for the same positions, such as the residual, under its own key. */
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

    ATTEST_TRY(attest_json_file_open(&file, path, error));
    attest_dataset_write_json(&file.json, NULL, dataset);
    return attest_json_file_commit(&file, error);
}

/* Datasets from the numbers of a binary file. */

/* The number of doubles that are converted at a time, unless one token has more: they fit the
 * cache. */
enum { BLOCK = 8192 };

typedef struct layout {
    const attest_array *array;
    size_t sequences, length, dim; /* N, n, d */
} layout;

static attest_status set_layout(layout *in, const attest_array *array, attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    ATTEST_TRY(attest_array_check_numbers(array, error));
    attest_array_format_shape(shape, array);
    if (array->rank != 3)
        return attest_error_set(error, ATTEST_FORMAT,
                                "shape %s: a dataset has shape (N, n, d); one sequence is "
                                "(1, n, d), tokens of one number are (N, n, 1)",
                                shape);
    if (array->count == 0)
        return attest_error_set(error, ATTEST_FORMAT, "shape %s: the dataset is empty", shape);
    *in = (layout){array, array->shape[0], array->shape[1], array->shape[2]};
    return ATTEST_OK;
}

/* The elements of token t in storage: they start at *first, in steps of *step. */
static void token_place(size_t *first, size_t *step, const layout *in, size_t t)
{
    if (in->array->fortran) {
        *first = t / in->length + in->sequences * (t % in->length);
        *step = in->sequences * in->length;
    } else {
        *first = t * in->dim;
        *step = 1;
    }
}

/* to = tokens t .. t + count - 1 as doubles. */
static void get_tokens(double *to, const layout *in, size_t t, size_t count)
{
    size_t first, step;

    token_place(&first, &step, in, t);
    if (!in->array->fortran) {
        attest_array_get_doubles(to, in->array, first, 1, count * in->dim);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        token_place(&first, &step, in, t + i);
        attest_array_get_doubles(to + i * in->dim, in->array, first, step, in->dim);
    }
}

/* Names the first entry of tokens t .. t + count - 1 that is not finite, for the builder found
 * one there. */
static attest_status refuse_tokens(const layout *in, const double *value, size_t t,
                                   size_t count, attest_error *error)
{
    size_t bad = 0, first, step;

    while (bad < count * in->dim && isfinite(value[bad]))
        bad++;
    token_place(&first, &step, in, t + bad / in->dim);
    return attest_array_refuse(in->array, first + bad % in->dim * step, error);
}

/* Gives tokens t .. t + count - 1, already converted, to the builder: whole sequences, or a
 * part of one. */
static attest_status add_tokens(attest_dataset_builder *builder, const layout *in,
                                const double *value, size_t t, size_t count,
                                attest_error *error)
{
    attest_status status;

    if (count % in->length == 0 && t % in->length == 0)
        status = attest_dataset_builder_add_sequences(builder, value, count / in->length,
                                                      in->length, error);
    else
        status = attest_dataset_builder_add_doubles(builder, value, count, error);
    if (status == ATTEST_FORMAT)
        return refuse_tokens(in, value, t, count, error);
    ATTEST_TRY(status);
    if (count < in->length && (t + count) % in->length == 0)
        return attest_dataset_builder_end_sequence(builder, error);
    return ATTEST_OK;
}

/* Returns whether the builder can read the bytes directly. */
static bool is_native(const attest_array *array)
{
    const uint16_t one = 1;
    unsigned char low;

    memcpy(&low, &one, 1);
    return array->type == ATTEST_ARRAY_F64 && !array->fortran && array->big_endian != low &&
           (uintptr_t)array->data % sizeof(double) == 0;
}

static attest_status add_blocks(attest_dataset_builder *builder, const layout *in,
                                double *buffer, size_t room, attest_error *error)
{
    size_t total = in->sequences * in->length;

    for (size_t t = 0, count; t < total; t += count) {
        size_t rest = in->length - t % in->length; /* to the end of this sequence */

        count = rest > room ? room : rest;
        if (rest == in->length && room >= in->length) {
            count = room / in->length * in->length;
            count = count < total - t ? count : total - t;
        }
        get_tokens(buffer, in, t, count);
        ATTEST_TRY(add_tokens(builder, in, buffer, t, count, error));
    }
    return ATTEST_OK;
}

static attest_status add_doubles(attest_dataset_builder *builder, const layout *in,
                                 attest_budget *budget, attest_error *error)
{
    size_t room = BLOCK / in->dim ? BLOCK / in->dim : 1, bytes;
    double *buffer ATTEST_FREED = NULL;
    attest_status status;

    if (is_native(in->array))
        return add_tokens(builder, in, (const double *)(const void *)in->array->data, 0,
                          in->sequences * in->length, error);
    if (in->dim > SIZE_MAX / sizeof *buffer)
        return attest_memory_fail(error);
    bytes = room * in->dim * sizeof *buffer;
    ATTEST_TRY(attest_budget_charge(budget, bytes, error));
    buffer = attest_memory_alloc(room * in->dim, sizeof *buffer);
    status = buffer ? add_blocks(builder, in, buffer, room, error) : attest_memory_fail(error);
    attest_budget_give_back(budget, bytes);
    return status;
}

static void set_integer(fmpq_t value, const attest_dyadic *integer)
{
    fmpz_set_ui(fmpq_numref(value), integer->magnitude);
    fmpz_mul_2exp(fmpq_numref(value), fmpq_numref(value), (mp_bitcnt_t)integer->exponent);
    if (integer->negative)
        fmpz_neg(fmpq_numref(value), fmpq_numref(value));
}

/* 64-bit integers that are not doubles; entry is one token. */
static attest_status add_integers(attest_dataset_builder *builder, const layout *in,
                                  fmpq *entry, attest_error *error)
{
    size_t total = in->sequences * in->length, first, step;
    attest_dyadic integer;

    for (size_t t = 0; t < total; t++) {
        token_place(&first, &step, in, t);
        for (size_t c = 0; c < in->dim; c++) {
            ATTEST_TRY(attest_array_get(&integer, in->array, first + c * step, error));
            set_integer(entry + c, &integer);
        }
        ATTEST_TRY(attest_dataset_builder_add_token(builder, entry, error));
        if ((t + 1) % in->length == 0)
            ATTEST_TRY(attest_dataset_builder_end_sequence(builder, error));
    }
    return ATTEST_OK;
}

static attest_status add_rationals(attest_dataset_builder *builder, const layout *in,
                                   attest_budget *budget, attest_error *error)
{
    size_t bytes = in->dim * sizeof(fmpq);
    attest_status status;
    fmpq *entry;

    if (in->dim > SIZE_MAX / sizeof(fmpq))
        return attest_memory_fail(error);
    ATTEST_TRY(attest_budget_charge(budget, bytes, error));
    entry = _fmpq_vec_init((slong)in->dim);
    status = add_integers(builder, in, entry, error);
    _fmpq_vec_clear(entry, (slong)in->dim);
    attest_budget_give_back(budget, bytes);
    return status;
}

static bool all_doubles(const attest_array *array)
{
    if (attest_array_type_is_double(array->type))
        return true;
    for (size_t i = 0; i < array->count; i++)
        if (!attest_array_integer_is_double(array, i))
            return false;
    return true;
}

attest_status attest_dataset_set_array(attest_dataset *dataset, const attest_array *array,
                                       attest_budget *budget, attest_error *error)
{
    layout in = {0};
    bool real;

    ATTEST_TRY(set_layout(&in, array, error));
    real = all_doubles(array);
    ATTEST_SCOPED(attest_dataset_builder, builder, in.dim,
                  real ? ATTEST_TABLE_REAL : ATTEST_TABLE_RATIONAL, budget);
    ATTEST_TRY(attest_dataset_builder_reserve(&builder, in.sequences, in.sequences * in.length,
                                              error));
    ATTEST_TRY(real ? add_doubles(&builder, &in, budget, error)
                    : add_rationals(&builder, &in, budget, error));
    return attest_dataset_builder_finish(dataset, &builder, error);
}

attest_status attest_dataset_set_npy(attest_dataset *dataset, const unsigned char *bytes,
                                     size_t size, attest_budget *budget, attest_error *error)
{
    attest_array array;

    ATTEST_TRY(attest_npy_parse(&array, bytes, size, error));
    return attest_dataset_set_array(dataset, &array, budget, error);
}

static attest_status set_tensor(attest_dataset *dataset, const attest_safetensors *file,
                                const char *tensor, attest_budget *budget, attest_error *error)
{
    attest_array array;

    if (!tensor && file->count != 1)
        return attest_error_set(error, ATTEST_USAGE, "it has %zu tensors; " ATTEST_HINT_TENSOR,
                                file->count);
    ATTEST_TRY(
        attest_safetensors_get(&array, file, tensor ? tensor : file->tensor[0].name, error));
    if (array.rank == 2) {
        array.shape[2] = array.shape[1];
        array.shape[1] = array.shape[0];
        array.shape[0] = 1;
        array.rank = 3;
    }
    return attest_dataset_set_array(dataset, &array, budget, error);
}

attest_status attest_dataset_set_safetensors(attest_dataset *dataset,
                                             const unsigned char *bytes, size_t size,
                                             const char *tensor, attest_budget *budget,
                                             attest_error *error)
{
    attest_safetensors file ATTEST_CLEARED_BY(attest_safetensors_clear) = {0};

    ATTEST_TRY(attest_safetensors_parse(&file, bytes, size, budget, error));
    return set_tensor(dataset, &file, tensor, budget, error);
}

/* A dataset file, in any format. */

static bool is_named_safetensors(const attest_input *input)
{
    static const char end[] = ".safetensors";
    size_t length = strlen(input->path), tail = sizeof end - 1;

    return length >= tail && strcmp(input->path + length - tail, end) == 0;
}

static attest_status parse(attest_dataset *dataset, const attest_input *input,
                           const char *tensor, attest_budget *budget, attest_error *error)
{
    attest_array_format format = attest_array_find_format(input->data, input->size);

    if (format == ATTEST_ARRAY_NPY) {
        if (tensor)
            return attest_error_set(error, ATTEST_USAGE,
                                    "an .npy file has no tensors to choose from");
        return attest_dataset_set_npy(dataset, input->data, input->size, budget, error);
    }
    if (format == ATTEST_ARRAY_ZIP)
        return attest_error_set(error, ATTEST_FORMAT,
                                "this is a zip archive; a dataset is an .npy, safetensors or "
                                "JSON file, and .npz archives hold weights");
    /* The contents decide; the name does if they are cut short. */
    if (format == ATTEST_ARRAY_SAFETENSORS || is_named_safetensors(input))
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
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    attest_dataset_clear(dataset);
    ATTEST_TRY(attest_input_open(&input, path, attest_budget_left(budget), error));
    return attest_dataset_read_input(dataset, &input, tensor, budget, error);
}

attest_status attest_dataset_read(attest_dataset *dataset, const char *path,
                                  attest_budget *budget, attest_error *error)
{
    return attest_dataset_read_tensor(dataset, path, NULL, budget, error);
}
