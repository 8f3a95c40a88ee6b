/* weights.h -- products of a layer's matrices with vectors of integers, and the names of its
 * options. */
#ifndef ATTEST_DATA_WEIGHTS_H
#define ATTEST_DATA_WEIGHTS_H

#include <attest/weights.h>

/* out = matrix x and out = matrix^T x, times the matrix's denominator: integers. out has rows,
 * respectively cols, entries, and does not overlap x. */
void attest_linear_apply(fmpz *out, const attest_matrix *matrix, const fmpz *x);
void attest_linear_apply_transposed(fmpz *out, const attest_matrix *matrix, const fmpz *x);

/* The names in files. */
enum { ATTEST_ACTIVATIONS = 2, ATTEST_TIES = 2, ATTEST_MASKS = 2, ATTEST_NORMS = 3 };

extern const char *const attest_activation_names[ATTEST_ACTIVATIONS];
extern const char *const attest_ties_names[ATTEST_TIES];
extern const char *const attest_mask_names[ATTEST_MASKS];
extern const char *const attest_norm_names[ATTEST_NORMS];

#endif
