/* linear.h -- exact products of matrices with vectors of integers. */
#ifndef ATTEST_DATA_LINEAR_H
#define ATTEST_DATA_LINEAR_H

#include <attest/matrix.h>

/* out = matrix x and out = matrix^T x, times the matrix's denominator: integers. out has rows,
 * respectively cols, entries, and does not overlap x. */
void attest_linear_apply(fmpz *out, const attest_matrix *matrix, const fmpz *x);
void attest_linear_apply_transposed(fmpz *out, const attest_matrix *matrix, const fmpz *x);

#endif
