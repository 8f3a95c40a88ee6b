/* linear.c -- exact products of matrices with vectors of integers. */
#include "data/linear.h"

void attest_linear_dot(fmpz_t dot, const fmpz *x, const fmpz *y, size_t count)
{
    fmpz_zero(dot);
    for (size_t c = 0; c < count; c++)
        fmpz_addmul(dot, x + c, y + c);
}

/* out = left (right . x) */
static void apply_factors(fmpz *out, const fmpz *left, size_t rows, const fmpz *right,
                          size_t cols, const fmpz *x)
{
    fmpz_t dot;

    fmpz_init(dot);
    attest_linear_dot(dot, right, x, cols);
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
        attest_linear_dot(out + r, matrix->entry + r * matrix->cols, x, matrix->cols);
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
