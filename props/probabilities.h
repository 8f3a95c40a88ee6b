/* probabilities.h -- the attention weights as the library computes them.
 *
 * A layer with tokens (score, 1, unit vector) outputs the attention weights of its only query.
 * So statements about softmax and hardmax are tested on src/attention, not on another formula.
 */
#ifndef ATTEST_PROPS_PROBABILITIES_H
#define ATTEST_PROPS_PROBABILITIES_H

#include <stddef.h>

#include <attest/dataset.h>
#include <attest/error.h>

/* score = the entries of sequence i of a dataset of dimension 1. */
void attest_scores_get(fmpq *score, const attest_dataset *dataset, size_t i);

/* p[i] encloses softmax(score)_i, i < count. Status: DOMAIN, NOMEM. */
attest_status attest_probabilities_softmax(arb_ptr p, const fmpq *score, size_t count,
                                           long bits, attest_error *error) ATTEST_WARN_UNUSED;

/* p[i] = hardmax(score)_i with uniform ties. Status: DOMAIN, NOMEM. */
attest_status attest_probabilities_hardmax(fmpq *p, const fmpq *score, size_t count,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
