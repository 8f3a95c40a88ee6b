/* theorem1.h -- Theorem 1: hardmax attention cannot tell contexts apart.
 *
 * On a line through the origin a head's score of the token t u for the query t' u is c t t'; so
 * hardmax picks the largest t, the smallest t, or what ties give. Sequences that share all
 * three have equal outputs under every set of weights at once. Which pairs are least, for each
 * kind of ties and masks, and why: proofs-notes/theorem1.md. */
#ifndef ATTEST_THEORY_THEOREM1_H
#define ATTEST_THEORY_THEOREM1_H

#include <stddef.h>
#include <stdint.h>

#include "data/counterexample.h"
#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/weights.h>

/* Two sequences t u, and in each the position of one token, t u with the same t, whose outputs
 * agree for all weights although the vocabularies that it sees differ. */
typedef struct attest_universal_pair {
    size_t length[2];
    const long *t[2];
    size_t position[2];
} attest_universal_pair;

enum { ATTEST_THEOREM1_LONGEST = 5 };

/* The pair of least length for these ties and mask. Never NULL. */
const attest_universal_pair *attest_theorem1_universal(attest_ties ties, attest_mask mask);

/* Random hardmax weights: entries are whole numbers in [-9, 9] drawn from seed, the same on
 * every machine. Domain: heads, dim, size >= 1. weights is initialised and not yet shaped.
 * Status: NOMEM. */
attest_status attest_theorem1_gen_weights(attest_weights *weights, size_t heads, size_t dim,
                                          size_t size, uint64_t seed,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* The universal pair along a direction u with small whole entries, chosen such that as many
 * heads as possible have scores that are not constant on it. counterexample is initialised, its
 * weights are set (hardmax). Fills in the rest and checks, exactly, that the outputs are equal
 * and the vocabularies differ. Status: DOMAIN (softmax weights), NOMEM. */
attest_status attest_theorem1_build(attest_counterexample *counterexample,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* The same with this pair, of sequences of at most ATTEST_THEOREM1_LONGEST tokens; length[1] =
 * 0: both positions are of sequence 0. *merged tells whether the weights merge it, as they do
 * if it is universal for their ties and mask. */
attest_status attest_theorem1_build_pair(attest_counterexample *counterexample, bool *merged,
                                         const attest_universal_pair *pair,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* The same from the tokens of a dataset: a common part, which holds the query and, for each
 * head, a token that wins; then tokens that never win, exchanged for others that do not either.
 * Where a head's scores are constant and ties average, the exchanged tokens have equal sums of
 * what these heads would output. Checked exactly. *found tells whether there is such a pair
 * among at most ATTEST_THEOREM1_TOKENS tokens and ATTEST_THEOREM1_QUERIES queries. max_work:
 * attention/work.h. Status: DOMAIN (softmax weights, or another dim), UNABLE (budget, work),
 * NOMEM. */
#define ATTEST_THEOREM1_TOKENS 4096
#define ATTEST_THEOREM1_QUERIES 64
attest_status attest_theorem1_build_from_vocabulary(attest_counterexample *counterexample,
                                                    bool *found,
                                                    const attest_dataset *vocabulary,
                                                    attest_budget *budget, double max_work,
                                                    attest_error *error) ATTEST_WARN_UNUSED;

#endif
