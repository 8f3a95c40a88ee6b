/* exp_sum.h -- sums of integer multiples of e^{-depth / D}, cut off at a depth, and softmax
 * outputs as fractions of such sums.
 *
 * A sum encloses a number: it differs from the sum of the terms by at most rest e^{-cut / D},
 * where cut is the depth beyond which terms are dropped. Products and sums are enclosures in
 * this sense. This file uses no code of src/certify.
 *
 * Entry c of a softmax output, or of a difference of two, is constant[c] / scale + sum over
 * fractions f of above[c] / (scale below), sums of exponentials over one denominator D of all
 * scores. Fractions are reduced where that is cheap, and those with equal denominators are
 * added, so that terms that cancel vanish. */
#ifndef ATTEST_RECHECK_EXP_SUM_H
#define ATTEST_RECHECK_EXP_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

#include "recheck/recheck.h"

typedef struct attest_recheck_term {
    fmpz depth, factor;
} attest_recheck_term;

/* Terms by ascending depth >= 0, none with factor 0. */
typedef struct attest_recheck_sum {
    attest_recheck_term *term;
    size_t count, room;
    fmpz rest;
} attest_recheck_sum;

/* Where sums are cut off, their largest size, and whether a computation failed. */
typedef struct attest_recheck_cut {
    bool whole;   /* nothing is cut off */
    fmpz_t depth; /* otherwise the largest depth that is kept */
    size_t most;  /* the largest number of terms of a sum */
    bool failed;  /* too many terms, or no memory: later results have no meaning */
} attest_recheck_cut;

/* Sets the sum to zero. All zero bits are a sum of value zero, too. */
void attest_recheck_sum_init(attest_recheck_sum *sum);
void attest_recheck_sum_clear(attest_recheck_sum *sum);

/* Appends a term, in any order; collect sorts them, adds equal depths and cuts off. */
void attest_recheck_sum_push(attest_recheck_sum *sum, const fmpz_t depth, const fmpz_t factor,
                             attest_recheck_cut *cut);
void attest_recheck_sum_collect(attest_recheck_sum *sum, attest_recheck_cut *cut);

/* sum += factor * other. */
void attest_recheck_sum_add(attest_recheck_sum *sum, const attest_recheck_sum *other,
                            const fmpz_t factor, attest_recheck_cut *cut);

/* product += a b. Domain: product is neither a nor b. */
void attest_recheck_sum_addmul(attest_recheck_sum *product, const attest_recheck_sum *a,
                               const attest_recheck_sum *b, attest_recheck_cut *cut);

/* Returns whether both have the same terms. */
bool attest_recheck_sum_equal(const attest_recheck_sum *a, const attest_recheck_sum *b);

/* factor encloses the sum times e^{lead / D}, in balls of this precision; *tail bounds the
 * contribution of the rest to the radius. */
void attest_recheck_sum_enclose(arb_t factor, mag_t tail, const attest_recheck_sum *sum,
                                const fmpz_t lead, const fmpz_t denominator, long bits,
                                const attest_recheck_cut *cut);

/* power = e^{-depth / D} with a relative accuracy of about bits. */
void attest_recheck_sum_power(arb_t power, const fmpz_t depth, const fmpz_t denominator,
                              long bits);

typedef struct attest_recheck_fraction {
    attest_recheck_sum below;  /* positive */
    attest_recheck_sum *above; /* dim */
} attest_recheck_fraction;

typedef struct attest_recheck_fractions {
    size_t dim, count;
    attest_recheck_fraction *fraction;
    fmpz *constant; /* dim */
    fmpz_t scale;   /* > 0 */
    fmpz_t denominator;
    bool failed; /* there was no memory */
} attest_recheck_fractions;

/* f = F_a - F_b, or F_a if b = a. Domain: softmax. */
void attest_recheck_fractions_init(attest_recheck_fractions *f, attest_recheck *check, size_t a,
                                   size_t b);
void attest_recheck_fractions_clear(attest_recheck_fractions *f);

#endif
