/* zero_test.h -- equality of softmax outputs is decidable (proofs-notes/zero_test.md).
 *
 * An element of Q(y), y = e^{1/D} transcendental, vanishes iff the polynomial over its common
 * denominator is zero. A nonzero value modulo a prime disproves that at once, for sums of any
 * size. It is proved by reduced fractions over coprime denominators, or, if the degrees are too
 * large for that, by multiplying out. */
#ifndef ATTEST_CERTIFY_ZERO_TEST_H
#define ATTEST_CERTIFY_ZERO_TEST_H

#include "certify/softmax_sum.h"

typedef enum attest_zero_answer {
    ATTEST_ZERO_EQUAL = 0,
    ATTEST_ZERO_DIFFERENT,
    ATTEST_ZERO_UNABLE /* no difference modulo primes, and more than max_terms for a proof */
} attest_zero_answer;

/* Decides |sum|^2 = target, target >= 0; may reduce the sum, whose value stays the same.
 * Products of more than max_terms terms are not formed, except for two denominators and
 * target 0 (one head), where there are at most as many terms as pairs of keys. Domain: a
 * finished sum. Status: NOMEM. Cost: O(groups terms dim) if they differ; else groups dim
 * greatest common divisors, and one for each pair of groups whose denominators still differ;
 * for target > 0 then the square of the product of the numbers of terms. */
attest_status attest_zero_test(attest_zero_answer *answer, attest_softmax_sum *sum,
                               const fmpq_t target, size_t max_terms,
                               attest_error *error) ATTEST_WARN_UNUSED;

#endif
