/* linearise_scores.h -- heads with norms of queries and keys, rotary positions, ALiBi or
 * softcap, as plain heads on longer tokens.
 *
 * If queries and keys are normed or rotated, each token gets those of all heads at its
 * position, and W_Q and W_K only select them. ALiBi is one more entry of both. Scores under a
 * softcap are not products any more: a token gets its row of scores, and keys select the
 * column. proofs-notes/pairing.md. */
#ifndef ATTEST_MODEL_LINEARISE_SCORES_H
#define ATTEST_MODEL_LINEARISE_SCORES_H

#include <attest/dataset.h>
#include <attest/weights.h>

/* Replaces the heads of weights by plain ones and the tokens of the dataset, which weights
 * fit, by longer ones; dataset->identity identifies tokens that were equal before. The first
 * `rounded` entries of tokens have a relative error of at most 2^(1-bits) (bits = 0: none).
 * weights->output_error grows by the error of numbers that are not rational. Status: UNABLE
 * (there is no bound on that error, or hardmax would depend on it), NOMEM; after a failure
 * both can only be cleared. */
attest_status attest_linearise_scores(attest_dataset *dataset, attest_weights *weights,
                                      size_t rounded, long bits, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* norm encloses the Frobenius norm of the matrix. */
void attest_linearise_matrix_norm(arb_t norm, const attest_matrix *matrix);

#endif
