/* linear.c -- exact products of matrices with vectors of integers. */
#include "data/linear.h"

/* out = left (right . x) */
static void apply_factors(fmpz *out, const fmpz *left, size_t rows, const fmpz *right,
                          size_t cols, const fmpz *x)
{
    fmpz_t dot;

    fmpz_init(dot);
    _fmpz_vec_dot(dot, right, x, (slong)cols);
    for (size_t r = 0; r < rows; r++)
        fmpz_mul(out + r, left + r, dot);
    fmpz_clear(dot);
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
