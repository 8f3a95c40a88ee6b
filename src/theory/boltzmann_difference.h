/* boltzmann_difference.h -- boltz(A) - boltz(B) for multisets of rationals of any magnitude.
 *
 * Such differences are as small as e^(-t) where t is the depth of the first difference;
 * computed as two values and a subtraction they need t bits. The identity used here, "(L) with
 * multiplicities" of proofs-notes/boltzmann.md, factors e^(-t) out, so that the working
 * precision depends on cancellation only, not on the magnitude. */
#ifndef ATTEST_THEORY_BOLTZMANN_DIFFERENCE_H
#define ATTEST_THEORY_BOLTZMANN_DIFFERENCE_H

#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>

/* The rationals numerator[i] / D, i < count, each counted multiplicity[i] >= 1 times; D > 0 is
 * given beside the multiset. In any order; a value may stand several times. Borrows its arrays.
 */
typedef struct attest_multiset {
    size_t count;
    const fmpz *numerator;
    const size_t *multiplicity; /* NULL: once each */
} attest_multiset;

typedef struct attest_boltz_difference {
    int sign;    /* of boltz(A) - boltz(B): -1, 0 or 1, decided exactly */
    arb_t value; /* encloses boltz(A) - boltz(B); exactly 0 when sign is 0 */
    arb_t log2;  /* encloses log2 |boltz(A) - boltz(B)|; indeterminate when sign is 0 */
    long bits;   /* the working precision that was needed; 0 when sign is 0 */
} attest_boltz_difference;

void attest_boltz_difference_init(attest_boltz_difference *difference);
void attest_boltz_difference_clear(attest_boltz_difference *difference);

/* Encloses boltz(A) - boltz(B).
 * Domain: A and B are not empty, denominator > 0, 2 <= accuracy.
 * Error: value has relative radius at most 2^-accuracy, log2 a radius of at most
 *   2^(2-accuracy) max(1, |log2|); the sign is that of the true difference, 0 iff the
 *   multiplicities are proportional (proofs-notes/zero_test.md).
 * Cost: O(n) exponentials for n entries, at 128 bits or accuracy + 64 under the hypotheses of
 *   Lemma F. Without them the sum may cancel: the precision is doubled until it does not.
 * Status: DOMAIN, UNABLE (max_bits are not enough; 0: no limit), NOMEM. */
attest_status attest_boltz_difference_bound(attest_boltz_difference *difference,
                                            const attest_multiset *a, const attest_multiset *b,
                                            const fmpz_t denominator, long accuracy,
                                            long max_bits,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
