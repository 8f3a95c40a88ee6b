/* t-judge-terms.c -- kernels that need the terms of the bound that weights, sums and the
 * quotient have, (3) to (6), one by one; and where nothing may be said. */
#include "tests/judge/expect.h"

#include <math.h>
#include <stdlib.h>

#include "data/judge_model.h"
#include "judge/terms.h"

/* 1 if the sums over values and weights, without a sink, bound what they stand for. */
static double sums_hold(const scene *x, const attest_judge_work *row, const attest_judge_rule *rule)
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
    return !row->weight_reason && size > 0 && row->size_v[0] >= size && row->cast_v[0] >= cast &&
           row->sum_low <= low && row->sum_high >= high && row->sum_low <= row->sum &&
           row->sum <= row->sum_high && row->lost >= lost;
}

/* (5): the error of the product with V, over the sum of weights times |v|. */
static double product_error(const scene *x, const attest_judge_work *row, const attest_judge_rule *rule)
{
    (void)x;
    (void)rule;
    return row->product[0] / row->size_v[0];
}

static void fused_offset(attest_judge_recipe *r)
{
    r->argument = ATTEST_RECIPE_FOLDED;
    r->offset_inside = true;
    r->tile = 1;
    r->cuts = 0;
}

static void flushed(attest_judge_recipe *r)
{
    r->flush = true;
    r->tile = 1;
    r->cuts = 0;
}

static void all_parts(attest_judge_recipe *r)
{
    scene_push(r);
    flushed(r);
    r->splits = 4;
    r->split_divides_last = false;
}

/* Keys 0 and 1 are equal but for what rounding does to the first; v = 1, -1. */
static void two_keys(scene *x)
{
    x->value[0] = 1;
    x->value[1] = -1;
}

/* ---- (3): weights. Key 0 is small, its value is all there is ---- */

static void vary_far(scene *x, uint64_t *state)
{
    x->k[0] = scene_round(-150 - 90 * scene_uniform(state), "binary32");
    x->k[1] = scene_round(scene_uniform(state), "binary32");
}

static void vary_close(scene *x, uint64_t *state)
{
    x->q[0] = scene_round(1 + scene_uniform(state) / 256, "bfloat16");
    x->k[0] = scene_round(514 + scene_uniform(state), "binary32");
    x->k[1] = scene_round(x->k[0] + 0.1 * scene_uniform(state), "binary32");
}

static void weight_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_SCORE;
    x.qkv.scale = "1431655767/4294967296"; /* about 1/3 */
    x.value[0] = 0x1p100;
    x.vary = vary_far;
    x.direct = scene_push;
    x.trials = 300;
    expect(&x, 0.5, "argument of exp");
    scene_begin(&x, 16, 1);
    x.v.k = scene_format("binary32");
    x.v.exp_relative = 0x1p-10;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.value[0] = 0x1p60;
    for (size_t j = 0; j < 16; j++)
        x.k[j] = (double)j;
    x.direct = scene_one_by_one;
    expect(&x, 0.75, "exponentials of rescales, tiles known");
    x.v.direction = ATTEST_JUDGE_DIRECTION_ANY;
    expect(&x, 0.4, "exponentials of rescales, tiles not known");
    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.offset = 8;
    x.qkv.scale = "702/1000";
    x.direct = fused_offset;
    x.vary = vary_close;
    x.trials = 1000;
    expect(&x, 0.15, "references rounded anew");
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.v = scene_format("binary64");
    x.value[0] = 0x1p100;
    x.k[0] = -88;
    x.direct = flushed;
    expect(&x, 0.1, "exponentials that are flushed");
}

/* Scores that fall from tile to tile, by terms that a sum loses: a kernel's rise. */
static void rising_case(void)
{
    static scene x;

    scene_begin(&x, 16, 64);
    x.v.score.accumulate = x.v.k = scene_format("binary16");
    x.v.exp_relative = 0x1p-6;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.value[0] = 1;
    for (size_t j = 0; j < 16; j++) {
        x.k[j * 64] = 1 + ldexp((double)j, -10);
        for (size_t c = 1; c < 49 - 3 * j; c++)
            x.k[j * 64 + c] = 0x1.fcp-12;
    }
    x.direct = scene_one_by_one;
    expect(&x, 0.2, "tiles that only rounding makes rise");
}

static void split_cases(void)
{
    static scene x;

    scene_begin(&x, 4, 1);
    x.v.splits = 4;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.direct = all_parts;
    x.value[0] = x.value[1] = 1;
    x.value[2] = x.value[3] = -1;
    x.v.split_log = 0x1p-9;
    expect(&x, 0.9, "splits, logarithms");
    x.v.split_log = 0;
    x.v.score.accumulate =
        scene_format("binary32"); /* those of binary64 are simulated exactly */
    x.v.final_relative = 0x1p-9;
    x.k[0] = -20;
    x.value[0] = 0x1p60;
    x.value[1] = x.value[2] = x.value[3] = 0;
    expect(&x, 0.6, "splits, divisions");
    scene_begin(&x, 4, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.v = scene_format("binary64");
    x.v.splits = 4;
    x.direct = all_parts;
    for (size_t j = 0; j < 4; j++)
        x.value[j] = 0x1.fp-125;
    expect(&x, 0.3, "splits, products that are flushed");
}

/* ---- (4): casts ---- */

static void vary_weight(scene *x, uint64_t *state)
{
    x->k[0] = scene_round(-3 - scene_uniform(state), "binary32");
}

static void cast_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    x.v.k = scene_format("binary32");
    x.v.max = ATTEST_JUDGE_MAX_LAZY; /* the reference is not known */
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.value[0] = 1;
    x.vary = vary_weight;
    x.trials = 200;
    expect(&x, 0.8, "cast, relative");
    x.v.p = scene_format("float8_e4m3fn");
    x.vary = NULL;
    x.k[0] = -6.9375; /* just below half the least number */
    expect(&x, 0.9, "cast, least number");
    x.v.offset = 8;
    x.k[0] = -12.4844;
    expect(&x, 0.9, "cast, least number with an offset");
    x.v.offset = 0;
    x.v.p = scene_format("bfloat16");
    x.v.max = ATTEST_JUDGE_MAX_TWO_PASS;
    x.vary = vary_weight;
    expect(&x, 0.9, "cast, reference known");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    expect(&x, 0.8, "cast, of divided weights");
}

/* Weights that are quantised beside one of 1: the part of themselves, and that of the largest.
 */
static void scheme_case(const char *scheme, double least, double part)
{
    static scene x;
    attest_error error;
    char name[96];

    scene_begin(&x, 2, 1);
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("binary32");
    if (attest_block_parse(&x.v.p_scheme, scheme, &error) != ATTEST_OK)
        abort();
    x.value[0] = 1;
    x.k[0] = least;
    x.vary = least == 0 ? vary_weight : NULL;
    x.trials = least == 0 ? 300 : 1;
    snprintf(name, sizeof name, "weights by %s", scheme);
    expect(&x, part, name);
}

static void scheme_cases(void)
{
    scheme_case("mxfp8_e4m3fn:te", 0, 0.8);
    scheme_case("mxfp4:vllm", -2.80, 0.7); /* e^-2.80 is just below a fourth of a half */
    scheme_case("int8:per-token", 0, 0.8);
    scheme_case("int8:ct2-trunc", 0, 0.8);
    scheme_case("q4_0", -2.773, 0.8);                    /* just below half of an eighth */
    scheme_case("float8_e4m3fn:scale=0.25", -8.32, 0.8); /* half of the least number */
}

/* The largest weight is 1; seven are rounded alike, the last one has the value. */
static void vary_equal(scene *x, uint64_t *state)
{
    double k = scene_round(-0.655 - 0.038 * scene_uniform(state), "binary32");

    for (size_t j = 1; j < 8; j++)
        x->k[j] = k;
    x->k[8] = scene_round(-0.655 - 0.038 * scene_uniform(state), "binary32");
}

static void cast_sum_case(void)
{
    static scene x;

    scene_begin(&x, 9, 1);
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    x.value[8] = 1;
    x.vary = vary_equal;
    x.trials = 200;
    expect(&x, 0.6, "cast, in the row sum");
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
    expect(&x, 0.1, "cast, exponentials flushed before the offset");
}

/* ---- (5), (6): sums, quotient, output ---- */

static void sum_cases(void)
{
    static scene x;

    scene_begin(&x, 64, 1);
    x.v.pv.accumulate = x.v.v = scene_format("binary16");
    x.v.pv.exact_products = false;
    x.direct = scene_in_order;
    for (size_t j = 0; j < 64; j++)
        x.value[j] = j == 0 ? 1 : 0x1.02p-11;
    expect(&x, 0.85, "product with V, any order");
    scene_begin(&x, 16,
                1); /* O stays where it is though it is made smaller, and grows by twice */
    x.v.k = scene_format("binary32");
    x.v.pv.accumulate = scene_format("binary16");
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.direct = scene_one_by_one;
    for (size_t j = 0; j < 16; j++) {
        x.k[j] = scene_round(0x1.bp-12 * (double)j, "binary32");
        x.value[j] = j == 0 ? 1.0625 : 0x1.02p-11;
    }
    expect(&x, 0.7, "product with V, rescales");
    scene_begin(&x, 64, 1);
    x.v.k = scene_format("binary32");
    x.v.sum_accumulate = scene_format("binary16");
    x.direct = scene_in_order;
    x.value[0] = 1;
    for (size_t j = 1; j < 64; j++)
        x.k[j] = -7.6171875; /* 0.0005, above 2^-11 */
    expect(&x, 0.85, "row sum, too large");
    for (size_t j = 1; j < 64; j++)
        x.k[j] = -7.6328125; /* below 2^-11 */
    expect(&x, 0.85, "row sum, too small");
    scene_begin(&x, 512, 1);
    x.v.k = scene_format("binary32");
    x.v.sum_accumulate = scene_format("binary16");
    x.v.lanes = 4;
    x.v.tile = 64;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.direct = NULL;
    x.value[0] = 1;
    for (size_t j = 1; j < 512; j++)
        x.k[j] = j % 4 ? -60 : -7.6171875;
    expect(&x, 0.7, "row sum, lanes");
}

static void any_output(attest_judge_recipe *r)
{
    r->output = ATTEST_RECIPE_PUSH;
}

static void last_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    x.value[0] = 1;
    x.v.score.accumulate = scene_format("binary32");
    x.v.final_relative = 0x1p-10;
    x.direct = scene_push;
    expect(&x, 0.95, "division");
    scene_begin(&x, 3, 1);
    x.value[0] = 1;
    x.v.output = scene_format("bfloat16");
    expect(&x, 0.95, "output, to nearest");
    x.v.output_any = true;
    x.direct = any_output;
    expect(&x, 0.95, "output, to either side");
}

/* Weights that are divided one by one by a sum of other exponentials: n keys, each e^-1/2 too
 * large by the error of exp in its weight and too small by it in the sum; every value is 1. */
static void apart_case(void)
{
    static scene x;
    double b[4], e = 0x1p-10, y = exp(-0.5), sum = 1, out, part;

    scene_begin(&x, 65, 1);
    x.v.exp_relative = e;
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    for (size_t j = 0; j < 65; j++) {
        x.k[j] = j == 0 ? 0 : -0.5;
        x.value[j] = 1;
        sum += j == 0 ? 0 : y * (1 - e * (1 - 0x1p-20));
    }
    out = 1 / sum + 64 * y * (1 + e * (1 - 0x1p-20)) / sum;
    scene_get_bound(b, &x);
    part = scene_part(out, b);
    TAP_OK(part <= 1 && part >= 0.6, "weights divided one by one: %.3f of the bound", part);
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

/* ---- factors of q, k and v ---- */

static double draw_factor(uint64_t *state)
{
    return scene_round(1 + scene_uniform(state) / 128, "binary32");
}

/* Factors whose product with this scale and log2 e, rounded four times, errs by almost three
 * unit roundoffs: one step more is still allowed. Scores are a little more than 64. */
static void vary_factors(scene *x, uint64_t *state)
{
    const double exact = 3047860608.0 / 4294967296, log2e = 0x1.71547652b82fep0;
    float scale = (float)((double)(float)exact * log2e);
    double most = 0;

    x->q[0] = draw_factor(state);
    x->k[1] = scene_round(scene_uniform(state), "binary32");
    for (int i = 0; i < 400; i++) {
        double q = draw_factor(state), k = draw_factor(state);
        double error = (double)(scale * (float)(q * k)) / (exact * log2e * (q * k)) - 1;

        if (error > most && error < 2.95 * 0x1p-24) {
            most = error;
            x->factor[0] = q;
            x->factor[1] = k;
            x->k[0] = -64 * (1 + scene_uniform(state) / 64) / ((double)scale * q * k);
            x->k[0] = scene_round(x->k[0], "binary32");
        }
    }
}

static void vary_output(scene *x, uint64_t *state)
{
    for (size_t j = 0; j < x->keys; j++)
        x->value[j] = draw_factor(state);
    x->factor[2] = draw_factor(state);
}

static void two_steps(attest_judge_recipe *r)
{
    scene_push(r);
    r->argument = ATTEST_RECIPE_FOLDED_TWO_STEP;
    r->scale_steps = 1;
}

static void factor_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    x.v.score.accumulate = x.v.q = x.v.k = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.qkv.scale = "3047860608/4294967296";
    x.value[0] = 0x1p100;
    x.vary = vary_factors;
    x.direct = two_steps;
    x.trials = 8000;
    expect(&x, 0.79, "factors in the argument of exp");
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

/* ---- where nothing may be said ---- */

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

/* All weight is on keys whose value is 0: what the others add is no part of their weights. */
static void value_sum_cases(void)
{
    scene x;

    scene_begin(&x, 3, 1);
    x.biased = true;
    x.mask[2] = -200; /* flushed */
    x.value[2] = 1;
    TAP_OK(scene_get(&x, sums_hold) == 1, "the value of a key that may be flushed counts");
    x.mask[2] = -20;
    x.v.cast = true;
    x.v.p = scene_format("binary16");
    TAP_OK(scene_get(&x, sums_hold) == 1, "the value of a key whose cast is a subnormal number counts");
    x.v.p = scene_format("float8_e4m3fn"); /* the casts, not the weights, are 0 or far off */
    x.mask[1] = x.mask[2] = -5;
    TAP_OK(scene_get(&x, sums_hold) == 1, "sums of weights");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    TAP_OK(scene_get(&x, sums_hold) == 1, "sums of cast weights");
    x.v.sum_of = ATTEST_JUDGE_SUM_ANY;
    TAP_OK(scene_get(&x, sums_hold) == 1, "sums of either");
}

/* ---- what is said of the stages ---- */

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

/* Two equal values: the output is what it is, but for one rounding, or two times as much. */
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

/* What joining the parts of the keys adds, with all else in binary64: splits + 2 roundings of
 * the working format, one more where v has a factor. */
static void joined_case(void)
{
    static scene x;
    double part[3];

    scene_begin(&x, 4, 1);
    x.v.score.accumulate = scene_format("binary32");
    for (size_t j = 0; j < 4; j++)
        x.value[j] = 1;
    part[0] = scene_get(&x, product_error) / 0x1p-24;
    x.v.splits = 4;
    part[1] = scene_get(&x, product_error) / 0x1p-24;
    x.factor[2] = 2;
    part[2] = scene_get(&x, product_error) / 0x1p-24;
    TAP_OK(part[0] < 1e-3 && fabs(part[1] - 6) < 1e-3 && fabs(part[2] - 7) < 1e-3,
           "parts are joined by %.4f unit roundoffs, %.4f and %.4f", part[0], part[1], part[2]);
}

int main(void)
{
    score_stage_case();
    output_stage_case();
    joined_case();
    value_sum_cases();
    weight_cases();
    rising_case();
    split_cases();
    cast_cases();
    scheme_cases();
    cast_sum_case();
    known_flush_case();
    sum_cases();
    last_cases();
    apart_case();
    factor_cases();
    overflow_cases();
    wide_cases();
    working_range_cases();
    sum_range_cases();
    return tap_done();
}
