/* exp2_polynomial.c -- exp2 by a polynomial: its bits against a route in doubles, its proved
 * error against MPFR. With EVERY_FRACTION, every f of [0, 1] in binary32. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <mpfr.h>

#include "base/random.h"
#include "judge/exp_range.h"
#include "tests/tap.h"

/* FlashAttention-4's. */
static const attest_exp2_polynomial flash4 = {4,
                                              {1, 0x1.63ea32p-1, 0x1.d20d48p-3, 0x1.3be13ap-4}};

static double exp2_of(double x)
{
    mpfr_t y;
    double r;

    mpfr_init2(y, 53);
    mpfr_set_d(y, x, MPFR_RNDN);
    mpfr_exp2(y, y, MPFR_RNDN);
    r = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return r;
}

/* The definition with MPFR in place of floats: each fused step rounded to 24 bits. */
static double define(const attest_exp2_polynomial *p, double x)
{
    double whole, f, value;
    mpfr_t r, c;

    x = fmax(x, -127);
    whole = floor(x);
    mpfr_init2(r, 24);
    mpfr_init2(c, 24);
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_sub_d(r, r, whole, MPFR_RNDN);
    f = mpfr_get_d(r, MPFR_RNDN);
    mpfr_set_d(r, p->coefficient[p->count - 1], MPFR_RNDN);
    for (size_t i = p->count - 1; i-- > 0;) {
        mpfr_t y;

        mpfr_init2(y, 24);
        mpfr_set_d(y, f, MPFR_RNDN);
        mpfr_set_d(c, p->coefficient[i], MPFR_RNDN);
        mpfr_fma(r, r, y, c, MPFR_RNDN);
        mpfr_clear(y);
    }
    value = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clear(r);
    mpfr_clear(c);
    return whole < -126 ? ldexp(value - 1, -126) : ldexp(value, (int)whole);
}

static void check_bits(uint64_t *state)
{
    size_t wrong = 0, falls = 0;
    double previous = 0;

    for (size_t i = 0; i < 200000; i++) {
        double x = (double)(float)(((double)(attest_random_next(state) >> 11) * 0x1p-53 - 0.9) *
                                   ldexp(1, (int)(attest_random_next(state) % 40) - 32));

        wrong += attest_exp2_polynomial_eval(&flash4, x) != define(&flash4, x);
    }
    for (double x = -130; x < 128; x += 0x1p-12) {
        double y = attest_exp2_polynomial_eval(&flash4, x);

        falls += !(y >= previous);
        previous = y;
    }
    TAP_OK(wrong == 0, "200000 arguments, %zu results are not those of the definition", wrong);
    TAP_OK(falls == 0 && attest_exp2_polynomial_eval(&flash4, -1000) == 0 &&
               attest_exp2_polynomial_eval(&flash4, 0) == 1 &&
               attest_exp2_polynomial_eval(&flash4, -126) == 0x1p-126,
           "it never falls, and is 0 far below");
}

/* Arguments from -126 on stay within the bound, and some come close to it. */
static void check_bound(uint64_t *state)
{
    double bound = attest_exp2_polynomial_bound(&flash4), most = 0;

    for (size_t i = 0; i < 100000; i++) {
        double x =
            (double)(float)(-126 * ((double)(attest_random_next(state) >> 11) * 0x1p-53));
        double y = attest_exp2_polynomial_eval(&flash4, x);

        most = fmax(most, fabs(y / exp2_of(x) - 1));
    }
    TAP_OK(most <= bound && most > 0.99 * bound && log2(bound) < -13.4 && bound < 0x1.84p-14,
           "proved 2^%.3f, found 2^%.3f", log2(bound), log2(most));
}

static void check_refused(void)
{
    static const attest_exp2_polynomial bad[] = {
        {0, {0}},
        {1, {2}},
        {2, {1, 1}},              /* the sum is 2 */
        {2, {1, -0.5}},           /* negative */
        {2, {1, 0x1.0000001p-1}}, /* no binary32 */
        {2, {0.5, 0.5}},          /* below 1 */
        {2, {1, (double)NAN}},
        {3, {1, (double)INFINITY, 0}},
    };
    static const attest_exp2_polynomial line = {2, {1, 0x1.fp-1}}, low = {2, {1, 0.5}};
    size_t taken = 0;
    double bound = attest_exp2_polynomial_bound(&line);
    double bound_low = attest_exp2_polynomial_bound(&low);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        taken += attest_exp2_polynomial_bound(&bad[i]) < (double)INFINITY;
    TAP_OK(taken == 0, "%zu polynomials without a proof have one", taken);
    /* (1 + 31 f / 32) 2^-f - 1 is largest at f = 1 / log 2 - 32 / 31 */
    TAP_OK(bound >= 0.0496 && bound < 0.053, "a straight line errs by %.4f", bound);
    /* (1 + f / 2) 2^-f - 1 is farthest from 0 at f = 1 */
    TAP_OK(bound_low >= 0.25 && bound_low < 0.2501, "one that is too low by %.6f", bound_low);
}

#ifdef EVERY_FRACTION
static double single(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/* 2^f for f in [0, 1] to 2^-48, by a series: for a billion of them MPFR is too slow. */
static double quick_exp2(double f)
{
    double x = (f - 0.5) * 0x1.62e42fefa39efp-1, sum = 1;

    for (int i = 16; i > 0; i--)
        sum = 1 + x * sum / i;
    return sum * 0x1.6a09e667f3bcdp+0;
}

static void check_all(void)
{
    double bound = attest_exp2_polynomial_bound(&flash4), most = 0, worst = 0, series = 0;

    for (uint32_t i = 0; i < 100000; i++)
        series = fmax(series, fabs(quick_exp2(i / 100000.0) / exp2_of(i / 100000.0) - 1));
    for (uint32_t bits = 0; bits <= 0x3f800000u; bits++) {
        double f = single(bits), e;
        double r = (double)fmaf(
            fmaf(fmaf((float)flash4.coefficient[3], (float)f, (float)flash4.coefficient[2]),
                 (float)f, (float)flash4.coefficient[1]),
            (float)f, 1);

        e = fabs(r / quick_exp2(f) - 1);
        if (e > most) {
            most = e;
            worst = f;
        }
    }
    TAP_OK(series < 0x1p-48 && most + 0x1p-47 <= bound,
           "every f of [0, 1]: the largest error is 2^%.4f at %a, 2^%.4f proved", log2(most),
           worst, log2(bound));
}
#endif

TEST(exp2_polynomial)
{
    uint64_t state = tap_seed(1);

    check_bits(&state);
    check_bound(&state);
    check_refused();
#ifdef EVERY_FRACTION
    check_all();
#endif
    return 0;
}
