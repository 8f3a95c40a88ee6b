/* exp-error.h -- the error of a computed exponential in ulps, by MPFR. */
#ifndef ATTEST_TESTS_KERNEL_EXP_ERROR_H
#define ATTEST_TESTS_KERNEL_EXP_ERROR_H

#include <float.h>
#include <math.h>
#include <string.h>

#include <mpfr.h>

#include "tests/tap.h"

/* Room for the results of MPFR, so that none is allocated per point. */
struct exp_error {
    mpfr_t exact, difference;
};

__attribute__((unused)) static void exp_error_init(struct exp_error *error)
{
    mpfr_init2(error->exact, 96);
    mpfr_init2(error->difference, 96);
}

__attribute__((unused)) static void exp_error_clear(struct exp_error *error)
{
    mpfr_clear(error->exact);
    mpfr_clear(error->difference);
    mpfr_free_cache();
}

/* |y - e^x| in ulps of e^x; an ulp is 2^-1074 below 2^-1022. +inf for a y that is not what it
 * has to be: NaN for NaN, 0 and +inf for infinities and where these are the nearest doubles. */
__attribute__((unused)) static double exp_error_ulps(struct exp_error *error, double x,
                                                     double y)
{
    mpfr_exp_t exponent;

    if (isnan(x))
        return isnan(y) ? 0.0 : INFINITY;
    if (isinf(x))
        return y == (x > 0 ? (double)INFINITY : 0.0) ? 0.0 : INFINITY;
    if (!(y >= 0.0))
        return INFINITY;
    mpfr_set_d(error->exact, x, MPFR_RNDN);
    mpfr_exp(error->exact, error->exact, MPFR_RNDN);
    exponent = mpfr_get_exp(error->exact); /* in [2^(exponent-1), 2^exponent) */
    if (exponent > 1024 || mpfr_inf_p(error->exact))
        return isinf(y) ? 0.0 : INFINITY;
    if (isinf(y)) /* right where the nearest number of 53 bits is 2^1024 */
        return mpfr_get_d(error->exact, MPFR_RNDN) == (double)INFINITY ? 0.0 : INFINITY;
    if (mpfr_zero_p(error->exact))
        return y == 0.0 ? 0.0 : INFINITY;
    mpfr_sub_d(error->difference, error->exact, y, MPFR_RNDA);
    mpfr_abs(error->difference, error->difference, MPFR_RNDN);
    exponent = exponent - 53 < -1074 ? -1074 : exponent - 53;
    mpfr_mul_2si(error->difference, error->difference, -exponent, MPFR_RNDN);
    return mpfr_get_d(error->difference, MPFR_RNDU);
}

/* At least the same, to 0.01 ulp, by long double, for ordinary arguments and results; +inf for
 * others, and where long double is no better than double. */
__attribute__((unused)) static double exp_error_estimate(double x, double y)
{
    long double exact;
    int exponent;

    if (LDBL_MANT_DIG < 64 || !(fabs(x) < 700.0) || !(y > 0.0 && y < 1e305))
        return INFINITY;
    exact = expl((long double)x);
    frexpl(exact, &exponent);
    return (double)ldexpl(fabsl((long double)y - exact), 53 - exponent) + 0.01;
}

/* A double to try: most in the range of ordinary results, some with random bits, some where
 * results overflow, become subnormal or vanish, some next to the halfway points of the argument
 * reduction, where the reduced argument is largest. */
__attribute__((unused)) static double exp_error_sample(uint64_t *state)
{
    uint64_t choice = tap_random(state), bits = tap_random(state);
    double unit = (double)(bits >> 11) * 0x1p-53, x;

    switch (choice % 16) {
    case 0:
        memcpy(&x, &bits, sizeof x);
        return x;
    case 1:
        return -745.2 + 37.0 * unit;
    case 2:
        return 708.0 + 1.8 * unit;
    case 3:
        return ldexp(unit - 0.5, -(int)(choice >> 4 & 63));
    case 4:
    case 5:
    case 6:
        return ((double)((int)(choice >> 4 & 0x3fff) - 8192) + 0.5) * 0.08664339756999316 *
               (1.0 + (unit - 0.5) * 0x1p-30);
    case 7:
    case 8:
    case 9:
        return -40.0 * unit;
    default:
        return -708.0 + 1417.0 * unit;
    }
}

#endif
