/* exp.c -- the exponential of every kernel against MPFR: error, special values, every lane,
 * length and alignment, the same bits everywhere. */
#include <attest/kernel.h>

#include "tests/kernel/exp-error.h"

#ifndef POINTS
#define POINTS 1000000
#endif
#define BLOCK 1000
#define LONGEST 35 /* 4 W + 3 for vectors of W = 8 */

static bool same_bits(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static void test_special(const char *name)
{
    static const double x[] = {0.0,
                               -0.0,
                               0x1p-1074,
                               -0x1p-1074,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               0x1.62e42fefa39efp+9, /* the largest with a finite result */
                               0x1.62e42fefa39f0p+9,
                               -0x1.74910d52d3051p+9, /* the least with a positive one */
                               -0x1.74910d52d3052p+9,
                               -0x1.6232bdd7abcd2p+9, /* about 2^-1022 */
                               1e308,
                               -1e308,
                               707.0,
                               708.0,
                               -707.5,
                               -708.0};
    enum { COUNT = sizeof x / sizeof x[0] };
    struct exp_error error;
    double y[COUNT], alone, worst = 0.0;
    bool same = true;

    exp_error_init(&error);
    attest_kernel_exp(y, x, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double ulps = exp_error_ulps(&error, x[i], y[i]);

        if (!(ulps <= ATTEST_KERNEL_EXP_ULP))
            printf("# exp(%a) = %a: %g ulp\n", x[i], y[i], ulps);
        worst = ulps <= worst ? worst : ulps;
        attest_kernel_exp(&alone, x + i, 1);
        same = same && (same_bits(&alone, y + i, 1) || isnan(x[i]));
    }
    TAP_OK(worst <= ATTEST_KERNEL_EXP_ULP, "%s: special values", name);
    TAP_OK(same, "%s: special values do not depend on their neighbours", name);
    TAP_OK(y[0] == 1.0 && y[1] == 1.0 && y[2] == 1.0 && y[3] == 1.0, "%s: exp(0) = 1", name);
    TAP_OK(y[7] < (double)INFINITY && y[8] == (double)INFINITY && y[9] == 0x1p-1074 &&
               y[10] == 0.0,
           "%s: the ends of the range", name);
    exp_error_clear(&error);
}

/* Values that leave the fast path, two in the same lane of different vectors: neither hides the
 * other from the range check. */
static void test_pairs(const char *name)
{
    static const uint64_t signalling = 0x7ff4000000000000;
    static const size_t apart[] = {4, 8, 12, 16, 24};
    double special[] = {0.0, NAN, INFINITY, -INFINITY, 1e300, -1e300, 709.0, -745.0, 2.0};
    enum { SPECIAL = sizeof special / sizeof special[0], SPAN = 32 };
    bool right = true;

    memcpy(special, &signalling, sizeof signalling);
    for (size_t trial = 0; trial < SPECIAL * SPECIAL * 5; trial++) {
        const size_t first = trial % 5, second = first + apart[trial / SPECIAL % 5];
        double x[SPAN], y[SPAN], alone;

        for (size_t i = 0; i < SPAN; i++)
            x[i] = 0.5;
        memcpy(x + first, special + trial % SPECIAL, sizeof *x);
        memcpy(x + second, special + trial / SPECIAL % SPECIAL, sizeof *x);
        attest_kernel_exp(y, x, SPAN);
        for (size_t i = 0; i < SPAN; i++) {
            attest_kernel_exp(&alone, x + i, 1);
            right = right && (same_bits(&alone, y + i, 1) || (isnan(alone) && isnan(y[i])));
        }
    }
    TAP_OK(right, "%s: special values in one lane do not hide each other", name);
}

/* Every length at every offset: the right values, nothing beside them touched. */
static void test_lengths(const char *name, uint64_t *state)
{
    double x[LONGEST + 8], y[LONGEST + 10], one[LONGEST + 8];
    bool right = true, inside = true;

    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < LONGEST + 8; i++) {
            /* Now and then a value that leaves the fast path, in any lane. */
            x[i] = tap_random(state) % 40 ? -40.0 * (double)(tap_random(state) >> 11) * 0x1p-53
                                          : exp_error_sample(state);
            attest_kernel_exp(one + i, x + i, 1);
        }
        for (size_t length = 0; length <= LONGEST; length++) {
            for (size_t offset = 0; offset < 8; offset++) {
                for (size_t i = 0; i < LONGEST + 10; i++)
                    y[i] = -7.0;
                attest_kernel_exp(y + 1 + (offset + 3) % 8, x + offset, length);
                right = right && same_bits(y + 1 + (offset + 3) % 8, one + offset, length);
                for (size_t i = 0; i < LONGEST + 10; i++)
                    inside = inside && (y[i] == -7.0 || (i > (offset + 3) % 8 &&
                                                         i < 1 + (offset + 3) % 8 + length));
            }
        }
    }
    TAP_OK(right, "%s: lengths 0..%d at every alignment", name, LONGEST);
    TAP_OK(inside, "%s: nothing else is written", name);
}

static void test_points(const char *name, uint64_t seed, size_t points)
{
    static double x[BLOCK], y[BLOCK], scalar[BLOCK];
    struct exp_error error;
    uint64_t state = seed;
    double worst = 0.0, where = 0.0;
    bool same = true, aliased = true;

    exp_error_init(&error);
    for (size_t done = 0; done < points; done += BLOCK) {
        for (size_t i = 0; i < BLOCK; i++)
            x[i] = exp_error_sample(&state);
        attest_kernel_exp(y, x, BLOCK);
        for (size_t i = 0; i < BLOCK; i++) {
            double ulps;

            /* MPFR for every 50th point, and for those that may be the worst so far. */
            if ((done + i) % 50 != 0 && exp_error_estimate(x[i], y[i]) <= worst)
                continue;
            ulps = exp_error_ulps(&error, x[i], y[i]);
            where = ulps <= worst ? where : x[i];
            worst = ulps <= worst ? worst : ulps;
        }
        if (attest_kernel_select("scalar") == ATTEST_OK)
            attest_kernel_exp(scalar, x, BLOCK);
        if (attest_kernel_select(name) == ATTEST_OK)
            attest_kernel_exp(x, x, BLOCK);
        for (size_t i = 0; i < BLOCK; i++) {
            same =
                same && (same_bits(y + i, scalar + i, 1) || (isnan(y[i]) && isnan(scalar[i])));
            aliased = aliased && (same_bits(y + i, x + i, 1) || isnan(y[i]));
        }
    }
    TAP_OK(worst <= ATTEST_KERNEL_EXP_ULP, "%s: %zu points, at most %.4f ulp (at %a)", name,
           points, worst, where);
    TAP_OK(same, "%s: the same bits as scalar", name);
    TAP_OK(aliased, "%s: y may be x", name);
    exp_error_clear(&error);
}

TEST(exp)
{
    uint64_t seed = tap_seed(0x5eed0002), state = seed;
    const char *trials = getenv("ATTEST_TRIALS");
    size_t points = trials && *trials ? strtoull(trials, NULL, 0) : POINTS;
    size_t kernels = 0;

    while (attest_kernel_list(kernels))
        kernels++;
    for (size_t i = 0; i < kernels; i++) {
        const char *name = attest_kernel_list(i);

        if (!TAP_OK(attest_kernel_select(name) == ATTEST_OK, "select %s", name))
            continue;
        test_special(name);
        test_pairs(name);
        test_lengths(name, &state);
        test_points(name, seed + i, points / kernels);
    }
    return 0;
}
