/* weights_scheme.c -- quantised weights in intervals: for all weights between the ends, the
 * results lie between the computed ends. Weights of all sizes, down to scales that are no
 * longer normal numbers. */
#include <math.h>

#include "judge/kernel_instance.h"
#include "tests/judge/judge_cases.h"

enum { DRAWS = 8 };

/* A number of binary32 of about this power of two. */
static double draw_weight(uint64_t *state, int power)
{
    return (float)ldexp(1 + (double)case_pick(state, 1 << 20) * 0x1p-20, power);
}

/* A number of binary32 from lo to hi, which are such numbers. */
static double draw_between(uint64_t *state, double lo, double hi)
{
    double x = (float)(lo + (hi - lo) * (double)case_pick(state, 9) / 8);

    return fmin(fmax(x, lo), hi);
}

/* How many of the weights of one row leave their ends; *open grows by the ends that differ, and
 * *loose by those that the smallest weights, or the largest, do not reach. */
static size_t count_outside(attest_judge_instance *x, uint64_t *state, int power, size_t *open,
                            size_t *loose)
{
    size_t keys = x->problem->keys, outside = 0;
    attest_judge_tile tile = {0, 0, keys};
    double from[CASE_KEYS], to[CASE_KEYS], lo[CASE_KEYS], hi[CASE_KEYS], w[CASE_KEYS];
    double first[CASE_KEYS], second[CASE_KEYS], *const room[2] = {first, second};
    int wide = (int)case_pick(state, 12);

    for (size_t j = 0; j < keys; j++) {
        from[j] = draw_weight(state, power - (int)case_pick(state, 4));
        to[j] = (float)(from[j] * (1 + ldexp(1, -wide)));
        lo[j] = from[j];
        hi[j] = to[j];
    }
    if (!attest_judge_instance_quantise_ends(x, lo, hi, &tile, room))
        return 0;
    for (int t = 0; t < DRAWS; t++) {
        for (size_t j = 0; j < keys; j++)
            w[j] = t == 0 ? from[j] : t == 1 ? to[j] : draw_between(state, from[j], to[j]);
        attest_judge_instance_quantise(x, w, &tile);
        for (size_t j = 0; j < keys; j++) {
            *open += lo[j] < hi[j];
            *loose += (t == 0 && w[j] != lo[j]) || (t == 1 && w[j] != hi[j]);
            outside += !(lo[j] <= w[j] && w[j] <= hi[j]);
        }
    }
    return outside;
}

static void check_scheme(const char *name, uint64_t *state)
{
    size_t outside = 0, open = 0, loose = 0;

    for (size_t t = 0; t < 300; t++) {
        attest_judge_recipe recipe;
        attest_judge_instance x;
        judge_case c;

        case_init(&c, state, t % CASE_KINDS);
        if (attest_block_parse(&c.variant.p_scheme, name, NULL) != ATTEST_OK)
            abort();
        c.variant.cast = true;
        c.variant.p = case_format("binary32");
        attest_judge_recipe_from_schedule(&recipe, &c.variant, &c.schedule);
        if (attest_judge_instance_init(&x, &c.problem, &c.variant, &recipe, NULL) ==
            ATTEST_OK) {
            outside += count_outside(&x, state, -(int)case_pick(state, 8), &open, &loose);
            outside += count_outside(&x, state, -(int)case_pick(state, 140), &open, &loose);
            attest_judge_instance_clear(&x);
        }
        case_clear(&c);
    }
    TAP_OK(outside == 0 && open > 0, "%s: %zu of the weights between %zu ends leave them", name,
           outside, open);
    if (strstr(name, "scale="))
        TAP_OK(loose == 0, "%s: a fixed scale gives the ends themselves, %zu do not", name,
               loose);
}

TEST(weights_scheme)
{
    static const char *const scheme[] = {"int8:per-token",
                                         "int8:ct2",
                                         "int8:ct2-trunc",
                                         "q8_0",
                                         "q4_0",
                                         "mxfp4:mx",
                                         "mxfp4:vllm",
                                         "mxfp8_e4m3fn:te",
                                         "mxfp8_e4m3fn:mx-even",
                                         "e4m3:per-token",
                                         "e5m2:per-token",
                                         "e2m1:per-token:range=8",
                                         "e4m3:scale=0.125"};
    uint64_t state = tap_seed(0x5ca1e);

    for (size_t s = 0; s < sizeof scheme / sizeof *scheme; s++)
        check_scheme(scheme[s], &state);
    flint_cleanup();
    return 0;
}
