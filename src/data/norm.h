/* norm.h -- LayerNorm and RMSNorm of exact tokens, as rationals that are near.
 *
 * A norm divides by the square root of a rational. Where that is rational, so is the result;
 * else it is rounded to a relative error, the same for all entries of a token, and what that
 * changes in outputs is bounded: proofs-notes/pairing.md. */
#ifndef ATTEST_DATA_NORM_H
#define ATTEST_DATA_NORM_H

#include <attest/dataset.h>
#include <attest/weights.h>

/* z = a token under the norm, times one factor 1 + t with |t| <= 2^-bits: dim rationals. *exact
 * = false unless t is 0, else it stays. Status: FORMAT (what is divided by is 0). */
attest_status attest_norm_get(fmpq *z, bool *exact, const attest_tokens *tokens, size_t t,
                              attest_norm norm, const fmpq_t eps, long bits,
                              attest_error *error) ATTEST_WARN_UNUSED;

/* norm encloses the Frobenius norm of the matrix. */
void attest_norm_matrix(arb_t norm, const attest_matrix *matrix);

/* slack = a bound on the Euclidean distance of outputs of softmax heads for tokens (z, 1) or z,
 * z of dim entries and normed, to those for tokens (z (1 + t), 1), each with a |t| <= 2^-bits
 * of its own; false where bits is too small for one. */
bool attest_norm_bound(fmpq_t slack, const attest_weights *weights, size_t dim, long bits);

#endif
