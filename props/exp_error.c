/* exp_error.c -- whether a double is the exponential that attest/kernel.h promises. */
#include "props/exp_error.h"

#include <math.h>
#include <stdbool.h>

#include <attest/flint.h>
#include <attest/kernel.h>

#include "number/scope.h"

enum { BITS = 128, MOST_BITS = 1024, LEAST_ULP = -1074, MOST_EXPONENT = 1024 };

/* Sets *e with 2^*e <= exact < 2^(*e+1), where exact encloses e^x; returns false if the ball
 * does not determine it. Of the powers of two only 1 can be closer to e^x than any precision
 * resolves; there the sign of x decides. */
static bool get_binade(long *e, const arb_t exact, double x)
{
    bool known;
    ARF(low, high);

    arb_get_lbound_arf(low, exact, BITS);
    arb_get_ubound_arf(high, exact, BITS);
    known = arf_sgn(low) > 0 && arf_abs_bound_lt_2exp_si(low) == arf_abs_bound_lt_2exp_si(high);
    *e = known ? (long)arf_abs_bound_lt_2exp_si(low) - 1 : 0;
    if (!known && fabs(x) < 0x1p-30) {
        known = true;
        *e = x > 0 ? 0 : -1;
    }
    return known;
}

/* Compares |y - exact| with the promised bound. An infinite y counts as 2^1024, the least power
 * of two that is not a double. */
static int compare(double y, const arb_t exact, double x, long bits)
{
    int sign = 0;
    long e;

    if (!get_binade(&e, exact, x))
        return 0;
    if (e >= MOST_EXPONENT)
        return isinf(y) ? 1 : -1;
    ARB(distance, limit);
    if (isinf(y)) {
        arb_one(distance);
        arb_mul_2exp_si(distance, distance, MOST_EXPONENT);
    } else
        arb_set_d(distance, y);
    arb_sub(distance, distance, exact, bits);
    arb_abs(distance, distance);
    arb_set_d(limit, ATTEST_KERNEL_EXP_ULP);
    arb_mul_2exp_si(limit, limit, e - 52 > LEAST_ULP ? e - 52 : LEAST_ULP);
    if (arb_le(distance, limit))
        sign = 1;
    else if (arb_gt(distance, limit))
        sign = -1;
    return sign;
}

int attest_exp_compare(double y, double x)
{
    int sign = 0;

    if (x == 0)
        return y == 1 ? 1 : -1;
    if (x > 710) /* above 2^1024 */
        return y == INFINITY ? 1 : -1;
    if (x < -746) /* below 2^-1076: next to 0 */
        return y == 0 ? 1 : -1;
    if (isnan(y) || y < 0)
        return -1;
    ARB(exact);
    for (long bits = BITS; sign == 0 && bits <= MOST_BITS; bits *= 2) {
        arb_set_d(exact, x);
        arb_exp(exact, exact, bits);
        sign = compare(y, exact, x, bits);
    }
    return sign;
}
