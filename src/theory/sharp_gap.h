/* sharp_gap.h -- the least gap at which boltz separates sets: log(2 + sqrt 3).
 *
 * A != B finite nonempty sets of reals, all distinct values of their union at least g apart,
 * g >= log(2 + sqrt 3) = 1.3169...; q = e^{-g}, mu = g q/(1-q), nu = mu/(1-q). If the maxima
 * differ, |boltz(A) - boltz(B)| >= g - nu. If they are equal, c is the largest element of the
 * symmetric difference and t = max - c, then
 *
 *     |boltz(A) - boltz(B)| >= e^{-t} [(t - m)(1 - 2q) - mu] > 0,
 *
 * m = g q/(1+q) if t < 2g, else nu; the set that contains c has the smaller boltz. For sets
 * of at most n elements the sharp gap is g_n, which rises to that limit. Proof:
 * proofs-notes/sharp_gap.md; certify and the strategy gap use this bound. */
#ifndef ATTEST_THEORY_SHARP_GAP_H
#define ATTEST_THEORY_SHARP_GAP_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>

/* True if gap >= log(2 + sqrt 3), which is irrational. */
bool attest_sharp_gap_check(const fmpq_t gap);

/* Encloses the bound, and its log2; the lower end of value is itself a bound. The arguments are
 * those of attest_lemma_f_bound, and a smaller gap gives a smaller bound here, too. Status:
 * DOMAIN (not proved from the balls given: gap >= log(2 + sqrt 3), t >= gap, a positive bound).
 */
attest_status attest_sharp_gap_bound(arb_t value, arb_t log2, const arb_t gap,
                                     bool first_at_maximum, const arb_t t, long bits,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
