/* head_plan.h -- how one head is evaluated, by four products of matrices, and the work of that.
 *
 *     score of key j for query k = (key z_j) . (query z_k)
 *     output of query k          = output (sum_j weight_j value z_j)
 *
 * As written, key = W_K, query = W_Q, value = W_V and output = W_O: the order of operations of
 * the floating-point systems. Folded, for systems with exact integers, the same score is cut at
 * the narrowest place of W_K^T W_Q, and all of W_O W_V is applied before the average, so that
 * no cancellation inside W_O happens between rounded numbers. */
#ifndef ATTEST_ATTENTION_HEAD_PLAN_H
#define ATTEST_ATTENTION_HEAD_PLAN_H

#include <stddef.h>

#include <attest/attention.h>
#include <attest/dataset.h>

/* A dense matrix: entry (r, c) is entry[r*row_step + c*col_step] / denominator. */
typedef struct attest_factor {
    size_t rows, cols, row_step, col_step;
    const fmpz *entry, *denominator;
} attest_factor;

/* The product factor[count-1] ... factor[0]: factor[0] is applied first. Empty: the identity.
 * A matrix u v^T is the chain v^T, u. */
#define ATTEST_CHAIN_MAX 4
typedef struct attest_chain {
    size_t count;
    attest_factor factor[ATTEST_CHAIN_MAX];
} attest_chain;

typedef struct attest_head_plan {
    attest_chain key, query, value, output;
    size_t score_width; /* entries of key z_j */
    size_t value_width; /* entries of value z_j */
} attest_head_plan;

void attest_head_plan_as_written(attest_head_plan *plan, const attest_head *head);

/* value_width is 1 or d; when it is 1 and d > 1, output maps a number to d entries, else output
 * is empty. */
void attest_head_plan_folded(attest_head_plan *plan, const attest_head *head);

/* Like attest_head_plan_folded, but cuts W_O W_V at its narrowest place: fewer entries to
 * average, and W_O is applied to rounded numbers. */
void attest_head_plan_narrow(attest_head_plan *plan, const attest_head *head);

/* The denominators of a folded plan over tokens with denominator tokens: of the scores and of
 * the outputs. */
void attest_head_plan_denominators(fmpz_t score, fmpz_t output, const attest_head_plan *plan,
                                   const fmpz_t tokens);

/* The least common denominator of the tokens (if skip) and of the folded outputs of all heads.
 */
void attest_head_plan_output_denominator(fmpz_t denominator, const attest_weights *weights,
                                         const fmpz_t tokens);

/* Status: DOMAIN if the weights have a norm, a form of scores, or another tensor for the skip:
 * pairing.h turns such weights and their data into plain ones. */
attest_status attest_head_plan_check_plain(const attest_weights *weights,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* Status: DOMAIN unless weights has plain heads whose shapes fit together and sequence. */
attest_status attest_head_plan_check(const attest_weights *weights,
                                     const attest_sequence *sequence,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Work is counted in operations on bits: an operation on numbers of b bits is b log2 b of them,
 * of which a processor does some 10^10 per second. Evaluations that would take hours are
 * refused by this estimate; no verdict rests on it. */

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
