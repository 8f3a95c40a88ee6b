/* matrix.h -- exact matrices, dense or of rank 1.
 *
 * A dense matrix is (entry[r*cols + c] / denominator). A factored matrix is u v^T, u of rows
 * and v of cols numerators, and denominator belongs to the product. */
#ifndef ATTEST_MATRIX_H
#define ATTEST_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/export.h>
#include <attest/flint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attest_matrix {
    size_t rows, cols;
    bool factored;
    fmpz *entry;                         /* dense: rows * cols numerators; factored: NULL */
    fmpz *u, *v;                         /* factored: rows and cols numerators; dense: NULL */
    fmpz_t u_denominator, v_denominator; /* factored: of u and of v, > 0 */
    fmpz_t denominator;                  /* > 0; factored: the product of the two above */
} attest_matrix;

/* A dense 0 x 0 matrix; clear frees everything. */
ATTEST_API void attest_matrix_init(attest_matrix *matrix);
ATTEST_API void attest_matrix_clear(attest_matrix *matrix);

/* Makes a zero matrix of this shape, with the denominator 1; factored: u = v = 0. Earlier
 * contents are lost. Memory: FLINT's, see attest.h. */
ATTEST_API void attest_matrix_resize(attest_matrix *matrix, size_t rows, size_t cols);
ATTEST_API void attest_matrix_resize_factored(attest_matrix *matrix, size_t rows, size_t cols);

/* value = the entry in row r, column c. Exact. */
ATTEST_API void attest_matrix_get_entry(fmpq_t value, const attest_matrix *matrix, size_t r,
                                        size_t c);

/* Appends zeros up to this number of rows and columns. Domain: not fewer than the matrix has.
 * A factored matrix stays factored. */
ATTEST_API void attest_matrix_widen(attest_matrix *matrix, size_t rows, size_t cols);

/* copy (initialised) = matrix; they may be the same. */
ATTEST_API void attest_matrix_set(attest_matrix *copy, const attest_matrix *matrix);

#ifdef __cplusplus
}
#endif

#endif
