/* exp_range.c -- enclosures of exp and exp2, and their roundings to a format; exp2 by a
 * polynomial. */
#include "judge/exp_range.h"

#include <attest/kernel.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "number/scope.h"

/* Results for larger arguments are enclosed by [0, 2^-700] and [2^700, infinity]. */
static const double most_argument = 700;

/* The kernel's error is 0.60 ulp < 2^-52 of the value. For 2^x the argument f ln 2, |f| <= 1/2,
 * is off by less than 2^-53 (two roundings of 2^-53 of at most 0.35), which makes less than
 * 2^-52.9 of the value: together below 2^-51.3. The products round by 2^-53. */
void attest_judge_exp_enclose(double *lo, double *hi, double x, bool base_two)
{
    double whole = base_two ? rint(x) : 0, y, argument, power;

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
    argument = base_two ? (x - whole) * 0x1.62e42fefa39efp-1 : x;
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
static double exp_by_mpfr(double x, bool base_two, const attest_in_double *h)
{
    MPFR(53, y);
    double value;
    int inexact;

    mpfr_set_d(y, x, MPFR_RNDN);
    if (h->plain) {
        inexact = base_two ? mpfr_exp2(y, y, MPFR_RNDN) : mpfr_exp(y, y, MPFR_RNDN);
        value = mpfr_get_d(y, MPFR_RNDN);
    } else {
        inexact = base_two ? mpfr_exp2(y, y, MPFR_RNDZ) : mpfr_exp(y, y, MPFR_RNDZ);
        value = mpfr_get_d(y, MPFR_RNDZ);
        value = attest_in_double_convert(attest_in_double_to_odd(value, inexact ? 1 : 0), h);
    }
    return value;
}

/* The nearest number; the enclosure decides in most cases. */
static double nearest_of(double lo, double hi, double x, bool base_two,
                         const attest_in_double *h)
{
    double low, high;

    if (h->plain)
        return lo == hi ? lo : exp_by_mpfr(x, base_two, h);
    low = attest_in_double_convert(lo, h);
    high = attest_in_double_convert(hi, h);
    return low == high ? low : exp_by_mpfr(x, base_two, h);
}

double attest_judge_exp_nearest(double x, bool base_two, const attest_in_double *h)
{
    double lo, hi;

    if (isnan(x))
        return x;
    attest_judge_exp_enclose(&lo, &hi, x, base_two);
    return nearest_of(lo, hi, x, base_two, h);
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

void attest_judge_exp_range(attest_judge_exponential *y, double x, bool base_two, double error,
                            bool outer, const attest_in_double *h)
{
    /* Each end is formed by three products that round by 2^-53: one factor covers them. */
    const double less = 1 - 0x1p-50, more = 1 + 0x1p-50;
    double low, high, lo, hi;

    y->nearest = y->lo = y->hi = x == 0 ? 1 : x;
    if (x == 0 || isnan(x))
        return;
    attest_judge_exp_enclose(&low, &high, x, base_two);
    y->nearest = nearest_of(low, high, x, base_two, h);
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

/* ---- exp2 by a polynomial: its bits, and a proof of its error ---- */

enum { LEAST = -127, CELLS = 2048, BITS = 96 };

double attest_exp2_polynomial_eval(const attest_exp2_polynomial *polynomial, double x)
{
    float clamped = (float)x < (float)LEAST ? (float)LEAST : (float)x;
    float whole = floorf(clamped), f = clamped - whole, r;
    uint32_t bits;
    size_t i = polynomial->count - 1;

    if (isnan(x))
        return x;
    r = (float)polynomial->coefficient[i];
    while (i-- > 0)
        r = fmaf(r, f, (float)polynomial->coefficient[i]);
    memcpy(&bits, &r, sizeof bits);
    /* as the hardware shifts: bits that do not fit into the exponent are lost */
    bits += (uint32_t)(int32_t)fminf(whole, 1 << 22) << 23;
    memcpy(&r, &bits, sizeof r);
    return (double)r;
}

/* Returns whether the results of Horner's scheme on [0, 1] are in [1, 2): all terms are >= 0,
 * so that they grow with f, and a sum of terms errs by a factor of (1 + 2^-24)^n at most. */
static bool is_proper(const attest_exp2_polynomial *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->count; i++) {
        double c = p->coefficient[i];

        if (!(c >= 0 && (double)(float)c == c))
            return false;
        sum += c;
    }
    return p->count > 0 && p->coefficient[0] == 1 && sum * (1 + 0x1p-19) < 2;
}

/* value, slope = p and p' on the ball f. */
static void evaluate(arb_t value, arb_t slope, const attest_exp2_polynomial *p, const arb_t f)
{
    ARB(c);

    arb_zero(value);
    arb_zero(slope);
    for (size_t i = p->count; i-- > 0;) {
        arb_mul(slope, slope, f, BITS);
        arb_add(slope, slope, value, BITS);
        arb_set_d(c, p->coefficient[i]);
        arb_mul(value, value, f, BITS);
        arb_add(value, value, c, BITS);
    }
}

/* error = a ball that contains p(f) 2^-f - 1 for every f of one cell of [0, 1]: the value in
 * its middle and, by the mean value theorem, half the cell times 2^-f (p' - log 2 p) on all of
 * it. */
static void bound_cell(arb_t error, const attest_exp2_polynomial *p, long cell)
{
    ARB(middle, whole, value, slope, power);

    arb_set_si(middle, 2 * cell + 1);
    arb_div_si(middle, middle, 2 * CELLS, BITS); /* exact: a power of two */
    arb_set(whole, middle);
    mag_set_ui_2exp_si(arb_radref(whole), 1, -12); /* half a cell, 1 / 4096 */
    evaluate(value, slope, p, whole);
    arb_const_log2(power, BITS);
    arb_submul(slope, value, power, BITS);
    evaluate(value, error, p, middle);
    arb_neg(power, middle);
    arb_set_si(error, 2);
    arb_pow(power, error, power, BITS);
    arb_mul(error, value, power, BITS);
    arb_sub_si(error, error, 1, BITS);
    arb_get_mag(arb_radref(whole), slope); /* 2^-f <= 1 */
    mag_mul_2exp_si(arb_radref(whole), arb_radref(whole), -12);
    arb_add_error_mag(error, arb_radref(whole));
}

double attest_exp2_polynomial_bound(const attest_exp2_polynomial *polynomial)
{
    double most = 0;
    ARB(error);
    MAG(size);

    if (!is_proper(polynomial))
        return (double)INFINITY;
    for (long cell = 0; cell < CELLS; cell++) {
        bound_cell(error, polynomial, cell);
        arb_get_mag(size, error);
        most = fmax(most, mag_get_d(size)); /* rounded up */
    }
    /* n fused steps err by 2^-24 each, f by 2^-25, which moves 2^f by less than 2^-25 */
    return most + (double)polynomial->count * 0x1p-23;
}
