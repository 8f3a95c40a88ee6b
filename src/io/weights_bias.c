/* weights_bias.c -- biases of a head as columns of its matrices. */
#include "io/weights_bias.h"

#include "base/memory.h"
#include "base/scope.h"
#include "number/rationals.h"

enum { BIASES = 4, VALUES = 2, OUTPUT = 3 };

static const char *const bias_name[BIASES] = {"bQ", "bK", "bV", "bO"};

bool attest_weights_have_bias(const attest_json_cursor *heads, size_t count)
{
    attest_json_cursor member;

    for (size_t h = 0; h < count; h++) {
        attest_json_cursor head = attest_json_get_element(heads, h);
        for (int i = 0; i < BIASES; i++)
            if (attest_json_find_member(&member, &head, bias_name[i]))
                return true;
    }
    return false;
}

/* wide = the matrix, zeros around it, and the bias in its own column: entries of a rows x cols
 * matrix, rows of them not the output's. */
static attest_status fill(fmpq *wide, size_t cols, const attest_matrix *matrix, int which,
                          const attest_json_cursor *object, attest_error *error)
{
    size_t count = matrix->rows, at = matrix->cols;
    attest_json_cursor member;
    attest_status status = ATTEST_OK;
    fmpq *bias;

    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols; c++)
            attest_matrix_get_entry(wide + r * cols + c, matrix, r, c);
    if (!attest_json_find_member(&member, object, bias_name[which]))
        return ATTEST_OK;
    bias = attest_rationals_alloc(count);
    if (!bias)
        return attest_memory_fail(error);
    status = attest_json_get_length(&count, &member, error);
    if (status == ATTEST_OK && count != matrix->rows)
        status = attest_json_fail(&member, error, ATTEST_FORMAT,
                                  "the bias has %zu numbers, but W%c has %zu rows", count,
                                  bias_name[which][1], matrix->rows);
    if (status == ATTEST_OK)
        status = attest_json_get_rationals(bias, &member, matrix->rows, error);
    for (size_t r = 0; r < matrix->rows && status == ATTEST_OK; r++)
        fmpq_swap(wide + r * cols + at, bias + r);
    attest_rationals_free(bias, matrix->rows);
    return status;
}

/* matrix = the rationals, of this shape. */
static attest_status set_dense(attest_matrix *matrix, const fmpq *wide, size_t rows,
                               size_t cols, const attest_json_cursor *object,
                               attest_error *error)
{
    attest_status status;
    fmpz_t denominator;
    size_t bytes;

    fmpz_init(denominator);
    status = attest_rationals_bound_common(denominator, &bytes, wide, rows * cols,
                                           object->budget, error);
    if (status == ATTEST_OK) {
        attest_matrix_resize(matrix, rows, cols);
        fmpz_set(matrix->denominator, denominator);
        attest_rationals_get_numerators(matrix->entry, denominator, wide, rows * cols);
    }
    fmpz_clear(denominator);
    return status == ATTEST_OK ? ATTEST_OK : attest_json_locate(object, error, status);
}

attest_status attest_weights_set_bias(attest_head *head, const attest_json_cursor *object,
                                      attest_error *error)
{
    attest_matrix *const matrix[BIASES] = {&head->wq, &head->wk, &head->wv, &head->wo};
    size_t size = head->wq.rows, dim = head->wq.cols + 1;
    attest_json_cursor output;
    bool output_bias = attest_json_find_member(&output, object, bias_name[OUTPUT]);

    size += output_bias;
    for (int i = 0; i < BIASES; i++) {
        size_t rows = i == OUTPUT ? dim : size, cols = i == OUTPUT ? size : dim;
        fmpq *wide = attest_rationals_alloc(rows * cols);
        attest_status status = wide ? ATTEST_OK : attest_memory_fail(error);

        if (status == ATTEST_OK)
            status = fill(wide, cols, matrix[i], i, object, error);
        if (i == VALUES && output_bias && status == ATTEST_OK)
            fmpq_one(wide + rows * cols - 1);
        if (status == ATTEST_OK)
            status = set_dense(matrix[i], wide, rows, cols, object, error);
        attest_rationals_free(wide, rows * cols);
        ATTEST_TRY(status);
    }
    return ATTEST_OK;
}
