/* ball_exp.c -- exponentials of many rationals at once, as balls.
 *
 * The bounds are derived in proofs-notes/attention.md, "Exponentials". */
#include "number/ball_exp.h"

#include <stdbool.h>

/* value = [0, 2^-2^(CUTOFF-1)], a ball with both halves of it. */
static void set_tiny(arb_t value)
{
    fmpz_t exponent;

    fmpz_init_set_ui(exponent, 1);
    fmpz_mul_2exp(exponent, exponent, ATTEST_BALL_EXP_CUTOFF - 1);
    fmpz_neg(exponent, exponent);
    fmpz_sub_ui(exponent, exponent, 1);
    arf_one(arb_midref(value));
    arf_mul_2exp_fmpz(arb_midref(value), arb_midref(value), exponent);
    mag_one(arb_radref(value));
    mag_mul_2exp_fmpz(arb_radref(value), arb_radref(value), exponent);
    fmpz_clear(exponent);
}

/* value encloses exp(numerator / denominator); relative radius <= 2^(2-precision). */
static void exp_fraction(arb_t value, const fmpz_t numerator, const fmpz_t denominator,
                         slong precision)
{
    /* 2^(size-2) <= |x| < 2^size; where the value is enclosed in [0, 2^-2^(CUTOFF-1)], that is
     * because e^-t < 2^-t. */
    slong size = (slong)fmpz_bits(numerator) - (slong)fmpz_bits(denominator) + 1;
    arb_t x;

    if (fmpz_is_zero(numerator)) {
        arb_one(value);
        return;
    }
    if (size > ATTEST_BALL_EXP_CUTOFF) {
        set_tiny(value);
        return;
    }
    /* |x| < 2^size: an absolute error below 2^-(precision+2) of x is a relative one of exp. */
    arb_init(x);
    arb_fmpz_div_fmpz(x, numerator, denominator, precision + 4 + (size > 0 ? size : 0));
    arb_exp(value, x, precision + 1);
    arb_clear(x);
}

void attest_ball_exp_fractions(arb_ptr value, const fmpz *numerator, const fmpz_t denominator,
                               size_t count, slong precision)
{
    for (size_t j = 0; j < count; j++)
        exp_fraction(value + j, numerator + j, denominator, precision);
}
