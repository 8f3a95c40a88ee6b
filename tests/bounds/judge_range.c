/* judge_range.c -- rows of the terms of thresholds and depths, proofs-notes/judge.md, "Range".
 */
#include <math.h>

#include <attest/flint.h>

#include "judge/loops.h"
#include "judge/range.c"
#include "tests/bounds/judge_rows.h"

static scene x;

/* Two keys in tiles of their own, a lazy maximum, P in binary16. */
static void begin(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.threshold = 1;
    x.v.cast = true;
    x.v.p = scene_format("binary16");
    x.k[0] = -2;
}

/* The threshold that is proved to be safe. */
static double get_threshold(const scene *s, const attest_judge_work *row,
                            const attest_judge_rule *rule)
{
    attest_judge_ranges r;
    double proved;

    (void)s;
    attest_judge_ranges_init(&r);
    set_safe(&r, row, rule, 0);
    proved = r.threshold_proved;
    attest_judge_ranges_clear(&r);
    return proved;
}

/* At the threshold, P is above it by the error of exp. */
static double range_slack(void)
{
    begin();
    x.v.exp_relative = 0x1p-5;
    return log2(1 + x.v.exp_relative) / (log2(65520) - scene_get(&x, get_threshold));
}

/* Two scores 2^13, off by nearly half a unit: the reference is above both. */
static double get_top(const scene *s, const attest_judge_work *row,
                      const attest_judge_rule *rule)
{
    attest_judge_work two = *row;
    double t[2] = {0x1p13, 0x1p13}, g[2] = {0}, ends[3];
    double delta[2] = {0x1p-40 * (1 - 0x1p-10), 0x1p-40 * (1 - 0x1p-10)};

    (void)s, (void)rule;
    attest_judge_loops()->extremes(ends, t, delta, 2);
    two.t = t;
    two.g = g;
    two.top = ends[0];
    return delta[0] / deepest(&two);
}

static double range_top(void)
{
    begin();
    return scene_get(&x, get_top);
}

/* Differences in binary32, times log2 e in binary32: the largest one that does not raise the
 * reference, for thresholds up to 116. */
static double range_roundings(void)
{
    const float factor = (float)LOG2_E;
    double worst = 0;

    begin();
    x.v.score.accumulate = scene_format("binary32");
    for (x.v.offset = -100; x.v.offset <= 0; x.v.offset++) {
        double proved = scene_get(&x, get_threshold);
        float apart = (float)(proved / 1.4);

        while (apart * factor > proved)
            apart = nextafterf(apart, 0);
        worst = fmax(worst,
                     (apart * LOG2_E - proved) / (log2(65520) - (double)x.v.offset - proved));
    }
    return worst;
}

/* The part of 2^-40 that the evaluation takes: nothing rounds in the kernel. */
static double range_evaluation(void)
{
    double worst = 0;
    arb_t exact, t;

    begin();
    x.exact = true;
    arb_init(exact), arb_init(t);
    arb_set_ui(exact, 65520);
    arb_log_base_ui(exact, exact, 2, BITS);
    for (x.v.offset = -1000; x.v.offset <= 0; x.v.offset += 100) {
        arb_set_d(t, scene_get(&x, get_threshold));
        arb_add_si(t, t, x.v.offset, BITS);
        arb_sub(t, exact, t, BITS);
        worst = fmax(worst, 1 - 0x1p40 * arf_get_d(arb_midref(t), ARF_RND_DOWN));
    }
    arb_clear(exact), arb_clear(t);
    return worst;
}

/* The exponential of the key that is farther from the largest errs downward. */
static double get_depth(const scene *s, const attest_judge_work *row,
                        const attest_judge_rule *rule)
{
    (void)rule;
    return -log1p(-s->v.exp_relative) / (deepest(row) + s->k[0]);
}

static double range_depth(void)
{
    begin();
    x.v.max = ATTEST_JUDGE_MAX_TWO_PASS;
    x.v.threshold = 0;
    x.v.exp_relative = 0x1p-5;
    return scene_get(&x, get_depth);
}

/* The largest offset that is safe. */
static double get_largest(const scene *s, const attest_judge_work *row,
                          const attest_judge_rule *rule)
{
    attest_judge_ranges r;
    double largest;

    (void)s;
    attest_judge_ranges_init(&r);
    set_safe(&r, row, rule, 0);
    largest = r.largest_offset;
    attest_judge_ranges_clear(&r);
    return largest;
}

static double get_slack(const scene *s, const attest_judge_work *row,
                        const attest_judge_rule *rule)
{
    (void)s, (void)rule;
    return row->argument_slack * LOG2_E;
}

static double get_overflow(const scene *s, const attest_judge_work *row,
                           const attest_judge_rule *rule)
{
    (void)s;
    return !(row->most_weight < rule->p.limit);
}

/* Offsets of P in bfloat16; references, which the offset is added to, are rounded in binary32.
 */
static void begin_offsets(void)
{
    begin();
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.p = scene_format("bfloat16");
}

/* A threshold that leaves room for the offset 127 and for half of its rounding error. */
static double range_largest_moved(void)
{
    double limit = 128 + log2(1 - 0x1p-9), slack, growth;

    begin_offsets();
    slack = scene_get(&x, get_slack);
    x.v.offset = 127;
    growth = scene_get(&x, get_slack) - slack;
    x.v.offset = 0;
    x.v.threshold = (limit - 127 - slack - growth / 2) / (1 + 64 * 0x1p-24);
    x.v.offset = (long)scene_get(&x, get_largest);
    return scene_get(&x, get_overflow) != 0 ? INFINITY : growth / 0x1p-9;
}

/* The exponent of the least weight, as a power of two. */
static double get_least(const scene *s, const attest_judge_work *row,
                        const attest_judge_rule *rule)
{
    (void)s;
    return (double)rule->variant->offset - deepest(row) * LOG2_E;
}

/* The least offset that is safe. */
static double get_smallest(const scene *s, const attest_judge_work *row,
                           const attest_judge_rule *rule)
{
    attest_judge_ranges r;
    double smallest;

    (void)s;
    attest_judge_ranges_init(&r);
    set_safe(&r, row, rule, deepest(row));
    smallest = r.smallest_offset;
    attest_judge_ranges_clear(&r);
    return smallest;
}

/* The least weight of the offset -131 is 2^-134, half the least number, and half of what the
 * offset is rounded by. */
static double range_smallest_moved(void)
{
    double least, growth;

    begin_offsets();
    least = scene_get(&x, get_least);
    x.v.offset = -131;
    growth = least - 131 - scene_get(&x, get_least);
    x.v.offset = 0;
    x.k[0] += (float)((-3 + growth / 2 - least) / LOG2_E);
    x.v.offset = (long)scene_get(&x, get_smallest);
    return scene_get(&x, get_least) > -134 ? growth / 0x1p-9 : INFINITY;
}

/* Returns whether any threshold is safe for two scores that are s->mask[0] apart. */
static double get_any(const scene *s, const attest_judge_work *row,
                      const attest_judge_rule *rule)
{
    attest_judge_work two = *row;
    double t[2] = {-s->mask[0], 0}, delta[2] = {0};
    attest_judge_ranges r;
    bool any;

    two.t = t;
    two.delta = delta;
    two.top = 0;
    attest_judge_ranges_init(&r);
    r.any_threshold = true;
    set_safe(&r, &two, rule, 0);
    any = r.any_threshold;
    attest_judge_ranges_clear(&r);
    return any;
}

/* As range_roundings: the largest difference for which any threshold is safe. */
static double range_far(void)
{
    const float factor = (float)LOG2_E;
    double worst = 0;

    begin();
    x.v.score.accumulate = scene_format("binary32");
    for (x.v.offset = -240; x.v.offset <= -112; x.v.offset++) {
        double room = log2(65520) - (double)x.v.offset;
        float apart = (float)(room / LOG2_E);

        for (x.mask[0] = apart; scene_get(&x, get_any) == 0; x.mask[0] = apart)
            apart = nextafterf(apart, 0);
        worst = fmax(worst, (apart * factor - apart * LOG2_E) / (apart * LOG2_E * 0x1p-20));
        if (apart * factor >= room)
            return INFINITY;
    }
    return worst;
}

static const table_row rows[] = {
    {"range_slack", range_slack, 0.47,
     "As largest_exp: half of the term covers an exponential that errs once."},
    {"range_roundings", range_roundings, 0.008,
     "32 u are for the exponents of parts, 16 u of twice the threshold, and 8 u for the "
     "difference "
     "that is compared; here two roundings of the latter are reached."},
    {"range_evaluation", range_evaluation, 0,
     "Logarithms and three operations of doubles below 2^11 are off by 2^-41 at most."},
    {"range_far", range_far, 0.03,
     "16 u, as of twice the threshold; here the product with log2 e is rounded, once."},
    {"range_largest_moved", range_largest_moved, 0.02,
     "4 u of the offset, 2^-12 where it is 1000; here it is 127 and 131."},
    {"range_smallest_moved", range_smallest_moved, 0.02,
     "4 u of the offset, 2^-12 where it is 1000; here it is 127 and 131."},
    {"range_depth", range_depth, 0.9, NULL},
    {"range_top", range_top, 0.98, NULL},
};

void judge_run_range(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
