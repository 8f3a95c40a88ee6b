/* qkv_lse.c -- log-sum-exps, and partial outputs, from files. */
#include "model/qkv_lse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"

/* Whether the text names a tensor: attest_qkv_output_open splits it in the same way. */
static bool has_name(const char *text)
{
    return access(text, F_OK) != 0 && strrchr(text, ':');
}

attest_status attest_qkv_lse_open(attest_qkv_output *lse, const char *text,
                                  attest_qkv_source *source, attest_budget *budget,
                                  attest_error *error)
{
    ATTEST_TRY(attest_qkv_output_open(lse, text, source, budget, error));
    if (has_name(text))
        return ATTEST_OK;
    free(lse->name);
    lse->name = attest_memory_copy(source->layered ? "layers.{}.lse" : "lse");
    if (lse->name)
        return ATTEST_OK;
    attest_qkv_output_close(lse);
    return attest_memory_fail(error);
}

/* step = the distances between neighbours along the three axes; false: another shape. */
static bool find_steps(size_t step[3], const attest_array *array, const size_t shape[3])
{
    size_t rank = array->rank, missing;

    if (rank == 4 || (rank > 1 && rank < 4 && array->shape[rank - 1] == 1 &&
                      array->shape[rank - 2] == shape[2] && shape[2] != 1))
        rank = array->shape[rank - 1] == 1 ? rank - 1 : 0;
    if (rank < 1 || rank > 3)
        return false;
    missing = 3 - rank;
    for (size_t i = 0; i < 3; i++) {
        if (shape[i] != (i < missing ? 1 : array->shape[i - missing]))
            return false;
        step[i] = i < missing ? 0 : attest_array_step(array, i - missing);
    }
    return true;
}

static attest_status check(size_t step[3], const attest_array *array, const size_t shape[3],
                           attest_error *error)
{
    char text[ATTEST_ARRAY_TEXT_SIZE];

    if (array->count && !attest_array_type_is_double(array->type))
        return attest_error_set(error, ATTEST_FORMAT,
                                "64-bit integers are not the log-sum-exp of a kernel");
    ATTEST_TRY(attest_array_check_numbers(array, error));
    if (find_steps(step, array, shape))
        return ATTEST_OK;
    attest_array_format_shape(text, array);
    return attest_error_set(error, ATTEST_FORMAT,
                            "shape %s does not fit q: (%zu, %zu, %zu), one number for every "
                            "batch entry, head and query, is expected",
                            text, shape[0], shape[1], shape[2]);
}

static attest_status read_named(double *to, attest_qkv_output *lse, const char *name,
                                const size_t shape[3], attest_error *error)
{
    attest_status status;
    attest_array array;
    size_t step[3] = {0};

    ATTEST_TRY(attest_tensor_file_get(&array, lse->file, name, error));
    status = check(step, &array, shape, error);
    if (!lse->file->is_npy)
        attest_error_prefix(error, status, name);
    ATTEST_TRY(attest_input_locate(&lse->file->input, status, error));
    for (size_t b = 0; b < shape[0]; b++)
        for (size_t h = 0; h < shape[1]; h++, to += shape[2])
            attest_array_get_doubles(to, &array, b * step[0] + h * step[1], step[2], shape[2]);
    return ATTEST_OK;
}

attest_status attest_qkv_lse_read(double *to, attest_qkv_output *lse,
                                  const attest_qkv_source *source, size_t place,
                                  const size_t shape[3], attest_error *error)
{
    char *name ATTEST_FREED = attest_qkv_format_name(lse->name, source->layer[place]);
    attest_status status;

    if (!name)
        return attest_memory_fail(error);
    status = read_named(to, lse, name, shape, error);
    if (lse->file == &lse->own)
        attest_tensor_file_drop(&lse->own);
    return status;
}

/* ---- partial outputs ---- */

attest_status attest_qkv_parts_open(attest_qkv_source *source, const char *path,
                                    attest_budget *budget, attest_error *error)
{
    memset(source, 0, sizeof *source);
    ATTEST_TRY(attest_tensor_file_open(&source->file[0], path, budget, error));
    source->names.path = path;
    source->layers = 1;
    source->layer = attest_memory_alloc(1, sizeof *source->layer);
    if (source->layer)
        return ATTEST_OK;
    attest_qkv_source_close(source);
    return attest_memory_fail(error);
}

void attest_qkv_parts_clear(attest_qkv_parts *parts)
{
    free(parts->out);
    free(parts->lse);
    memset(parts, 0, sizeof *parts);
}

/* Checks that the shapes are those of outputs of parts and of their log-sum-exps, and sets that
 * of the merged output. */
static attest_status set_shape(attest_qkv_parts *parts, const attest_array *out,
                               const attest_array *lse, attest_error *error)
{
    char text[2][ATTEST_ARRAY_TEXT_SIZE];
    size_t missing = 5 - out->rank;
    bool fits =
        out->rank >= 3 && out->rank <= 5 && lse->rank == out->rank - 1 && out->count > 0;

    for (size_t i = 0; fits && i < lse->rank; i++)
        fits = lse->shape[i] == out->shape[i];
    if (!fits) {
        attest_array_format_shape(text[0], out);
        attest_array_format_shape(text[1], lse);
        return attest_error_set(
            error, ATTEST_FORMAT,
            "out_parts has shape %s and lse_parts %s; (parts, batch, heads, "
            "queries, dim) and the same without dim are expected",
            text[0], text[1]);
    }
    parts->parts = out->shape[0];
    for (size_t i = 0; i < 4; i++)
        parts->shape[i] = i < missing ? 1 : out->shape[i + 1 - missing];
    return ATTEST_OK;
}

/* All elements, the last index fastest. */
static double *copy_elements(const attest_array *array)
{
    size_t last = array->shape[array->rank - 1], rows = array->count / last;
    double *to = attest_memory_alloc(array->count, sizeof *to);

    for (size_t r = 0; to && r < rows; r++) {
        size_t at = 0;

        for (size_t i = array->rank - 1, rest = r; i-- > 0; rest /= array->shape[i])
            at += rest % array->shape[i] * attest_array_step(array, i);
        attest_array_get_doubles(to + r * last, array, at,
                                 attest_array_step(array, array->rank - 1), last);
    }
    return to;
}

static attest_status check_parts(const attest_array *array, const char *name,
                                 attest_error *error)
{
    if (array->count && !attest_array_type_is_double(array->type))
        return attest_error_set(error, ATTEST_FORMAT, "%s: 64-bit integers are no parts", name);
    return attest_array_check_numbers(array, error);
}

attest_status attest_qkv_parts_read(attest_qkv_parts *parts, attest_qkv_source *source,
                                    attest_budget *budget, attest_error *error)
{
    const attest_input *input = &source->file[0].input;
    attest_array out, lse;

    memset(parts, 0, sizeof *parts);
    ATTEST_TRY(attest_tensor_file_get(&out, &source->file[0], "out_parts", error));
    ATTEST_TRY(attest_tensor_file_get(&lse, &source->file[0], "lse_parts", error));
    ATTEST_TRY(attest_input_locate(input, check_parts(&out, "out_parts", error), error));
    ATTEST_TRY(attest_input_locate(input, check_parts(&lse, "lse_parts", error), error));
    ATTEST_TRY(attest_input_locate(input, set_shape(parts, &out, &lse, error), error));
    parts->bytes = (out.count + lse.count) * sizeof(double); /* at most 16 times the file */
    ATTEST_TRY(
        attest_input_locate(input, attest_budget_charge(budget, parts->bytes, error), error));
    parts->out = copy_elements(&out);
    parts->lse = copy_elements(&lse);
    return parts->out && parts->lse ? ATTEST_OK : attest_memory_fail(error);
}
