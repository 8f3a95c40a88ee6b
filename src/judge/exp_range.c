/* exp_range.c -- enclosures of exp and exp2, and their roundings to a format. */
#include "judge/exp_range.h"

#include <attest/kernel.h>

#include <math.h>

#include "number/scope.h"

/* Results for larger arguments are enclosed by [0, 2^-700] and [2^700, infinity]. */
static const double most_argument = 700;

/* The kernel's error is 0.60 ulp < 2^-52 of the value. For 2^x the argument f ln 2, |f| <= 1/2,
 * is off by less than 2^-53 (two roundings of 2^-53 of at most 0.35), which makes less than
 * 2^-52.9 of the value: together below 2^-51.3. The products round by 2^-53. */
void attest_judge_exp_enclose(double *lo, double *hi, double x, bool two)
{
    double whole = two ? rint(x) : 0, y, argument, power;

    if (!(x > -most_argument)) {
        *lo = 0;
        *hi = 0x1p-700;
        return;
    }
    if (!(x < most_argument)) {
        *lo = 0x1p700;
        *hi = INFINITY;
        return;
    }
    argument = two ? (x - whole) * 0x1.62e42fefa39efp-1 : x;
    attest_kernel_exp(&y, &argument, 1);
    if (argument == 0) {
        *lo = *hi = ldexp(1, (int)whole);
        return;
    }
    power = attest_in_double_double((uint64_t)(1023 + (int)whole) << 52);
    *lo = y * (1 - 0x1p-50) * power; /* exact: at least 2^-701 */
    *hi = y * (1 + 0x1p-50) * power;
}

/* By MPFR: a result rounded to odd with 53 bits rounds to the format like the exact value. */
static double exp_by_mpfr(double x, bool two, const attest_in_double *h)
{
    MPFR(53, y);
    double value;
    int inexact;

    mpfr_set_d(y, x, MPFR_RNDN);
    if (h->plain) {
        inexact = two ? mpfr_exp2(y, y, MPFR_RNDN) : mpfr_exp(y, y, MPFR_RNDN);
        value = mpfr_get_d(y, MPFR_RNDN);
    } else {
        inexact = two ? mpfr_exp2(y, y, MPFR_RNDZ) : mpfr_exp(y, y, MPFR_RNDZ);
        value = mpfr_get_d(y, MPFR_RNDZ);
        value = attest_in_double_convert(attest_in_double_to_odd(value, inexact ? 1 : 0), h);
    }
    return value;
}

/* The nearest number; the enclosure decides in most cases. */
static double nearest_of(double lo, double hi, double x, bool two, const attest_in_double *h)
{
    double low, high;

    if (h->plain)
        return lo == hi ? lo : exp_by_mpfr(x, two, h);
    low = attest_in_double_convert(lo, h);
    high = attest_in_double_convert(hi, h);
    return low == high ? low : exp_by_mpfr(x, two, h);
}

double attest_judge_exp_nearest(double x, bool two, const attest_in_double *h)
{
    double lo, hi;

    if (isnan(x))
        return x;
    attest_judge_exp_enclose(&lo, &hi, x, two);
    return nearest_of(lo, hi, x, two, h);
}

/* The neighbour of a positive number of the format, above or below. */
static double step(double x, bool up, const attest_in_double *h)
{
    uint64_t unit = (uint64_t)1 << h->shift;

    if (h->plain)
        return nextafter(x, up ? (double)INFINITY : 0);
    if (x < h->tiny || (x == h->tiny && !up))
        return up ? x + h->quantum : x - h->quantum;
    if (up && x >= h->most)
        return INFINITY;
    return attest_in_double_double(up ? attest_in_double_bits(x) + unit
                                      : attest_in_double_bits(x) - unit);
}

/* x rounded toward zero or away from it. Domain: x >= 0. */
static double round_magnitude(double x, bool up, const attest_in_double *h)
{
    double r;

    if (isinf(x) || h->plain)
        return x;
    if (x > h->most)
        return up ? (double)INFINITY : h->most;
    r = attest_in_double_nearest(x, h);
    if (up ? r < x : r > x)
        r = step(r, up, h);
    return r;
}

double attest_judge_round_down(double x, const attest_in_double *h)
{
    return x < 0 ? -round_magnitude(-x, true, h) : round_magnitude(x, false, h);
}

double attest_judge_round_up(double x, const attest_in_double *h)
{
    return -attest_judge_round_down(-x, h);
}

void attest_judge_exp_range(attest_judge_exponential *y, double x, bool two, double error,
                            bool outer, const attest_in_double *h)
{
    /* Each end is formed by three products that round by 2^-53: one factor covers them. */
    const double less = 1 - 0x1p-50, more = 1 + 0x1p-50;
    double low, high, lo, hi;

    y->nearest = y->lo = y->hi = x == 0 ? 1 : x;
    if (x == 0 || isnan(x))
        return;
    attest_judge_exp_enclose(&low, &high, x, two);
    y->nearest = nearest_of(low, high, x, two, h);
    lo = outer ? low * (1 - error) * less : high * (1 - error) * more;
    hi = outer ? high * (1 + error) * more : low * (1 + error) * less;
    y->lo = lo < 0x1p-126 ? 0 : attest_judge_round_up(lo, h);
    y->hi = attest_judge_round_down(hi, h);
    if (y->lo == 0)
        y->hi = fmax(y->hi, 0x1p-126);
    y->lo = fmin(y->lo, y->nearest);
    y->hi = fmax(y->hi, y->nearest);
}

double attest_judge_round_real(attest_judge_refine *refine, void *context,
                               const attest_in_double *h)
{
    ARB(value);
    ARF(low, high);
    double l, r;
    bool exact;

    for (slong bits = 128;; bits *= 2) {
        refine(value, context, bits);
        arb_get_lbound_arf(low, value, bits);
        arb_get_ubound_arf(high, value, bits);
        if (h->plain) {
            l = arf_get_d(low, ARF_RND_NEAR);
            r = arf_get_d(high, ARF_RND_NEAR);
            exact = true;
        } else {
            l = arf_get_d(low, ARF_RND_DOWN);
            r = arf_get_d(high, ARF_RND_DOWN);
            exact = arf_equal(low, high) && arf_cmp_d(low, l) == 0;
        }
        if (l == r)
            break;
    }
    return h->plain ? l
                    : attest_in_double_convert(attest_in_double_to_odd(l, exact ? 0 : l), h);
}
