/* theorem1_check.h -- building a pair of sequences, and checking that hardmax merges it. */
#ifndef ATTEST_THEORY_THEOREM1_CHECK_H
#define ATTEST_THEORY_THEOREM1_CHECK_H

#include "theory/theorem1.h"

/* Fills counterexample's dataset with sequences made of tokens of a table: sequence side is
 * table[index[side][k]], k < length[side]; entries are numerator / denominator, dim per token;
 * length[1] = 0: there is one sequence, and both positions are its own.
 * Sets the pair of positions and the texts. Status: NOMEM. */
attest_status attest_theorem1_set_pair(attest_counterexample *counterexample,
                                       const fmpz *numerator, const fmpz_t denominator,
                                       size_t dim, const size_t *const index[2],
                                       const size_t length[2], const size_t position[2],
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Computes both outputs; *merged tells whether they are equal, the tokens are equal and the
 * vocabularies that they see differ. Exact. Status: DOMAIN, UNABLE, NOMEM. */
attest_status attest_theorem1_check(bool *merged, attest_counterexample *counterexample,
                                    attest_error *error) ATTEST_WARN_UNUSED;

#endif
