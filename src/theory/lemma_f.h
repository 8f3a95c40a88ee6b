/* lemma_f.h -- Lemma F: sets are told apart by their first difference.
 *
 * A != B finite nonempty sets of reals, all distinct values of their union at least g apart,
 * g >= g*; q = e^{-g}, mu = g q/(1-q). If the maxima differ, |boltz(A) - boltz(B)| >= g - mu.
 * If they agree, c is the largest element of the symmetric difference and t = max - c, then
 *
 *     |boltz(A) - boltz(B)| >= e^{-t} [(t - mu)(1 - 2q) - g q/(1-q)] > 0,
 *
 * and the set that owns c has the smaller boltz. Proof: proofs-notes/lemma_f.md. */
#ifndef ATTEST_THEORY_LEMMA_F_H
#define ATTEST_THEORY_LEMMA_F_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>

/* Whether gap >= g*. g* is irrational (a rational solution of the equation would make e^g
 * rational), so this is decided for every rational. Cost: as many bits as gap and g* share. */
bool attest_lemma_f_check_gap(const fmpq_t gap);

/* Encloses the lemma's bound, and its log2; the lower end of value is itself a bound.
 * first_at_maximum: the maxima differ (t is ignored), else t = max - c.
 * Domain: gap a ball of numbers >= g*, t one of numbers >= gap. A smaller gap gives a smaller
 *   bound, so a lower bound of the gap may be used; then t >= that bound is all that is asked.
 * Error: value is as accurate as t and gap are; e^{-t} is never formed for log2.
 * Status: DOMAIN (not proved from the balls given: gap >= g*, t >= gap). */
attest_status attest_lemma_f_bound(arb_t value, arb_t log2, const arb_t gap,
                                   bool first_at_maximum, const arb_t t, long bits,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
