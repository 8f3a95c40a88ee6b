/* qkv_output.c -- the output of a kernel, from a file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "io/array.h"
#include "model/qkv.h"

/* Splits FILE:NAME at the last colon, unless there is a file with the whole name. */
static attest_status split(attest_qkv_output *output, const char *text, bool layered,
                           attest_error *error)
{
    const char *colon = access(text, F_OK) == 0 ? NULL : strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);

    output->path = attest_memory_alloc(length + 1, 1);
    output->name = attest_memory_copy(colon ? colon + 1 : layered ? "layers.{}.out" : "out");
    if (!output->path || !output->name)
        return attest_memory_fail(error);
    memcpy(output->path, text, length);
    return ATTEST_OK;
}

static attest_status open_output(attest_qkv_output *output, const char *text,
                                 attest_qkv_source *source, attest_budget *budget,
                                 attest_error *error)
{
    ATTEST_TRY(split(output, text, source->layered, error));
    if (source->names.path && strcmp(output->path, source->names.path) == 0) {
        output->file = source->file; /* a file is read once */
    } else {
        output->file = &output->own;
        ATTEST_TRY(attest_tensor_file_open(&output->own, output->path, budget, error));
    }
    if (source->layered && !attest_qkv_is_pattern(output->name))
        return attest_error_set(error, ATTEST_USAGE,
                                "%s: '%.80s' is one tensor, but there are many layers; {} "
                                "stands for their number",
                                attest_input_name(output->path), output->name);
    return ATTEST_OK;
}

attest_status attest_qkv_output_open(attest_qkv_output *output, const char *text,
                                     attest_qkv_source *source, attest_budget *budget,
                                     attest_error *error)
{
    memset(output, 0, sizeof *output);
    ATTEST_TRY_OR(open_output(output, text, source, budget, error),
                  attest_qkv_output_close(output));
    return ATTEST_OK;
}

void attest_qkv_output_close(attest_qkv_output *output)
{
    attest_tensor_file_close(&output->own);
    free(output->path);
    free(output->name);
    memset(output, 0, sizeof *output);
}

/* Where element (b, h, i, c) is in the file: the steps along the four axes. */
typedef struct layout {
    size_t step[4];
} layout;

/* The array's last axes are those of the shape, heads and tokens exchanged or not; the first
 * ones, of length 1, may be missing. */
static bool is_by_heads(layout *at, const attest_array *array, const size_t shape[4],
                        bool tokens_first)
{
    const size_t axis[4] = {0, tokens_first ? 2 : 1, tokens_first ? 1 : 2, 3};
    size_t missing = 4 - array->rank;

    if (array->rank < 2 || array->rank > 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (shape[axis[i]] != (i < missing ? 1 : array->shape[i - missing]))
            return false;
        at->step[axis[i]] = i < missing ? 0 : attest_array_step(array, i - missing);
    }
    return true;
}

/* (batch, tokens, heads * dim), or without a batch of 1. */
static bool is_side_by_side(layout *at, const attest_array *array, const size_t shape[4])
{
    size_t first = array->rank == 3;

    if (array->rank < 2 || array->rank > 3 || (first ? array->shape[0] : 1) != shape[0] ||
        array->shape[first] != shape[2] || array->shape[first + 1] != shape[1] * shape[3])
        return false;
    at->step[0] = first ? attest_array_step(array, 0) : 0;
    at->step[2] = attest_array_step(array, first);
    at->step[3] = attest_array_step(array, first + 1);
    at->step[1] = shape[3] * at->step[3];
    return true;
}

static attest_status find_layout(layout *at, const attest_array *array, const size_t shape[4],
                                 bool tokens_first, attest_error *error)
{
    const size_t *n = shape, second = n[tokens_first ? 2 : 1], third = n[tokens_first ? 1 : 2];
    char text[ATTEST_ARRAY_TEXT_SIZE];

    if (array->count && !attest_array_type_is_double(array->type))
        return attest_error_set(error, ATTEST_FORMAT,
                                "64-bit integers are not the output of a kernel");
    ATTEST_TRY(attest_array_check_numbers(array, error));
    if (is_by_heads(at, array, shape, tokens_first) ||
        is_by_heads(at, array, shape, !tokens_first) || is_side_by_side(at, array, shape))
        return ATTEST_OK;
    attest_array_format_shape(text, array);
    return attest_error_set(
        error, ATTEST_FORMAT,
        "shape %s does not fit q and v: (%zu, %zu, %zu, %zu), or (%zu, %zu, "
        "%zu) with the heads side by side, is expected",
        text, n[0], second, third, n[3], n[0], n[2], n[1] * n[3]);
}

static attest_status read_named(double *to, attest_qkv_output *output, const char *name,
                                const size_t shape[4], bool tokens_first,
                                const attest_qkv_output_rows *rows, attest_error *error)
{
    size_t count = rows ? rows->count : shape[0] * shape[1] * shape[2];
    attest_status status;
    attest_array array;
    layout at = {{0}};

    ATTEST_TRY(attest_tensor_file_get(&array, output->file, name, error));
    status = find_layout(&at, &array, shape, tokens_first, error);
    if (!output->file->is_npy)
        attest_error_prefix(error, status, name);
    ATTEST_TRY(attest_input_locate(&output->file->input, status, error));
    for (size_t i = 0; i < count; i++) {
        size_t row[3] = {i / shape[2] / shape[1], i / shape[2] % shape[1], i % shape[2]};

        if (rows)
            rows->get(row, rows->context, i);
        attest_array_get_doubles(to + i * shape[3], &array,
                                 row[0] * at.step[0] + row[1] * at.step[1] +
                                     row[2] * at.step[2],
                                 at.step[3], shape[3]);
    }
    return ATTEST_OK;
}

attest_status attest_qkv_output_read(double *to, attest_qkv_output *output,
                                     const attest_qkv_source *source, size_t place,
                                     const size_t shape[4], const attest_qkv_output_rows *rows,
                                     attest_error *error)
{
    char *name ATTEST_FREED = attest_qkv_format_name(output->name, source->layer[place]);
    attest_status status;

    if (!name)
        return attest_memory_fail(error);
    status = read_named(to, output, name, shape, source->tokens_first, rows, error);
    if (output->file == &output->own)
        attest_tensor_file_drop(&output->own);
    return status;
}
