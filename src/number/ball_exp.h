/* ball_exp.h -- exponentials as balls: of many rationals at once, the softmax weights of a head
 * from rounded scores, and e^{-depth} for depths of any size. */
#ifndef ATTEST_NUMBER_BALL_EXP_H
#define ATTEST_NUMBER_BALL_EXP_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

/* Differences x with |x| >= 2^ATTEST_BALL_EXP_CUTOFF are enclosed in [0, 2^-2^(CUTOFF-1)],
 * those below 2^(CUTOFF-2) are not. */
#define ATTEST_BALL_EXP_CUTOFF 120

/* value[j] encloses exp(numerator[j] / denominator), numerator[j] <= 0 < denominator. Error:
 * radius <= 2^(3-precision) * value, below the cutoff (proofs-notes/attention.md). Cost: when
 * the numerators are multiples k_j g of one integer with k_j of few bits, one exponential and
 * its powers are used if a cost model finds that cheaper. */
void attest_ball_exp_fractions(arb_ptr value, const fmpz *numerator, const fmpz_t denominator,
                               size_t count, slong precision);

/* Exact scores of long rationals have many more bits than the weights need. The functions below
 * round from the keys and queries on, and subtract no maximum: a factor that all weights of a
 * query have in common cancels in their average. Derived in proofs-notes/attention.md, "Rounded
 * scores". */

/* The keys of a head, count vectors of width entries; count is 0 where scores stay exact. */
typedef struct attest_ball_scores {
    size_t count, width;
    slong bits;         /* of the longest entry */
    arb_ptr key, query; /* the keys, exact; room for one query */
    arb_t one, inverse, score;
} attest_ball_scores;

void attest_ball_scores_init(attest_ball_scores *scores);
void attest_ball_scores_clear(attest_ball_scores *scores);

/* Sets the keys of a head, or none if exact scores are cheaper: if rounded ones are not shorter
 * at this precision, or if the scores of first, a query of the head, have a common step. The
 * choice does not depend on the other queries. */
void attest_ball_scores_set(attest_ball_scores *scores, const fmpz *key, size_t count,
                            size_t width, const fmpz *first, const fmpz_t denominator,
                            slong precision);

/* value[j] encloses exp(key_j . query / denominator) times a factor common to all j, for the
 * first count keys; total encloses their sum. Returns false, with value and total undefined, if
 * exact scores are cheaper or a ball is too wide. Error: radius <= 2^(3-precision) * value. */
bool attest_ball_scores_exp(arb_ptr value, arb_ptr total, attest_ball_scores *scores,
                            const fmpz *query, const fmpz_t denominator, size_t count,
                            slong precision);

/* Encloses weight = e^{-depth}. Error: relative, near 2^-bits plus the radius of depth. May
 * alias. Cost: where depth >= 2^62, bits and the size of depth's integer part add up. */
void attest_huge_exp(arb_t weight, const arb_t depth, long bits);

/* value = factor e^{-depth}, and log2 of it, both enclosed; a depth of NULL is 0. False, and
 * neither is set, where the factor is not certainly positive. */
bool attest_huge_exp_scale(arb_t value, arb_t log2, const arb_t factor, const arb_t depth,
                           long bits);

#endif
