/* sum_error.h -- (1): how far a computed sum of products can be from the exact one.
 *
 * size: at least the sum of the absolute values of the terms; most: at least the absolute value
 * of every partial sum, in any order. */
#ifndef ATTEST_JUDGE_SUM_ERROR_H
#define ATTEST_JUDGE_SUM_ERROR_H

#include <math.h>
#include <stdbool.h>

#include "data/judge_model.h"
#include "judge/arithmetic.h"

typedef struct attest_judge_sum_error {
    bool tensor;
    double limit; /* a larger partial sum may overflow */
    /* a tree of roundings: the smaller of size_part size + most_part most + rest and, where a
     * depth is known, deep_size size + deep_rest */
    double size_part, most_part, rest, deep_size, deep_rest;
    /* the blocks of a matrix unit */
    double terms, blocks, raised, least, cut, kept;
    double u;                         /* of the accumulator that takes the sums of groups */
    double group_terms, group_blocks; /* of a group; 0: there are none */
} attest_judge_sum_error;

/* For sums of so many terms. raised: a product with a subnormal factor counts as this when a
 * matrix unit aligns; 0: there is none. rescales: every term passes at most so many products
 * with a rounded factor besides. */
void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales);

/* Lemma 2: losses of a matrix unit grow with the error that they lead to, so an e with loss(e)
 * <= e bounds every partial error by induction over the blocks, and loss(e) bounds the last
 * one. */
double attest_judge_sum_error_tensor(const attest_judge_sum_error *rule, double size,
                                     double most);

/* The largest error. Infinite where the sum may overflow. Here, because every key asks. */
static inline double attest_judge_sum_error_get(const attest_judge_sum_error *rule, double size,
                                                double most)
{
    double e, deep;

    if (rule->tensor) {
        e = attest_judge_sum_error_tensor(rule, size, most);
    } else {
        e = rule->size_part * size + rule->most_part * most + rule->rest;
        deep = rule->deep_size * size + rule->deep_rest;
        e = deep < e ? deep : e;
    }
    return most + e < rule->limit ? e * ATTEST_JUDGE_UP : (double)INFINITY;
}

#endif
