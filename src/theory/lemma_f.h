/* lemma_f.h -- boltz(A) - boltz(B) for multisets of rationals of any magnitude, and Lemma F:
 * sets differ in boltz by an amount that their first difference bounds from below.
 *
 * Such differences are as small as e^(-t) where t is the depth of the first difference;
 * computed as two values and a subtraction they need t bits. The identity used here, "(L) with
 * multiplicities" of proofs-notes/boltzmann.md, factors e^(-t) out, so that the working
 * precision depends on cancellation only, not on the magnitude.
 *
 * Lemma F: A != B finite nonempty sets of reals, all distinct values of their union at least g
 * apart, g >= g*; q = e^{-g}, mu = g q/(1-q). If the maxima differ, |boltz(A) - boltz(B)| >=
 * g - mu. If they agree, c is the largest element of the symmetric difference and t = max - c,
 * then
 *
 *     |boltz(A) - boltz(B)| >= e^{-t} [(t - mu)(1 - 2q) - g q/(1-q)] > 0,
 *
 * and the set that contains c has the smaller boltz. Proof: proofs-notes/lemma_f.md. */
#ifndef ATTEST_THEORY_LEMMA_F_H
#define ATTEST_THEORY_LEMMA_F_H

#include <stdbool.h>
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

/* True if gap >= g*. g* is irrational (a rational solution of the equation would make e^g
 * rational), so this is decided for every rational. Cost: as many bits as gap and g* share. */
bool attest_lemma_f_check_gap(const fmpq_t gap);

/* Encloses the lemma's bound, and its log2; the lower end of value is itself a bound.
 * first_at_maximum: the maxima differ (t is ignored), else t = max - c.
 * Domain: gap a ball of numbers >= g*, t one of numbers >= gap. A smaller gap gives a smaller
 *   bound, so a lower bound of the gap may be used; then t need only be >= that bound.
 * Error: value is as accurate as t and gap are; e^{-t} is never formed for log2.
 * Status: DOMAIN (not proved from the balls given: gap >= g*, t >= gap). */
attest_status attest_lemma_f_bound(arb_t value, arb_t log2, const arb_t gap,
                                   bool first_at_maximum, const arb_t t, long bits,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
