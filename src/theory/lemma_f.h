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

/* Encloses g* = 1.4455749..., the solution of g = 1 + g e^{-g}/(1 - e^{-g}), with a radius
 * below 2^-bits. Domain: bits >= 2. */
void attest_lemma_f_threshold(arb_t g, long bits);

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

/* A family of sets of rationals: set i is numerator[start[i]] .. numerator[start[i+1] - 1],
 * over one denominator. Each set in any order. Borrows its arrays. */
typedef struct attest_family {
    size_t count;
    const size_t *start; /* count + 1 offsets */
    const fmpz *numerator;
    const fmpz *denominator; /* > 0 */
} attest_family;

/* What holds for every two different sets of a family. */
typedef struct attest_family_bound {
    bool holds;        /* the hypotheses; else the rest is undefined but for the next two */
    size_t repeats;    /* a set that has a value twice, or SIZE_MAX */
    size_t close[2];   /* two sets (maybe one) whose values come closer than g*, or SIZE_MAX */
    fmpq_t gap;        /* the least gap of the whole family; 0 where there is one value only */
    size_t pair[2];    /* the two neighbours with the least bound; SIZE_MAX: all sets equal */
    arb_t value, log2; /* the least bound, enclosed; defined if pair is */
} attest_family_bound;

void attest_family_bound_init(attest_family_bound *bound);
void attest_family_bound_clear(attest_family_bound *bound);

/* The least bound over all pairs of different sets, found among neighbours in the lexicographic
 * order of descending lists (a proper prefix is smaller). Exact but for value and log2.
 * Domain: count >= 1, no set empty. Cost: O(S log S) comparisons for S entries in all.
 * Status: DOMAIN, NOMEM. Hypotheses that fail are a result, not an error. */
attest_status attest_lemma_f_bound_family(attest_family_bound *bound,
                                          const attest_family *family, long bits,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
