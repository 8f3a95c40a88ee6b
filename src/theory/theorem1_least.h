/* theorem1_least.h -- the least sequences of given tokens that given hardmax weights merge.
 *
 * The space: sequences that have at place k a token that the dataset has at place k of some
 * sequence, so that tokens which carry their position stay where they belong. It is gone
 * through as a whole, shorter sequences first (proofs-notes/theorem1.md, "The gallery"). */
#ifndef ATTEST_THEORY_THEOREM1_LEAST_H
#define ATTEST_THEORY_THEOREM1_LEAST_H

#include "theory/theorem1.h"

/* More sequences, longer ones, and more scores of a key for a query are not gone through. */
enum {
    ATTEST_THEOREM1_SEQUENCES = 200000,
    ATTEST_THEOREM1_LENGTH = 40,
    ATTEST_THEOREM1_SCORES = 2000000
};

/* What was gone through. */
typedef struct attest_theorem1_space {
    size_t length;           /* of the longest sequences */
    size_t tokens;           /* that stand at a place below length */
    size_t shorter, longest; /* sequences of fewer tokens, and of that many */
    bool whole;              /* nothing was left out for its size */
} attest_theorem1_space;

/* *found tells whether two positions with the same token, whose contexts differ, have equal
 * outputs: the counterexample, whose weights are set (hardmax), is then the pair whose longer
 * sequence is shortest, then the shorter one, then the first in the order of the dataset. Both
 * outputs are computed anew, exactly. Status: DOMAIN (softmax weights, or another dim), UNABLE
 * (budget, work), NOMEM. */
attest_status attest_theorem1_build_least(attest_counterexample *counterexample, bool *found,
                                          attest_theorem1_space *space,
                                          const attest_dataset *vocabulary,
                                          attest_budget *budget, double max_work,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
