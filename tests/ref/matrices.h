/* matrices.h -- the exact matrices that the oracles of attention.h start from. */
#ifndef ATTEST_TESTS_REF_MATRICES_H
#define ATTEST_TESTS_REF_MATRICES_H

#include <attest/flint.h>
#include <attest/sequence.h>
#include <attest/weights.h>

/* Initialises z with the tokens as columns. */
void ref_tokens(fmpq_mat_t z, const attest_sequence *sequence);

/* Initialises scores(j, k) = z_j^T (W_K^T W_Q) z_k and values(c, j) = ((W_O W_V) z_j)_c. */
void ref_head_matrices(fmpq_mat_t scores, fmpq_mat_t values, const attest_head *head,
                       const fmpq_mat_t z);

#endif
