/* matrix_unit.c -- blocks of matrix units, against rationals. tests/cli/dot.sh compares
 * recorded results of GPUs. */
#include "judge/matrix_unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/loops.h"
#include "tests/ref/products.h"
#include "tests/tap.h"

static attest_format format(const char *name)
{
    attest_error error = {0};
    attest_format f = {0};

    if (attest_format_parse(&f, name, &error) != ATTEST_OK)
        abort();
    return f;
}

/* Draws a number of the format: 0, subnormal, large, or near 1. */
static double draw(uint64_t *state, const attest_in_double *h, bool small)
{
    uint64_t r = attest_random_next(state);
    double m = 1 + (double)(attest_random_next(state) >> 12) * 0x1p-52;
    int spread = small ? 1 : (int)(r >> 8 & 3), e = (int)(r >> 16 & 0xff);

    if ((r & 7) == 0)
        return r & 8 ? 0.0 : -0.0;
    if (spread == 0)
        e = e % 4 - 2;
    else if (spread == 1)
        e = (int)h->format.emin / (small && h->format.emin < -100 ? 2 : 1) - 12 + e % 24;
    else if (spread == 2)
        e = e % 40 - 20;
    else
        e = (int)h->format.emax / 2 - e % 8;
    m = attest_in_double_nearest(ldexp(r & 16 ? -m : m, e), h);
    return isfinite(m) ? m : 1;
}

/* Formats of a, b, the result; products in a block, fraction. */
typedef struct kind {
    const char *a, *b;
    bool half;
    size_t block, fraction;
} kind;

static void check_random(uint64_t *state)
{
    static const kind all[] = {
        {"binary16", "binary16", false, 4, 23},
        {"binary16", "binary16", true, 4, 23},
        {"bfloat16", "bfloat16", false, 8, 24},
        {"tfloat32", "tfloat32", false, 4, 24},
        {"bfloat16", "bfloat16", false, 16, 25},
        {"binary16", "binary16", true, 16, 25},
        {"float8_e4m3fn", "float8_e5m2", false, 32, 13},
        {"binary32", "binary32", false, 16, 25},
        {"float8_e4m3fn", "float8_e4m3fn", true, 32, 13},
    };

    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        attest_format fa = format(all[k].a), fb = format(all[k].b);
        attest_format result = format(all[k].half ? "binary16" : "binary32");
        attest_judge_unit unit;
        attest_in_double ha, hb, hc;
        size_t wrong = 0, infinite = 0, tiny = 0, trials = 4000;

        attest_judge_unit_init(&unit, &fa, &fb, &result, all[k].fraction);
        attest_in_double_init(&ha, &fa, ATTEST_SIMULATED_NEAREST, NULL, NULL);
        attest_in_double_init(&hb, &fb, ATTEST_SIMULATED_NEAREST, NULL, NULL);
        attest_in_double_init(&hc, &result, ATTEST_SIMULATED_NEAREST, NULL, NULL);
        for (size_t t = 0; t < trials; t++) {
            bool small = t % 4 == 0;
            double a[32], b[32], c = draw(state, &hc, false), got, want;
            attest_judge_block block = {a, b, 1, all[k].block};

            if (small)
                c = ldexp(c, -140) > 0 ? hc.quantum * (double)(t % 64) : 0;
            for (size_t i = 0; i < all[k].block; i++) {
                a[i] = draw(state, &ha, small);
                b[i] = draw(state, &hb, small);
            }
            got = attest_judge_unit_sum(c, &block, &unit);
            want = ref_block(c, a, b, 1, all[k].block, &fa, &fb, all[k].half,
                             (long)all[k].fraction);
            wrong += got != want;
            infinite += isinf(want) != 0;
            tiny += fabs(want) < hc.tiny;
        }
        TAP_OK(wrong == 0,
               "%s x %s, block %zu, fraction %zu%s: %zu wrong (%zu infinite, %zu tiny)",
               all[k].a, all[k].b, all[k].block, all[k].fraction, all[k].half ? ", half" : "",
               wrong, infinite, tiny);
    }
}

static void check_directed(void)
{
    attest_format e4m3 = format("float8_e4m3fn"), half = format("binary16");
    attest_format single = format("binary32"), wide = single, wider = single;
    const double a[] = {0x1p-9, 1, 1}, b[] = {1, 0x1p-6, 0};
    attest_judge_block block = {a, b, 1, 1};
    attest_judge_unit unit;
    double c;

    /* A subnormal factor keeps the exponent -6, so a fraction of 2 bits cuts 2^-9 to 0. */
    attest_judge_unit_init(&unit, &e4m3, &e4m3, &single, 2);
    TAP_OK(attest_judge_unit_sum(0, &block, &unit) == 0, "subnormal factors keep emin");
    attest_judge_unit_init(&unit, &half, &half, &single, 2);
    TAP_OK(attest_judge_unit_sum(0, &block, &unit) == 0x1p-9, "normal factors do not");

    /* 1.5 1.5 = 2.25 has the exponent 0: with 1 bit, 2.25 is cut to 2. */
    {
        const double x[] = {1.5}, y[] = {1.5};
        attest_judge_block one = {x, y, 1, 1};

        attest_judge_unit_init(&unit, &half, &half, &single, 1);
        TAP_OK(attest_judge_unit_sum(0.5, &one, &unit) == 2, "products are not renormalised");
    }
    attest_judge_unit_init(&unit, &half, &half, &single, 24);
    c = attest_judge_unit_sum(-1, &(attest_judge_block){a + 1, a + 1, 1, 1}, &unit);
    TAP_OK(c == 0 && !signbit(c), "a sum of 0 is +0");
    TAP_OK(!attest_judge_unit_fits(&half, &half, &e4m3, 16, 25) &&
               !attest_judge_unit_fits(&half, &half, &single, 1000, 25) &&
               attest_judge_unit_fits(&half, &half, &single, 16, 25),
           "the formats and sizes of units");
    wide.precision = 25;
    wider.precision = 26;
    TAP_OK(attest_judge_unit_fits(&wide, &half, &single, 16, 25) &&
               !attest_judge_unit_fits(&half, &wider, &single, 16, 25),
           "products of factors of up to 25 bits");
}

/* A sum of block numbers below 2^(fraction + 2) must fit in a double with 16 bits left for the
 * spread of exponents: block 2^(fraction + 2) < 2^(53 - 16). */
static void check_sizes(void)
{
    attest_format half = format("binary16"), single = format("binary32");
    size_t wrong = 0, fit = 0;

    for (size_t block = 1; block <= JUDGE_LOOPS_TERMS; block++)
        for (size_t fraction = 1; fraction < 40; fraction++) {
            bool fits = ldexp((double)block, (int)fraction + 2) < 0x1p37;

            fit += fits;
            wrong += attest_judge_unit_fits(&half, &half, &single, block, fraction) != fits;
        }
    TAP_OK(wrong == 0 && fit > 0, "%zu sizes fit; %zu are classified wrongly", fit, wrong);
}

TEST(matrix_unit)
{
    uint64_t state = tap_seed(1);

    check_directed();
    check_sizes();
    check_random(&state);
    return 0;
}
