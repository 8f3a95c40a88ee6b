/* work.h -- an estimate of the work of exact and ball evaluation of a layer.
 *
 * Work is counted in operations on bits: an operation on numbers of b bits is b log2 b of them,
 * of which a processor does some 10^10 per second. Evaluations that would take hours are
 * refused by this estimate; no verdict rests on it. */
#ifndef ATTEST_ATTENTION_WORK_H
#define ATTEST_ATTENTION_WORK_H

#include <attest/attention.h>
#include <attest/dataset.h>

/* Returns the work of one operation on numbers of this many bits. */
double attest_work_operation(double bits);

/* Returns the work of the layer on this number of queries of the sequence: in exact arithmetic
 * for bits = 0, else in balls of this precision. Cost: O(n d) and the entries of the matrices.
 */
double attest_work_estimate(const attest_weights *weights, const attest_sequence *sequence,
                            size_t queries, long bits);

/* Subtracts the work of all queries of these sequences of the dataset (NULL: of the first ones)
 * from *left. Status: UNABLE (too little is left, or the budget, which may be NULL, is used
 * up), NOMEM. */
attest_status attest_work_charge_sequences(double *left, const attest_weights *weights,
                                           const attest_dataset *dataset,
                                           const size_t *sequence, size_t sequences, long bits,
                                           attest_budget *budget,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* Subtracts work from *left, which is infinite if there is no limit. Status: UNABLE if work >
 * *left. */
attest_status attest_work_charge(double *left, double work,
                                 attest_error *error) ATTEST_WARN_UNUSED;

#endif
