/* fractions.h -- a softmax output, or a difference of two, as a sum of fractions.
 *
 * Entry c is constant[c] / scale + sum over fractions f of above[c] / (scale below), sums of
 * exponentials over one denominator D of all scores. Fractions are reduced where that is cheap,
 * and those with one denominator are added: what cancels leaves nothing. */
#ifndef ATTEST_RECHECK_FRACTIONS_H
#define ATTEST_RECHECK_FRACTIONS_H

#include "recheck/recheck.h"
#include "recheck/sums.h"

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
    bool failed; /* memory is out */
} attest_recheck_fractions;

/* F_a - F_b, or F_a for b = a. Domain: softmax. */
void attest_recheck_fractions_init(attest_recheck_fractions *f, attest_recheck *check, size_t a,
                                   size_t b);
void attest_recheck_fractions_clear(attest_recheck_fractions *f);

#endif
