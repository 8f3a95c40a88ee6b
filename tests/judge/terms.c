/* terms.c -- rows without bounds; parts of the bound that are not named terms (those are in
 * tests/bounds/t-judge): kernels come near it; contributions of the stages. */
#include <math.h>
#include <stdlib.h>

#include "judge/model.h"
#include "judge/head_bound.h"
#include "tests/judge/scene.h"
#include "tests/tap.h"

static void expect(scene *x, double least, const char *name)
{
    double part = scene_measure(x);

    TAP_OK(part <= 1 && part >= least, "%s: kernels reach %.3f of the bound, at least %.2f",
           name, part, least);
}

static void expect_nothing(scene *x, const char *name)
{
    double b[4];

    scene_get_bound(b, x);
    TAP_OK(b[0] == (double)-INFINITY && b[1] == (double)INFINITY, "%s: no bound", name);
}

static void expect_something(scene *x, const char *name)
{
    double b[4];

    scene_get_bound(b, x);
    TAP_OK(isfinite(b[0]) && isfinite(b[1]), "%s: a bound", name);
}

/* Two equal keys with the values 1 and -1. */
static void two_keys(scene *x)
{
    x->value[0] = 1;
    x->value[1] = -1;
}

/* ---- kernels near the bound ---- */

/* Quotient, tanh and product are just above half the least number. */
static void softcap_case(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.qkv.softcap = "1";
    x.v.softcap_stored = true;
    x.v.softcap_store = scene_format("binary16");
    x.v.k = scene_format("binary32");
    x.direct = scene_push;
    x.q[0] = 0x1.02p-13;
    x.k[0] = 0x1p-12;
    x.k[1] = -x.k[0];
    x.trials = 1;
    expect(&x, 0.12, "softcap, least number of the store");
}

/* Two keys with the score 64 for any scale and factors. */
static double width_of(const char *scale, double q, double dim, double first, double second)
{
    static scene x;
    double b[4];

    scene_begin(&x, 2, (size_t)dim);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.qkv.scale = scale;
    for (size_t c = 0; c < (size_t)dim; c++)
        x.q[c] = 0;
    x.q[0] = q;
    x.k[0] = x.k[(size_t)dim] = 64;
    x.factor[0] = first;
    x.factor[1] = second;
    scene_get_bound(b, &x);
    return b[1] - b[0];
}

/* Sums of dim products are rounded so often, on either side and for either key, with a value of
 * 1 and a weight of 1/2. Products with a power of two are not rounded once more, others are. */
static void exact_scale_case(void)
{
    static const struct {
        const char *scale;
        double q, dim, first, second;
        bool exact;
    } c[] = {
        {"none", 1, 1, 0, 0, true},       {"1/4", 4, 1, 0, 0, true},
        {"2", 0.5, 1, 0, 0, true},        {"1/3", 3, 1, 0, 0, false},
        {"3", 0.34375, 1, 0, 0, false},   {"3/4", 1.5, 1, 0, 0, false},
        {NULL, 4, 16, 0, 0, true},        {NULL, 3, 9, 0, 0, false},
        {NULL, 2.828125, 8, 0, 0, false}, {"1/4", 4, 1, 8, 0.125, true},
        {"1/4", 2, 1, 1, 2, true},        {"1/4", 4, 1, 1.5, 0.75, false},
        {"3/4", 1.5, 1, 1, 1, false},
    };
    const double rounded = 64 * 0x1p-24;
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        double width = width_of(c[i].scale, c[i].q, c[i].dim, c[i].first, c[i].second);

        wrong += c[i].exact ? !(width < (2 * c[i].dim + 0.5) * rounded)
                            : !(width > (2 * c[i].dim + 1.5) * rounded);
    }
    TAP_OK(wrong == 0, "scales that are powers of two do not round: %zu wrong", wrong);
}

static void vary_weight(scene *x, uint64_t *state)
{
    x->k[0] = scene_round(-3 - scene_uniform(state), "binary32");
}

static void divided_cast_case(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.value[0] = 1;
    x.vary = vary_weight;
    x.trials = 200;
    expect(&x, 0.8, "cast, of divided weights");
}

/* An exponential below 2^-126 may be that number before it is multiplied by 2^8. */
static void vary_flushed_cast(scene *x, uint64_t *state)
{
    x->k[0] = scene_round(-90 - 3 * scene_uniform(state), "binary32");
}

static void known_flush_case(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.v.offset = 8;
    x.v.v = scene_format("binary64");
    x.value[0] = 0x1p100;
    x.direct = scene_push;
    x.vary = vary_flushed_cast;
    expect(&x, 0.9, "cast, exponentials flushed before the offset");
}

static void any_output(attest_judge_recipe *r)
{
    r->output = ATTEST_RECIPE_PUSH;
}

static void output_cases(void)
{
    static scene x;

    scene_begin(&x, 3, 1);
    x.value[0] = 1;
    x.v.output = scene_format("bfloat16");
    expect(&x, 0.95, "output, to nearest");
    x.v.output_any = true;
    x.direct = any_output;
    expect(&x, 0.95, "output, to either side");
}

static double draw_factor(uint64_t *state)
{
    return scene_round(1 + scene_uniform(state) / 128, "binary32");
}

static void vary_output(scene *x, uint64_t *state)
{
    for (size_t j = 0; j < x->keys; j++)
        x->value[j] = draw_factor(state);
    x->factor[2] = draw_factor(state);
}

static void factor_cases(void)
{
    static scene x;

    scene_begin(&x, 3, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.vary = vary_output;
    x.direct = scene_push;
    x.trials = 600;
    expect(&x, 0.75, "the factor of the output");
    scene_begin(&x, 1, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.offset = -100;
    x.factor[2] = 0x1p40;
    expect_nothing(&x, "a factor that overflows over the row sum");
    x.v.offset = 100;
    x.factor[2] = 0x1p-40;
    expect_nothing(&x, "a factor that is subnormal over it");
}

/* ---- rows without bounds ---- */

/* Thirty keys whose products with V add up to 90 000, more than binary16 holds, and one that
 * weighs e^20 times as much: with it in front of them they add nearly nothing. */
static void moment_cases(void)
{
    static scene x;
    double b[4];

    scene_begin(&x, 31, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.pv.accumulate = x.v.v = scene_format("binary16");
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    for (size_t j = 0; j < 30; j++)
        x.value[j] = 3000;
    x.k[30] = 20;
    expect_nothing(&x, "the sum may overflow before the maximum is raised");
    x.v.direction = ATTEST_JUDGE_DIRECTION_BACKWARD;
    scene_get_bound(b, &x);
    TAP_OK(b[1] < 1, "no overflow if the largest score comes first");
    x.v.max = ATTEST_JUDGE_MAX_TWO_PASS;
    scene_get_bound(b, &x);
    TAP_OK(b[1] < 1, "no overflow if the maximum is known before");
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.direction = ATTEST_JUDGE_DIRECTION_ANY;
    expect_nothing(&x, "no bound for tiles in any order");
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.tile = 31;
    scene_get_bound(b, &x);
    TAP_OK(b[1] < 1, "a tile has one reference");
}

static void overflow_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.q = x.v.scaled_query = scene_format("float8_e4m3fn");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "2";
    x.q[0] = 448;
    x.k[0] = x.k[1] = 0x1p-9;
    expect_nothing(&x, "a query overflows its format");
    scene_begin(&x, 230, 1); /* 256 times the value: 273 each, rounded up to 288 */
    x.v.pv.accumulate = x.v.v = scene_format("binary16");
    for (size_t j = 0; j < 230; j++)
        x.value[j] = 273.0 / 256;
    x.v.offset = 8;
    expect_nothing(&x, "a sum that overflows when it is rounded");
    scene_begin(&x, 2, 1); /* 65520 and more are no numbers of binary16 */
    x.v.output = scene_format("binary16");
    x.v.exp_relative = 0x1p-10;
    x.value[0] = 65520 + 3000;
    x.value[1] = 65520 - 3000;
    expect_nothing(&x, "an output that may overflow its format, and may not");
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.v = scene_format("binary64");
    x.value[0] = x.value[1] = 1e300;
    expect_nothing(&x, "a quotient that overflows the working format");
    x.value[0] = 5e38;
    x.value[1] = -5e38;
    x.v.splits = 2;
    expect_nothing(&x, "parts that overflow the working format");
}

/* Accumulators that hold more than the working format, which weights come from and outputs go
 * to. */
static void wide_cases(void)
{
    static scene x;

    scene_begin(&x, 8, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.offset = 200;
    expect_nothing(&x, "weights beyond the working format");
    x.v.offset = 100;
    for (size_t j = 0; j < 8; j++)
        x.value[j] = 0x1p100;
    expect_nothing(&x, "a product whose quotient is taken before the offset is");
    x.v.offset = 0;
    for (size_t j = 0; j < 8; j++)
        x.value[j] = 0x1.8p126;
    x.v.splits = 4;
    expect_nothing(&x, "outputs of parts whose sum overflows");
    for (size_t j = 0; j < 8; j++)
        x.value[j] = 0x1p100;
    x.factor[2] = 0x1p26;
    expect_nothing(&x, "outputs of parts, times the factor of v, likewise");
}

/* Constants, differences and reciprocals that are no normal numbers of the working format. */
static void working_range_cases(void)
{
    static const char *const scale[] = {"1e-40", "1e-50", "3e38", "1e39"};
    static const char *const cap[] = {"1e-40", "1e-50", "3e38"};
    static scene x;

    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    for (size_t i = 0; i < 4; i++) {
        x.qkv.scale = scale[i];
        expect_nothing(&x, "a scale that binary32 does not know well");
    }
    x.qkv.scale = "none";
    for (size_t i = 0; i < 3; i++) {
        x.qkv.softcap = cap[i];
        expect_nothing(&x, "a softcap that it does not know well");
    }
    x.qkv.scale = "0x1p-100";
    x.qkv.softcap = "0x1p100";
    expect_nothing(&x, "a scale over a softcap that it does not know well");
    scene_begin(&x, 2, 1); /* 2^127 and its negative: scores 16 apart, references infinitely */
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.qkv.scale = "0x1p-124";
    x.k[0] = -0x1p127;
    x.k[1] = 0x1p127;
    x.value[0] = 0x1p40;
    expect_nothing(&x, "two references whose difference overflows");
    x.k[0] = -0x1p127 * (1 - 0x1p-11);
    x.k[1] = 0x1p127 * (1 - 0x1p-11);
    expect_nothing(&x, "one that may overflow when it is rounded");
    x.k[0] = -0x1p127 * (1 - 0x3p-11);
    x.k[1] = 0x1p127 * (1 - 0x3p-11);
    expect_something(&x, "one that is a part of 600 below that");
    x.v.scale = ATTEST_JUDGE_SCALE_SCORE;
    x.k[0] = -0x1p127;
    x.k[1] = 0x1p127;
    expect_something(&x, "scores that are multiplied by the scale before they are references");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.qkv.scale = "0x1p-118";
    x.qkv.softcap = "30";
    expect_something(&x, "scores under a cap");
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.offset = 125;
    x.value[0] = x.value[1] = 1;
    expect_nothing(&x, "a row sum whose reciprocal is subnormal");
    scene_begin(&x, 1, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.offset = 125;
    x.value[0] = 1;
    x.v.final_relative = 0.6;
    expect_nothing(&x, "one whose reciprocal is subnormal after its error");
}

/* Sums that are beyond their format, or 0: a kernel then returns no number. */
static void sum_range_cases(void)
{
    static scene x;

    scene_begin(&x, 1, 1); /* e^12 in the row sum, P being 2^-4 e^x */
    x.v.sum_accumulate = scene_format("binary16");
    x.v.offset = -4;
    x.value[0] = 1;
    x.sunk = true;
    x.sink = 12;
    expect_nothing(&x, "a sink that overflows a sum without the offset");
    x.v.offset = 15;
    x.sink = -0x1p-14; /* 2^15 (1 + 1 - 2^-14) is beyond 65520 */
    expect_nothing(&x, "a key and a sink that overflow a sum together");
    scene_begin(&x, 2, 1);
    x.v.sum_accumulate = scene_format("binary16");
    x.v.offset = 14;
    x.value[0] = 1;
    x.sunk = true;
    x.sink = -20; /* it counts as 1 at most */
    expect_something(&x, "two keys and a sink that do not");
    scene_begin(&x, 2,
                1); /* the maximum begins at the sink and stays: P is 2^4 e^4, beyond 448 */
    two_keys(&x);
    x.v.p = scene_format("float8_e4m3fn");
    x.v.cast = true;
    x.v.offset = 4;
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.threshold = 7;
    x.sunk = true;
    x.sink = -4;
    expect_nothing(&x, "a sink below the scores, which the reference begins with");
    scene_begin(&x, 2, 1); /* fl(m k) is off by 2^9: exp2 gives 0, and the part is 0/0 */
    two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.splits = 2;
    x.biased = true;
    x.mask[1] = -0x1.2p33;
    expect_nothing(&x, "two passes, a part whose reference is rounded far away");
    scene_begin(&x, 2, 1);
    x.v.sum_accumulate = scene_format("binary16");
    x.v.offset = -40;
    expect_nothing(&x, "a row sum that is flushed");
    x.v.sum_accumulate = scene_format("binary64");
    x.v.splits = 2;
    x.v.cast = true;
    x.v.p = scene_format("binary16");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    expect_nothing(&x, "a part whose cast weights are flushed");
}

/* Groups of quantised weights that may be too small for their scale. */
static void group_cases(void)
{
    static const char *const scheme[] = {"int8:per-token", "q8_0"};
    static scene x;

    for (size_t i = 0; i < sizeof scheme / sizeof scheme[0]; i++) {
        scene_begin(&x, 2, 1);
        two_keys(&x);
        x.v.cast = true;
        x.v.p = scene_format("binary32");
        if (attest_block_parse(&x.v.p_scheme, scheme[i], NULL) != ATTEST_OK)
            abort();
        x.k[0] = -1;
        expect_something(&x, scheme[i]);
        x.k[0] = -200;
        expect_nothing(&x, "where a group may be a key of weight e^-200");
    }
}

/* ---- sums ---- */

/* 1 if the sums over values and weights, without a sink, bound what they stand for. */
static double sums_hold(const scene *x, const attest_judge_work *row,
                        const attest_judge_rule *rule)
{
    double size = 0, cast = 0, low = 0, high = 0, lost = 0;

    (void)rule;
    for (size_t j = 0; j < x->keys; j++) {
        size += row->weight_size[j] * fabs(x->value[j]);
        cast += row->cast[j] * fabs(x->value[j]);
        low += row->low[j];
        high += row->high[j];
        lost += row->low[j] == 0 ? row->high[j] : 0;
    }
    return !row->weight_reason && size > 0 && row->size_v[0] >= size &&
           row->cast_v[0] >= cast && row->sum_low <= low && row->sum_high >= high &&
           row->sum_low <= row->sum && row->sum <= row->sum_high && row->lost >= lost;
}

/* Casts, and not the weights, are 0 or far off. All weight is on a key whose value is 0. */
static void value_sum_cases(void)
{
    static const attest_judge_sum_of of[] = {ATTEST_JUDGE_SUM_UNCAST, ATTEST_JUDGE_SUM_CAST,
                                             ATTEST_JUDGE_SUM_ANY};
    static scene x;

    scene_begin(&x, 3, 1);
    x.biased = true;
    x.mask[1] = x.mask[2] = -5;
    x.value[2] = 1;
    x.v.cast = true;
    x.v.p = scene_format("float8_e4m3fn");
    for (size_t i = 0; i < 3; i++) {
        x.v.sum_of = of[i];
        TAP_OK(scene_get(&x, sums_hold) == 1,
               "sums of weights, of cast weights, of either: %zu", i);
    }
}

/* ---- stages ---- */

/* Two keys of weight 1/2 with the values 1 and -1, scores 1 + 1: the part of the scores is what
 * one score can be off. That is at most two roundings of partial sums up to 2, and the last sum
 * can be off by 2 u. */
static void score_stage_case(void)
{
    const double u = 0x1p-24;
    static const size_t at[4] = {0};
    static scene x;
    attest_judge_model model;
    attest_judge_terms terms;
    double b[4], part;

    scene_begin(&x, 2, 2);
    two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    for (size_t c = 0; c < 4; c++)
        x.k[c] = 1;
    scene_get_bound(b, &x); /* sets x.qkv */
    attest_judge_model_init(&model);
    model.variant = &x.v;
    model.variants = 1;
    if (attest_judge_terms_find(&terms, at, &x.qkv, &model, NULL) != ATTEST_OK)
        abort();
    part = terms.part[ATTEST_JUDGE_STAGE_SCORES] / u;
    TAP_OK(terms.set && part >= 2 && part <= 4 * (1 + 0x1p-20),
           "scores of 1 + 1 have %.6f unit roundoffs of the bound", part);
}

/* Two equal values: the output is that value except for one rounding, or twice the value. */
static void output_stage_case(void)
{
    static const size_t at[4] = {0};
    static scene x;
    attest_judge_model model;
    attest_judge_terms terms;
    double b[4], part[2];

    scene_begin(&x, 2, 1);
    x.value[0] = x.value[1] = 1.5;
    x.v.output = scene_format("bfloat16");
    for (int any = 0; any < 2; any++) {
        x.v.output_any = any;
        scene_get_bound(b, &x); /* sets x.qkv */
        attest_judge_model_init(&model);
        model.variant = &x.v;
        model.variants = 1;
        if (attest_judge_terms_find(&terms, at, &x.qkv, &model, NULL) != ATTEST_OK)
            abort();
        part[any] = terms.part[ATTEST_JUDGE_STAGE_OUTPUT] / (1.5 * 0x1p-8);
    }
    TAP_OK(fabs(part[0] - 1) < 1e-9 && fabs(part[1] - 2) < 1e-9,
           "outputs have %.6f unit roundoffs of the bound, %.6f to either side", part[0],
           part[1]);
}

TEST(terms)
{
    softcap_case();
    exact_scale_case();
    divided_cast_case();
    known_flush_case();
    output_cases();
    factor_cases();
    moment_cases();
    overflow_cases();
    wide_cases();
    working_range_cases();
    sum_range_cases();
    group_cases();
    value_sum_cases();
    score_stage_case();
    output_stage_case();
    return 0;
}
