/* zero_test.h -- equality of softmax outputs is decidable (proofs-notes/zero_test.md).
 *
 * An element of Q(y), y = e^{1/D} transcendental, vanishes iff the polynomial over its common
 * denominator is zero. A value modulo a prime that is not zero disproves that at once, whatever
 * the size; that it is zero is proved by multiplying out. */
#ifndef ATTEST_CERTIFY_ZERO_TEST_H
#define ATTEST_CERTIFY_ZERO_TEST_H

#include "certify/softmax_sum.h"

/* Multiplying out is refused beyond so many terms, except for two denominators and target 0
 * (one head): there are then at most as many terms as pairs of keys. */
#define ATTEST_ZERO_TEST_TERMS ((size_t)1 << 22)

typedef enum attest_zero_answer {
    ATTEST_ZERO_EQUAL = 0,
    ATTEST_ZERO_DIFFERENT,
    ATTEST_ZERO_UNABLE /* no difference modulo primes, and too many terms for a proof */
} attest_zero_answer;

/* Decides |sum|^2 = target, target >= 0. Domain: a finished sum. Cost: O(groups terms dim)
 * where they differ; else the product of the numbers of terms, and its square for target > 0.
 */
attest_zero_answer attest_zero_test(const attest_softmax_sum *sum, const fmpq_t target);

#endif
