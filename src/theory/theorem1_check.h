/* theorem1_check.h -- tokens and their scores; building a pair of sequences, and checking that
 * hardmax merges it. */
#ifndef ATTEST_THEORY_THEOREM1_CHECK_H
#define ATTEST_THEORY_THEOREM1_CHECK_H

#include "theory/theorem1.h"

/* Are these hardmax weights, for tokens of that size? Status: DOMAIN. */
attest_status attest_theorem1_check_vocabulary(const attest_weights *weights,
                                               const attest_dataset *vocabulary,
                                               attest_error *error) ATTEST_WARN_UNUSED;

/* token = count tokens of the table, those of the numbers id (NULL: the first ones), as
 * numerators over one denominator (initialised). Status: UNABLE (budget). */
attest_status attest_theorem1_load(fmpz *token, fmpz_t denominator, const attest_tokens *tokens,
                                   const size_t *id, size_t count, attest_budget *budget,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* score[y] = (W_K y).(W_Q x), times one positive number for all y, of the count tokens y; x is
 * one of them. */
void attest_theorem1_rank(fmpz *score, const attest_head *head, const fmpz *token, size_t count,
                          size_t dim, size_t x);

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
