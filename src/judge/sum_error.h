/* sum_error.h -- (1): how far a computed sum of products can be from the exact one.
 *
 * size: at least the sum of the absolute values of the terms; most: at least the absolute value
 * of every partial sum, in any order. The errors themselves: judge_loops.sum_errors. */
#ifndef ATTEST_JUDGE_SUM_ERROR_H
#define ATTEST_JUDGE_SUM_ERROR_H

#include "judge/model.h"
#include "judge/arithmetic.h"
#include "judge/loops.h"

/* A tree of roundings: the smaller of size_part size + most_part most + rest and, where a depth
 * is known, deep_size size + deep_rest. A matrix unit: Lemma 2 with terms, blocks, raised,
 * least, cut, kept, where groups are added with what their additions lose; then the smaller of
 * that and promoted_size size + promoted_most most + promoted_rest. */
typedef struct judge_loops_sum attest_judge_sum_error;

/* For sums of so many terms. raised: a product with a subnormal factor counts as this when a
 * matrix unit aligns; 0: there is none. rescales: every term passes at most so many products
 * with a rounded factor besides. */
void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales);

/* The same where groups of so many tiles are summed from 0, each of tile keys; 0: of any number
 * of them. To be called after init. */
void attest_judge_sum_error_group(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                  const attest_judge_arithmetic *unit, size_t tile);

#endif
