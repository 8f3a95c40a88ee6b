/* dataset_array.c -- a dataset from the numbers of a binary file. */
#include "base/hint.h"
#include "io/dataset_array.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "io/npy.h"
#include "io/safetensors.h"

/* The number of doubles that are converted at a time, unless one token has more: they fit the
 * cache. */
enum { BLOCK = 8192 };

typedef struct layout {
    const attest_array *array;
    size_t sequences, length, dim; /* N, n, d */
} layout;

static attest_status check_shape(layout *in, const attest_array *array, attest_error *error)
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
    if (status == ATTEST_OK && count < in->length && (t + count) % in->length == 0)
        status = attest_dataset_builder_end_sequence(builder, error);
    return status;
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

    ATTEST_TRY(check_shape(&in, array, error));
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
