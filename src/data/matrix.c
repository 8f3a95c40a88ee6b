/* matrix.c -- exact matrices, dense or of rank 1, and their products with vectors of integers.
 */
#include <string.h>

#include <attest/matrix.h>

#include "data/weights.h"
#include "number/scope.h"

void attest_matrix_init(attest_matrix *matrix)
{
    memset(matrix, 0, sizeof *matrix);
    fmpz_init_set_ui(matrix->u_denominator, 1);
    fmpz_init_set_ui(matrix->v_denominator, 1);
    fmpz_init_set_ui(matrix->denominator, 1);
}

static void clear_entries(attest_matrix *matrix)
{
    if (matrix->entry)
        _fmpz_vec_clear(matrix->entry, (slong)(matrix->rows * matrix->cols));
    if (matrix->u)
        _fmpz_vec_clear(matrix->u, (slong)matrix->rows);
    if (matrix->v)
        _fmpz_vec_clear(matrix->v, (slong)matrix->cols);
    matrix->entry = matrix->u = matrix->v = NULL;
}

void attest_matrix_clear(attest_matrix *matrix)
{
    clear_entries(matrix);
    fmpz_clear(matrix->u_denominator);
    fmpz_clear(matrix->v_denominator);
    fmpz_clear(matrix->denominator);
    memset(matrix, 0, sizeof *matrix);
}

static void reshape(attest_matrix *matrix, size_t rows, size_t cols, bool factored)
{
    clear_entries(matrix);
    matrix->rows = rows;
    matrix->cols = cols;
    matrix->factored = factored;
    fmpz_one(matrix->u_denominator);
    fmpz_one(matrix->v_denominator);
    fmpz_one(matrix->denominator);
}

void attest_matrix_resize(attest_matrix *matrix, size_t rows, size_t cols)
{
    reshape(matrix, rows, cols, false);
    matrix->entry = _fmpz_vec_init((slong)(rows * cols));
}

void attest_matrix_resize_factored(attest_matrix *matrix, size_t rows, size_t cols)
{
    reshape(matrix, rows, cols, true);
    matrix->u = _fmpz_vec_init((slong)rows);
    matrix->v = _fmpz_vec_init((slong)cols);
}

void attest_matrix_get_entry(fmpq_t value, const attest_matrix *matrix, size_t r, size_t c)
{
    if (matrix->factored)
        fmpz_mul(fmpq_numref(value), matrix->u + r, matrix->v + c);
    else
        fmpz_set(fmpq_numref(value), matrix->entry + r * matrix->cols + c);
    fmpz_set(fmpq_denref(value), matrix->denominator);
    fmpq_canonicalise(value);
}

/* Returns a longer vector that begins with the entries of the old one, which it frees. */
static fmpz *longer(fmpz *old, size_t count, size_t wanted)
{
    fmpz *entry = _fmpz_vec_init((slong)wanted);

    for (size_t i = 0; i < count; i++)
        fmpz_swap(entry + i, old + i);
    _fmpz_vec_clear(old, (slong)count);
    return entry;
}

void attest_matrix_widen(attest_matrix *matrix, size_t rows, size_t cols)
{
    fmpz *entry;

    if (matrix->factored) {
        matrix->u = longer(matrix->u, matrix->rows, rows);
        matrix->v = longer(matrix->v, matrix->cols, cols);
    } else {
        entry = _fmpz_vec_init((slong)(rows * cols));
        for (size_t e = 0; e < matrix->rows * matrix->cols; e++)
            fmpz_swap(entry + e / matrix->cols * cols + e % matrix->cols, matrix->entry + e);
        _fmpz_vec_clear(matrix->entry, (slong)(matrix->rows * matrix->cols));
        matrix->entry = entry;
    }
    matrix->rows = rows;
    matrix->cols = cols;
}

void attest_matrix_set(attest_matrix *copy, const attest_matrix *matrix)
{
    if (copy == matrix)
        return;
    if (matrix->factored) {
        attest_matrix_resize_factored(copy, matrix->rows, matrix->cols);
        _fmpz_vec_set(copy->u, matrix->u, (slong)matrix->rows);
        _fmpz_vec_set(copy->v, matrix->v, (slong)matrix->cols);
    } else {
        attest_matrix_resize(copy, matrix->rows, matrix->cols);
        _fmpz_vec_set(copy->entry, matrix->entry, (slong)(matrix->rows * matrix->cols));
    }
    fmpz_set(copy->u_denominator, matrix->u_denominator);
    fmpz_set(copy->v_denominator, matrix->v_denominator);
    fmpz_set(copy->denominator, matrix->denominator);
}

/* out = left (right . x) */
static void apply_factors(fmpz *out, const fmpz *left, size_t rows, const fmpz *right,
                          size_t cols, const fmpz *x)
{
    FMPZ(dot);

    _fmpz_vec_dot(dot, right, x, (slong)cols);
    for (size_t r = 0; r < rows; r++)
        fmpz_mul(out + r, left + r, dot);
}

void attest_linear_apply(fmpz *out, const attest_matrix *matrix, const fmpz *x)
{
    if (matrix->factored) {
        apply_factors(out, matrix->u, matrix->rows, matrix->v, matrix->cols, x);
        return;
    }
    for (size_t r = 0; r < matrix->rows; r++)
        _fmpz_vec_dot(out + r, matrix->entry + r * matrix->cols, x, (slong)matrix->cols);
}

void attest_linear_apply_transposed(fmpz *out, const attest_matrix *matrix, const fmpz *x)
{
    if (matrix->factored) {
        apply_factors(out, matrix->v, matrix->cols, matrix->u, matrix->rows, x);
        return;
    }
    for (size_t c = 0; c < matrix->cols; c++) {
        fmpz_zero(out + c);
        for (size_t r = 0; r < matrix->rows; r++)
            fmpz_addmul(out + c, matrix->entry + r * matrix->cols + c, x + r);
    }
}
