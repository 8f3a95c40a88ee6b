/* judge_weights.c -- rows of the table of the judge's bound for the terms (3) to (6) of
 * proofs-notes/judge.md: weights, casts, the product with V, the row sum, the quotient. */
#include "tests/bounds/judge_rows.h"

#include <math.h>
#include <stdlib.h>

#include "judge/row.h"

static scene x;

/* Values of scene.direct. */

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
    r->splits = x.v.splits;
    r->split = ATTEST_RECIPE_SPLIT_WEIGHTS;
}

static void blocks_one_by_one(attest_judge_recipe *r)
{
    scene_one_by_one(r);
    r->pv.order = ATTEST_RECIPE_BLOCKS;
}

/* ---- (3): weights ---- */

/* Returns the part of the bound that is used if the exponent of key 0 errs by `units` unit
 * roundoffs of its distance from the largest key. Key 0 has the only value that is not 0. With
 * a score of -240 and the scale 1/3 its distance is 80, unless factors change it. */
static double far_key_part(double units, double distance)
{
    const double u = 0x1p-24;
    double b[4];

    x.k[0] = -240;
    x.value[0] = 0x1p100;
    scene_get_bound(b, &x);
    return scene_part(0x1p100 * exp(-distance * (1 - 0.98 * units * u)), b);
}

/* 5 units: 2 for the scale, and one each for the difference, log2 e and the product with it;
 * (e), (h). 2 more for the sum and its product with the scale. */
static double argument_rounding(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.qkv.scale = "1/3";
    return far_key_part(5 + 2, 80);
}

/* With factors the scale errs by 4 u instead of 2 u. */
static double factor_units(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.qkv.scale = "1/3";
    x.factor[0] = 0.75;
    x.factor[1] = 0x1.555556p0;
    return far_key_part(7 + 2, 80 * x.factor[0] * x.factor[1]);
}

/* The score of a key with a small weight is just above the midpoint of two numbers of the
 * format in which scores are stored. Its rounding g = 2^-6 enlarges the weight by e^g - 1. */
static double narrow_square(void)
{
    scene_begin(&x, 2, 1);
    judge_lone_key(&x, -30);
    x.v.stored = true;
    x.v.store = scene_format("bfloat16");
    x.v.k = scene_format("binary32");
    x.k[0] = 0x1.010001p2;
    return scene_measure(&x);
}

/* Key 0, the largest, has the value 0. The other keys have the values 1 and -1, and their
 * exponentials err. */
static void begin_exponentials(void)
{
    scene_begin(&x, 33, 1);
    x.v.exp_relative = 0x1p-10;
    x.direct = scene_push;
    for (size_t j = 1; j < 33; j++) {
        x.k[j] = -0.125;
        x.value[j] = j % 2 ? 1 : -1;
    }
}

static double weight_exp(void)
{
    begin_exponentials();
    return scene_measure(&x);
}

/* Exponentials that err by a half: the row is not narrow. */
static double exp_error(void)
{
    begin_exponentials();
    x.v.exp_relative = 0.5;
    return scene_measure(&x);
}

static double exp_error_large(void)
{
    begin_exponentials();
    x.v.exp_relative = 0.55;
    return scene_measure(&x);
}

/* Tiles of one key, each with a larger score than the one before. Only key 0 has a value other
 * than 0. */
static void begin_rising(void)
{
    scene_begin(&x, 32, 1);
    x.v.k = scene_format("binary32");
    x.v.exp_relative = 0x1p-11;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.value[0] = 0x1p60;
    for (size_t j = 0; j < 32; j++)
        x.k[j] = 1.5 * (double)j;
    x.direct = scene_one_by_one;
}

static double rescale_exp(void)
{
    begin_rising();
    return scene_measure(&x);
}

static double rescale_exp_any(void)
{
    begin_rising();
    x.v.direction = ATTEST_JUDGE_DIRECTION_ANY;
    return scene_measure(&x);
}

/* The exact scores fall from tile to tile, by small terms that a sum in binary16 loses; the
 * computed scores rise. */
static double rescale_exp_rounded(void)
{
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
    return scene_measure(&x);
}

/* Returns tanh(e) as a part of the bound. It is the output of keys with equal scores and the
 * values 1 and -1 if the exponents of their weights err by e and -e. */
static double part_of_tanh(double e)
{
    double b[4];

    scene_get_bound(b, &x);
    return scene_part(tanh(e), b);
}

static double opposite_part(double e)
{
    judge_two_keys(&x);
    return part_of_tanh(e);
}

/* Two tiles, with a folded scale and an offset: a score errs by u of itself, and so do fl(m k)
 * and fl(fl(m k) - b); (h). */
static double references(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.offset = 8;
    x.k[0] = x.k[1] = 1024;
    return opposite_part(0.95 * 3 * 0x1p-24 * 1024);
}

/* The lazy maximum stays at the score of key 0, which is about 20 below the two largest. */
static void vary_lazy(scene *s, uint64_t *state)
{
    s->k[0] = scene_round(-20 - scene_uniform(state), "binary32");
    for (size_t j = 1; j < 3; j++)
        s->k[j] = scene_round(0.1 * scene_uniform(state), "binary32");
}

static void lazy(attest_judge_recipe *r)
{
    flushed(r);
    r->flush = false;
    r->max = ATTEST_JUDGE_MAX_LAZY;
    r->threshold = x.v.threshold;
    r->argument = ATTEST_RECIPE_SEPARATE_TWO;
}

static double threshold(void)
{
    scene_begin(&x, 3, 1);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.threshold = 30;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.value[1] = 1;
    x.value[2] = -1;
    x.vary = vary_lazy;
    x.direct = lazy;
    x.trials = 100;
    return scene_measure(&x);
}

static double flushed_weight(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.v = scene_format("binary64");
    x.value[0] = 0x1p100;
    x.k[0] = -88;
    x.direct = flushed;
    return scene_measure(&x);
}

/* ---- parts of the keys ---- */

static double split_log(void)
{
    scene_begin(&x, 4, 1);
    x.v.splits = 4;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.direct = all_parts;
    x.value[0] = x.value[1] = 1;
    x.value[2] = x.value[3] = -1;
    x.v.split_log = 0x1p-9;
    return scene_measure(&x);
}

/* Every part has two keys: the larger one has the value 0, the smaller one 1 or -1. */
static double split_exp(void)
{
    scene_begin(&x, 32, 1);
    x.v.splits = 16;
    x.v.exp_relative = 0x1p-10;
    x.direct = all_parts;
    for (size_t j = 0; j < 32; j += 2) {
        x.k[j] = j == 0 ? 0 : -0.0625;
        x.k[j + 1] = -10;
        x.value[j + 1] = j % 4 ? 1 : -1;
    }
    return scene_measure(&x);
}

/* A scale that is folded in two steps: s, fl(s k), fl(m l) and the sum with the logarithm err
 * by u of the score each; (o). */
static double split_rounding(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.splits = 2;
    x.k[0] = x.k[1] = 1024;
    return opposite_part(0.95 * 4 * 0x1p-24 * 1024);
}

/* Two parts whose scores are all 0. Their logarithms are just above 8; one is rounded up and
 * the other down, and likewise the exponentials of the keys and of the parts. */
static double split_sizes(void)
{
    enum { PART = 3011 };

    scene_begin(&x, 2 * PART, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.splits = 2;
    for (size_t j = 0; j < 2 * PART; j++)
        x.value[j] = j < PART ? 1 : -1;
    return part_of_tanh(0.95 * 0x1p-24 * (8 + 1 + 1));
}

static double split_divided(void)
{
    scene_begin(&x, 4, 1);
    x.v.splits = 4;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.direct = all_parts;
    x.v.score.accumulate =
        scene_format("binary32"); /* those of binary64 are simulated exactly */
    x.v.final_relative = 0x1p-9;
    x.k[0] = -20;
    x.value[0] = 0x1p60;
    return scene_measure(&x);
}

static double flushed_result(void)
{
    scene_begin(&x, 4, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.v = scene_format("binary64");
    x.v.splits = 4;
    x.direct = all_parts;
    for (size_t j = 0; j < 4; j++)
        x.value[j] = 0x1.fp-125;
    return scene_measure(&x);
}

/* ---- sink ---- */

/* 8 units: 3 for the scale with log2 e folded in; one each for the sink, log2 e and their
 * product; one each for the score and its product with the scale. */
static double sink_rounding(void)
{
    double b[4];

    scene_begin(&x, 1, 1);
    x.value[0] = 1;
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.sunk = true;
    x.k[0] = x.sink = 512;
    scene_get_bound(b, &x);
    return scene_part(1 / (1 + exp(-0.98 * 8 * 0x1p-24 * 512)), b);
}

/* The sink is 80 above the only key of its part; key 1 is the other part. The scale is folded.
 * The argument of the sink and the logarithm of its part err by u of these 80; the reference by
 * u of the key, and its constant by 5 u of the key; the sum by u of the sink. To these come 6 u
 * of the sink, as in sink_rounding. */
static double split_sink(void)
{
    double b[4];

    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.splits = 2;
    x.sunk = true;
    x.k[0] = -40;
    x.k[1] = x.sink = 40;
    x.value[1] = 1;
    scene_get_bound(b, &x);
    return scene_part(1 / (1 + exp(-0.98 * 0x1p-24 * (2 * 80 + (1 + 5) * 40 + 40 + 6 * 40))),
                      b);
}

/* The weights of the sink and of all keys but the largest have errors, independent of each
 * other. */
static double sink_exp(void)
{
    scene_begin(&x, 33, 1);
    x.v.exp_relative = 0x1p-10;
    x.direct = scene_push;
    x.sunk = true;
    x.sink = -0.125;
    for (size_t j = 0; j < 33; j++) {
        x.k[j] = j == 0 ? 0 : -0.125;
        x.value[j] = 1;
    }
    return scene_measure(&x);
}

/* A key 1.25 above a sink of 0. The scale, the difference, log2 e and the product with it make
 * an error of 5 u of 1.25; the score and its product with the scale 2 u of 1.25; the
 * exponential and the division u each; (h), (l). */
static double sink_argument(void)
{
    const double u = 0.98 * 0x1p-24;
    double b[4];

    scene_begin(&x, 1, 1);
    x.value[0] = 1;
    x.v.score.accumulate = scene_format("binary32");
    x.qkv.scale = "1/3";
    x.sunk = true;
    x.k[0] = 3.75;
    scene_get_bound(b, &x);
    return scene_part((1 + u) / (1 + exp(-1.25 - (5 * 1.25 + 1 + 2 * 1.25) * u)), b);
}

/* The sink has nearly all weight of its part, which has one small key; key 1 is the other part.
 */
static double sink_common(void)
{
    scene_begin(&x, 2, 1);
    x.v.splits = 2;
    x.v.split_log = 0x1p-9;
    x.direct = all_parts;
    x.sunk = true;
    x.k[0] = -20;
    x.value[1] = 1;
    return scene_measure(&x);
}

/* ---- (4): casts ---- */

static void vary_weight(scene *s, uint64_t *state)
{
    s->k[0] = scene_round(-3 - scene_uniform(state), "binary32");
}

static void begin_cast(const char *p)
{
    scene_begin(&x, 2, 1);
    x.v.k = scene_format("binary32");
    x.v.max = ATTEST_JUDGE_MAX_LAZY; /* then the bound does not use a known reference */
    x.v.cast = true;
    x.v.p = scene_format(p);
    x.value[0] = 1;
}

/* A weight just above the midpoint of 2^-5 and the next number of bfloat16. */
static double cast_rounding(void)
{
    begin_cast("bfloat16");
    x.k[0] = scene_round(log(0x1.0104p-5), "binary32");
    x.trials = 1;
    return scene_measure(&x);
}

static double cast_least(void)
{
    begin_cast("float8_e4m3fn");
    x.k[0] = -6.9375; /* a weight just below half the least number */
    return scene_measure(&x);
}

static double cast_least_offset(void)
{
    begin_cast("float8_e4m3fn");
    x.v.offset = 8;
    x.k[0] = -12.4844;
    return scene_measure(&x);
}

/* A weight that is divided by 4 before the cast; the quotient is just below half the least
 * number. */
static double cast_least_divided(void)
{
    scene_begin(&x, 5, 1);
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("float8_e4m3fn");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.value[0] = 1;
    x.k[0] = scene_round(log(0x1.fcp-9), "binary32");
    return scene_measure(&x);
}

static double casts(void)
{
    return cast_least();
}

static double cast_divided(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.v.final_relative = 0x1p-9;
    x.value[0] = 1;
    x.value[1] = -1;
    x.direct = scene_push;
    return scene_measure(&x);
}

/* A weight above 2^-126 whose quotient by 64 is below 2^-126. */
static double cast_flushed(void)
{
    scene_begin(&x, 64, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.v = scene_format("binary64");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.value[0] = 0x1p100;
    x.k[0] = -83.25;
    x.direct = flushed;
    return scene_measure(&x);
}

/* The largest weight is 1. The last one is rounded up, and only it has a value other than 0;
 * all others are rounded down. */
static double cast_rounding_sum(void)
{
    scene_begin(&x, 66, 1);
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    x.value[65] = 1;
    for (size_t j = 1; j < 66; j++)
        x.k[j] = scene_round(log(j == 65 ? 0x1.0104p-1 : 0x1.00fcp-1), "binary32");
    x.trials = 1;
    return scene_measure(&x);
}

/* The cast of the only key besides the largest changes the product and the row sum in the same
 * direction. */
static double cast_rounding_both(void)
{
    begin_cast("bfloat16");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    x.k[0] = scene_round(log(0x1.0104p-1), "binary32");
    x.trials = 1;
    return scene_measure(&x);
}

static double offset(void)
{
    begin_cast("bfloat16");
    x.v.max = ATTEST_JUDGE_MAX_TWO_PASS;
    x.vary = vary_weight;
    x.trials = 50;
    return scene_measure(&x);
}

/* Each weight is divided by a sum of other exponentials of the same scores. The exponentials
 * e^-1/2 err upward in the weights and downward in the sum; every value is 1. */
static double apart_exp(void)
{
    double b[4], e = 0x1p-10, y = exp(-0.5), sum = 1;

    scene_begin(&x, 65, 1);
    x.v.exp_relative = e;
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    for (size_t j = 0; j < 65; j++) {
        x.k[j] = j == 0 ? 0 : -0.5;
        x.value[j] = 1;
        sum += j == 0 ? 0 : y * (1 - e * (1 - 0x1p-20));
    }
    scene_get_bound(b, &x);
    return scene_part(1 / sum + 64 * y * (1 + e * (1 - 0x1p-20)) / sum, b);
}

/* The row sum if every addition is rounded up, as a part of what the bound allows. */
static double get_divisor_ratio(const scene *s, const attest_judge_work *row,
                                const attest_judge_rule *rule)
{
    return row->sum_high * pow(1 + rule->sum.u, (double)s->keys) / row->divisor;
}

static double divisor(void)
{
    scene_begin(&x, 64, 1);
    x.v.sum_accumulate = scene_format("binary16");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    return scene_get(&x, get_divisor_ratio);
}

/* All values are 1. The references with which the row sum is computed differ by 2 u of 1024
 * from the last one. */
static double apart_common(void)
{
    double b[4];

    scene_begin(&x, 65, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 64;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    for (size_t j = 0; j < 65; j++) {
        x.k[j] = j < 64 ? 1024 : 1032;
        x.value[j] = 1;
    }
    x.k[64] = 1024;
    scene_get_bound(b, &x);
    return scene_part(1 + 0.95 * 2 * 0x1p-24 * 1024, b);
}

/* Six keys in tiles of 4 that may begin at any key: keys 3 to 8 of tiles 0, 4, 8, ... lie in
 * three tiles, the last two of which may raise the reference. */
static double tiles_in_part(void)
{
    const attest_judge_variant variant = {.tile = 4};
    const attest_judge_rule rule = {.variant = &variant, .rescaled = true};
    attest_judge_work row = {.count = 6, .seen = 6};

    attest_judge_weights_set_raises(&row, &rule);
    return row.raises > 0 ? 2 / row.raises : (double)INFINITY;
}

/* ---- overflow ---- */

/* The rounding of the reference is about 100, so that all exponentials of a part may vanish:
 * there is no bound. */
static double far_reference(void)
{
    double b[4];

    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.splits = 2;
    x.biased = true;
    x.mask[1] = -100 * 0x1p24;
    scene_get_bound(b, &x);
    return b[1] == (double)INFINITY ? 1 : (double)INFINITY;
}

/* The largest weight before the cast, 2^threshold (1 + error of exp), as a part of what the
 * bound allows. */
static double get_largest_ratio(const scene *s, const attest_judge_work *row,
                                const attest_judge_rule *rule)
{
    (void)rule;
    return exp2(s->v.threshold) * (1 + s->v.exp_relative) / row->most_weight;
}

static double largest_exp(void)
{
    scene_begin(&x, 2, 1);
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.threshold = 1;
    x.v.exp_relative = 0x1p-5;
    x.k[0] = -2;
    return scene_get(&x, get_largest_ratio);
}

/* A lazy reference stays at the lowest score, as the threshold is above the largest. The scale,
 * the difference, log2 e and the product with it make an error of 5 u of the distance between
 * both scores. */
static double get_highest_ratio(const scene *s, const attest_judge_work *row,
                                const attest_judge_rule *rule)
{
    double distance = row->top - row->lowest, allowed = log(row->most_weight) - distance;

    (void)s;
    return 0.98 * 5 * rule->work.u * distance / allowed;
}

static double highest_argument(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.threshold = 200;
    x.qkv.scale = "1/3";
    x.k[0] = -240;
    return scene_get(&x, get_highest_ratio);
}

/* A sink 68.5 above a key with the score 3 * 2^24. log2 e is folded into the scale, and the
 * roundings of both scores make the exponential exceed the largest number, 2^128 or e^88.72. */
static double largest_sink(void)
{
    const double u = 0x1p-24, key = 0x1.8p25, distance = 68.5, shift = 0.98 * 6 * u * key;
    double b[4];

    scene_begin(&x, 1, 1);
    x.value[0] = 1;
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.sunk = true;
    x.k[0] = key;
    x.sink = key + distance;
    scene_get_bound(b, &x);
    return distance + shift + 0.98 * u * key > 128 * log(2) && b[1] == (double)INFINITY
               ? 0.98
               : INFINITY;
}

/* A weight just above the midpoint of 1 and 9/8, the next number of its scheme, is rounded up.
 */
static double get_largest_quantised_ratio(const scene *s, const attest_judge_work *row,
                                          const attest_judge_rule *rule)
{
    double most = exp2(s->v.threshold), grown = scene_round(most, "float8_e4m3fn");

    return grown <= row->most_weight
               ? (grown / most - 1) / (rule->scheme.relative + rule->scheme.of_largest)
               : INFINITY;
}

static double largest_quantised(void)
{
    attest_error error;

    scene_begin(&x, 2, 1);
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.threshold = log2(1.0626);
    x.v.cast = true;
    x.v.p = scene_format("binary32");
    if (attest_block_parse(&x.v.p_scheme, "float8_e4m3fn:scale=1", &error) != ATTEST_OK)
        abort();
    x.k[0] = -2;
    return scene_get(&x, get_largest_quantised_ratio);
}

/* 27 equal terms, added one after another in binary16: the sum is 0.35 % too large. */
static double get_largest_product_ratio(const scene *s, const attest_judge_work *row,
                                        const attest_judge_rule *rule)
{
    double sum = 0;

    (void)rule;
    for (size_t j = 0; j < s->keys; j++)
        sum = scene_round(sum + s->value[j], "binary16");
    return sum / row->most_product;
}

static double largest_roundings(void)
{
    scene_begin(&x, 27, 1);
    x.v.pv.accumulate = scene_format("binary16");
    for (size_t j = 0; j < 27; j++)
        x.value[j] = 1.2421875;
    return scene_get(&x, get_largest_product_ratio);
}

/* Quantises a weight in one group with the weight 1, and returns the part of the bound that is
 * used. A score of 0 stands for random ones. */
static double measure_scheme(const char *name, double score)
{
    attest_error error;

    scene_begin(&x, 2, 1);
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("binary32");
    if (attest_block_parse(&x.v.p_scheme, name, &error) != ATTEST_OK)
        abort();
    x.value[0] = 1;
    x.k[0] = score;
    x.vary = score == 0 ? vary_weight : NULL;
    x.trials = score == 0 ? 100 : 1;
    return scene_measure(&x);
}

static double scheme_relative(void)
{
    return measure_scheme("mxfp8_e4m3fn:te", 0);
}

static double scheme_relative_vllm(void)
{
    return measure_scheme("mxfp4:vllm", -2.80); /* e^-2.80 is just below a fourth of a half */
}

static double scheme_largest(void)
{
    return measure_scheme("int8:per-token", 0);
}

static double scheme_largest_trunc(void)
{
    return measure_scheme("int8:ct2-trunc", 0);
}

static double scheme_largest_q4(void)
{
    return measure_scheme("q4_0", -2.773); /* e^-2.773 is just below half of an eighth */
}

static double scheme_tiny(void)
{
    return measure_scheme("float8_e4m3fn:scale=0.25",
                          -8.32); /* e^-8.32 is half of the least number */
}

/* ---- (4) with a known reference ---- */

static void begin_known(void)
{
    scene_begin(&x, 33, 1);
    x.v.k = scene_format("binary32");
    x.v.exp_relative = 0x1p-10;
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.direct = scene_push;
}

/* The casts are the same for all kernels; the exponentials that the row sum adds are not. */
static double known_spread(void)
{
    begin_known();
    for (size_t j = 0; j < 33; j++) {
        x.k[j] = j == 0 ? 0 : -0.125;
        x.value[j] = 1;
    }
    return scene_measure(&x);
}

/* Weights just below and just above the midpoint of two numbers of P. */
static double known_exp(void)
{
    begin_known();
    for (size_t j = 1; j < 33; j++) {
        x.k[j] = scene_round(log(0x1.01p-5 * (j % 2 ? 1 - 0.75 * 0x1p-10 : 1 + 0.75 * 0x1p-10)),
                             "binary32");
        x.value[j] = j % 2 ? 1 : -1;
    }
    return scene_measure(&x);
}

static double known_later(void)
{
    begin_rising();
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    return scene_measure(&x);
}

/* The score of the largest key, the reference of all casts, is rounded down by nearly 2^-15
 * (d). That moves the weight of key 1 across the midpoint of two numbers of P. */
static double known_range(void)
{
    const double top = 0x1p-4 * (1 + 0x1.ffp-12), d = top - 0x1p-4;

    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary16");
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.value[1] = 1;
    x.k[0] = top;
    x.k[1] = scene_round(top + log(481.0 / 512) - d * 0.9, "binary32");
    return scene_measure(&x);
}

/* The score of key 0, the reference of all casts, is rounded down, which does not change the
 * cast of key 1. The scores of all other keys are rounded up. */
static double known_low(void)
{
    scene_begin(&x, 64, 1);
    x.v.score.accumulate = scene_format("binary16");
    x.v.k = scene_format("binary32");
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.value[1] = 1;
    for (size_t j = 0; j < 64; j++)
        x.k[j] = 0x1p-4 * (1 + 2 * 0x1p-10 + 0x1.01p-11);
    x.k[0] = 0x1p-4 * (1 + 4 * 0x1p-10 + 0x1.ffp-12);
    x.k[1] = 0;
    return scene_measure(&x);
}

/* With a folded scale and an offset fl(m k - 100) errs by up to 64 u, which moves the weight
 * across the midpoint of two numbers of P; (h). */
static double known_reference(void)
{
    const double shift = 0.9 * 64 * 0x1p-24 * log(2);
    double b[4], y = 0x1.01p-5 * (1 - 0.95 * shift);

    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.k = scene_format("binary64");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.offset = 100;
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.k[0] = log(y);
    x.value[0] = 1;
    scene_get_bound(b, &x);
    return scene_part(scene_round(y * exp(shift), "bfloat16") / (exp(shift) + y * exp(shift)),
                      b);
}

/* The casts are known, and the row sum adds them: all weights but the largest become smaller.
 */
static double summed_offset(void)
{
    begin_known();
    x.v.exp_relative = 0;
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    for (size_t j = 1; j < 33; j++) {
        x.k[j] = scene_round(log(0x1.00cp-1), "binary32");
        x.value[j] = 1;
    }
    return scene_measure(&x);
}

/* ---- (4), weights that are divided before their cast ---- */

/* A small weight just below the middle of two numbers of P; the row sum is nearly 1. */
static void begin_quotient(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.k = scene_format("binary32");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.k[1] = scene_round(log(0x1.01p-20 * (1 - 0.75 * 0x1p-10)), "binary32");
    x.value[1] = 0x1p20;
    x.direct = scene_push;
}

/* The exponentials of the row sum err downward, that of key 1 upward. */
static double quotient_exp(void)
{
    double sum = 1 + 64 * exp(-0.125);

    begin_quotient();
    x.keys = 66;
    for (size_t j = 2; j < 66; j++)
        x.k[j] = -0.125;
    x.v.exp_relative = 0x1p-10;
    x.k[1] = scene_round(log(0x1.01p-20 * sum * (1 - 1.9 * 0x1p-10)), "binary32");
    return scene_measure(&x);
}

static double quotient_division(void)
{
    begin_quotient();
    x.v.final_relative = 0x1p-10;
    return scene_measure(&x);
}

/* The row sum 1 + y is rounded down by nearly u, so that the second weight passes the middle m
 * of two numbers of P, 2^-9 or less apart. */
static double quotient_range(void)
{
    const double u = 0x1p-11;
    double b[4], y = 0, m = 0, ulp = 0;

    for (size_t j = 512; j < 1024; j++) {
        double sum = 1 + 2 * u * (double)j, z;

        y = sum - 1 + 0.95 * u;
        z = y / sum;
        ulp = 0x1p-9;
        m = (floor(z / ulp - 0.5) + 0.5) * ulp;
        if (z > m && z < m * (1 + 0.04 * u))
            break;
    }
    begin_quotient();
    x.v.sum_accumulate = scene_format("binary16");
    x.v.k = x.v.score.accumulate = scene_format("binary64");
    x.k[1] = log(y);
    x.value[1] = 1;
    scene_get_bound(b, &x);
    return scene_part(m + ulp / 2, b);
}

static void tiles_in_order(attest_judge_recipe *r)
{
    scene_one_by_one(r);
    r->tile = x.v.tile;
}

/* The weight of key 1 is about half the least number of P, and errors of later rescale factors
 * enlarge it. Of 16 tiles the last one has nearly all the weight; the mask leaves two keys in
 * the first tile and one in each other. */
static double cast_grown(void)
{
    scene_begin(&x, 2048, 1);
    x.v.k = scene_format("binary32");
    x.v.exp_relative = 0x1.fp-10;
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.tile = 128;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.cast = true;
    x.v.p = scene_format("float8_e4m3fn");
    x.biased = true;
    for (size_t j = 0; j < 2048; j++) {
        x.k[j] = 0x1p-10 * (double)(j / 128) - (j > 1920 ? 0x1p-12 : 0);
        x.mask[j] = j < 1920 && j % 128 > 0 ? -(double)INFINITY : 0;
    }
    x.k[1] = scene_round(log(0x1p-10 / (1 + 0x1.efp-10)),
                         "binary32"); /* above half if its exponential errs */
    x.mask[1] = 0;
    x.value[1] = 1;
    x.direct = tiles_in_order;
    return scene_measure(&x);
}

/* ---- (5): the product with V ---- */

/* Makes the last key one with little weight and a score with a large error, so that the bound
 * is refined by steps of Newton's method. Domain: dim = 1. */
static void set_uncertain_key(void)
{
    size_t j = x.keys - 1;

    x.dim = 2;
    x.q[1] = 1;
    for (size_t i = j; i-- > 0;) {
        x.k[2 * i] = x.k[i];
        x.k[2 * i + 1] = 0;
    }
    x.v.score.accumulate = scene_format("binary16");
    x.k[2 * j] = 1000;
    x.k[2 * j + 1] = -1020;
}

static double phi_casts(void)
{
    scene_begin(&x, 3, 1);
    x.v.k = scene_format("binary32");
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.cast = true;
    x.v.p = scene_format("float8_e4m3fn");
    x.value[0] = 1;
    x.k[0] = -6.9375; /* just below half the least number */
    set_uncertain_key();
    return scene_measure(&x);
}

static double phi_product(void)
{
    scene_begin(&x, 65, 1);
    x.v.pv.accumulate = x.v.v = scene_format("binary16");
    x.v.pv.exact_products = false;
    x.direct = scene_in_order;
    for (size_t j = 0; j < 64; j++)
        x.value[j] = j == 0 ? 1 : 0x1.02p-11;
    set_uncertain_key();
    return scene_measure(&x);
}

/* Blocks of one key each, whose results are all cut toward zero. */
static double tile_blocks(void)
{
    scene_begin(&x, 200, 1);
    x.v.pv.accumulate = scene_format("binary32");
    x.v.p = scene_format("binary16");
    x.v.cast = true;
    x.v.pv.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.pv.block = 16;
    x.v.pv.fraction = 30;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.direct = blocks_one_by_one;
    for (size_t j = 0; j < 200; j++)
        x.value[j] = j == 0 ? 1 : 0x1.fcp-24;
    return scene_measure(&x);
}

/* Weights of 1/100 after the division are subnormal in P, and their products with 448 count as
 * 2^-6 448, here times the row sum: every term loses a unit of that size. */
static double get_raised_ratio(const scene *s, const attest_judge_work *row,
                               const attest_judge_rule *rule)
{
    double largest = ldexp(448, -6) * (double)s->keys;

    (void)rule;
    return (double)s->keys * exp2(floor(log2(largest)) - 13) / row->product[0];
}

static double raised_divisor(void)
{
    scene_begin(&x, 100, 1);
    x.v.cast = true;
    x.v.p = x.v.v = scene_format("float8_e4m3fn");
    x.v.pv.accumulate = scene_format("binary32");
    x.v.pv.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.pv.block = 32;
    x.v.pv.fraction = 13;
    x.v.tile = 128;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    for (size_t j = 0; j < 100; j++)
        x.value[j] = j == 0 ? 448 : 0x1.8p-5;
    return scene_get(&x, get_raised_ratio);
}

/* The largest possible sum of the terms times the relative error of n additions, as a part of
 * what the bound allows. No value is below 0. */
static double get_partial_ratio(const scene *s, const attest_judge_work *row,
                                const attest_judge_rule *rule)
{
    double most = 0;

    for (size_t j = 0; j < s->keys; j++)
        most += (row->high[j] + row->cast[j]) * s->value[j];
    return most * (pow(1 + rule->pv.u, (double)s->keys) - 1) / row->product[0];
}

static void begin_partial(void)
{
    scene_begin(&x, 32, 2);
    x.v.pv.accumulate = scene_format("bfloat16");
    x.v.v = scene_format("binary64");
    x.v.pv.exact_products = true;
}

/* Scores of 3000 - 3000, added in binary16: a weight may be anything from 0.2 % to all of the
 * largest one. */
static double most_doubt(void)
{
    begin_partial();
    x.v.score.accumulate = scene_format("binary16");
    for (size_t j = 0; j < 32; j++) {
        x.k[2 * j] = 3000;
        x.k[2 * j + 1] = -3000;
        x.value[j] = 1;
    }
    return scene_get(&x, get_partial_ratio);
}

/* Weights far below the least number of P. */
static double most_casts(void)
{
    begin_partial();
    x.v.cast = true;
    x.v.p = scene_format("binary16");
    for (size_t j = 1; j < 32; j++) {
        x.k[2 * j] = -30;
        x.value[j] = 1;
    }
    return scene_get(&x, get_partial_ratio);
}

/* Weights of about 2^-130, for which the bound allows 2^-124. */
static double most_lost(void)
{
    begin_partial();
    for (size_t j = 1; j < 32; j++) {
        x.k[2 * j] = -90;
        x.value[j] = 0x1p100;
    }
    return scene_get(&x, get_partial_ratio);
}

/* The sum of weight_size times |value|, as a part of size_v. Nearly all weight is on keys whose
 * value is 0; size_rest alone covers what the last key adds, as its exact weight is too small.
 */
static double get_size_ratio(const scene *s, const attest_judge_work *row,
                             const attest_judge_rule *rule)
{
    double size = 0;

    (void)rule;
    for (size_t j = 0; j < s->keys; j++)
        size += row->weight_size[j] * fabs(s->value[j]);
    return size / row->size_v[0];
}

static double get_cast_ratio(const scene *s, const attest_judge_work *row,
                             const attest_judge_rule *rule)
{
    double cast = 0;

    (void)rule;
    for (size_t j = 0; j < s->keys; j++)
        cast += row->cast[j] * fabs(s->value[j]);
    return cast / row->cast_v[0];
}

static double size_rest(void)
{
    scene_begin(&x, 3, 1);
    x.biased = true;
    x.mask[2] = -200; /* flushed */
    x.value[2] = 1;
    return scene_get(&x, get_size_ratio);
}

static double cast_rest(void)
{
    scene_begin(&x, 3, 1);
    x.biased = true;
    x.mask[2] = -20;
    x.value[2] = 1;
    x.v.cast = true;
    x.v.p = scene_format("binary16"); /* half its least number */
    return scene_get(&x, get_cast_ratio);
}

static double product(void)
{
    scene_begin(&x, 64, 1);
    x.v.pv.accumulate = x.v.v = scene_format("binary16");
    x.v.pv.exact_products = false;
    x.direct = scene_in_order;
    for (size_t j = 0; j < 64; j++)
        x.value[j] = j == 0 ? 1 : 0x1.02p-11;
    return scene_measure(&x);
}

/* Every rescale should make O smaller, but rounding leaves it unchanged; and every term that is
 * added is rounded up to twice its size. */
static void begin_rescales(void)
{
    scene_begin(&x, 16, 1);
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
}

static double tree_rescales(void)
{
    begin_rescales();
    return scene_measure(&x);
}

static double matrix_rescales(void)
{
    begin_rescales();
    x.v.pv.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.pv.block = 16;
    x.v.pv.fraction = 30;
    x.v.cast = true;
    x.v.p = x.v.v = scene_format("binary16");
    x.direct = blocks_one_by_one;
    return scene_measure(&x);
}

/* One key. Its product with V, on the scale of P, is just below half the least number. */
static double product_least(void)
{
    scene_begin(&x, 1, 1);
    x.v.pv.accumulate = scene_format("binary16");
    x.v.offset = -10;
    x.value[0] = 0x1.fcp-16;
    return scene_measure(&x);
}

/* As product_least, with weights that are divided first, by a sum of 1. */
static double product_least_divided(void)
{
    scene_begin(&x, 1, 1);
    x.v.pv.accumulate = scene_format("binary16");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.v.offset = -10;
    x.value[0] = 0x1.fcp-16;
    return scene_measure(&x);
}

static double matrix_rest(void)
{
    scene_begin(&x, 1, 1);
    x.v.pv.accumulate = scene_format("binary16");
    x.v.pv.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.pv.block = 16;
    x.v.pv.fraction = 25;
    x.v.cast = true;
    x.v.p = scene_format("binary16");
    x.v.v = scene_format("bfloat16");
    x.v.tile = 16;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.offset = -10;
    x.value[0] = 0x1.fcp-16;
    return scene_measure(&x);
}

/* ---- (6): the row sum, the quotient, the output ---- */

static void begin_row_sum(double k)
{
    scene_begin(&x, 64, 1);
    x.v.k = scene_format("binary32");
    x.v.sum_accumulate = scene_format("binary16");
    x.direct = scene_in_order;
    x.value[0] = 1;
    for (size_t j = 1; j < 64; j++)
        x.k[j] = k;
}

static double sum_additions_up(void)
{
    begin_row_sum(-7.6171875); /* 0.0005, above 2^-11 */
    return scene_measure(&x);
}

static double sum_additions_down(void)
{
    begin_row_sum(-7.6328125); /* below 2^-11 */
    return scene_measure(&x);
}

/* Every lane but the first of 128 has a term that is rounded up to twice its size when the
 * lanes are joined; the keys after the first tile have negligible weights. */
static double sum_join(void)
{
    scene_begin(&x, 512, 1);
    x.v.k = scene_format("binary32");
    x.v.sum_accumulate = scene_format("binary32");
    x.v.lanes = x.v.tile = 128;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.value[0] = 1;
    for (size_t j = 1; j < 512; j++)
        x.k[j] = j < 128 ? scene_round(log(0x1.02p-24), "binary32") : -60;
    x.direct = scene_in_order;
    return scene_measure(&x);
}

/* One of four lanes adds to 1 terms that are rounded up to twice their size. */
static double sum_additions_lanes(void)
{
    scene_begin(&x, 4096, 1);
    x.v.k = scene_format("binary32");
    x.v.sum_accumulate = scene_format("binary32");
    x.v.lanes = 4;
    x.v.tile = 64;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.value[0] = 1;
    for (size_t j = 1; j < 4096; j++)
        x.k[j] = j % 4 ? -60 : scene_round(log(0x1.02p-24), "binary32");
    x.trials = 1;
    return scene_measure(&x);
}

/* The error of a sum whose n additions and R rescales all err by u in the same direction, as a
 * part of what the bound allows. */
static double get_sum_ratio(const scene *s, const attest_judge_work *row,
                            const attest_judge_rule *rule)
{
    double k = (double)s->keys + (double)(s->keys - 1), u = rule->sum.u;

    return fmax((pow(1 + u, k) - 1) / (row->ratio_high - 1), k * u / (1 - row->ratio_low));
}

static double sum_rescales(void)
{
    begin_rising();
    x.v.sum_accumulate = scene_format("binary16");
    return scene_get(&x, get_sum_ratio);
}

/* The row sum over parts if splits + 1 roundings of the working format err in the same
 * direction, as a part of what the bound allows. */
static double get_parts_ratio(const scene *s, const attest_judge_work *row,
                              const attest_judge_rule *rule)
{
    double most = ((double)s->v.splits + 1) * rule->work.u;

    return fmax(most / (row->ratio_high - 1), most / (1 - row->ratio_low));
}

static double sum_parts(void)
{
    scene_begin(&x, 4, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.splits = 4;
    x.value[0] = 1;
    return scene_get(&x, get_parts_ratio);
}

/* The output over parts if splits + 2 roundings of all terms (one more for the factor of v) err
 * in the same direction, as a part of what the bound allows. */
static double get_joined_ratio(const scene *s, const attest_judge_work *row,
                               const attest_judge_rule *rule)
{
    double k = (double)s->v.splits + (s->factor[2] > 0 ? 3 : 2);

    return k * rule->work.u * row->size_w[0] / row->product[0];
}

static double joined(void)
{
    scene_begin(&x, 4, 1);
    x.v.score.accumulate = scene_format("binary32");
    for (size_t j = 0; j < 4; j++)
        x.value[j] = 1;
    x.v.splits = 4;
    return scene_get(&x, get_joined_ratio);
}

static double joined_factor(void)
{
    joined();
    x.factor[2] = 2;
    return scene_get(&x, get_joined_ratio);
}

/* One after another: two roundings for each part. */
static double get_running_ratio(const scene *s, const attest_judge_work *row,
                                const attest_judge_rule *rule)
{
    double most = (2 * (double)s->v.splits + 1) * rule->work.u;

    return fmax(most / (row->ratio_high - 1), most / (1 - row->ratio_low));
}

static double sum_running(void)
{
    scene_begin(&x, 4096, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.splits = 4096;
    x.v.join = ATTEST_JUDGE_JOIN_ANY;
    x.value[0] = 1;
    return scene_get(&x, get_running_ratio);
}

/* The logarithm by which the weights of all parts are normalised errs; all values are 1. */
static void all_parts_by_logs(attest_judge_recipe *r)
{
    all_parts(r);
    r->split = ATTEST_RECIPE_SPLIT_LOGS;
}

static double join_log(void)
{
    scene_begin(&x, 4, 1);
    x.v.splits = 4;
    x.v.join = ATTEST_JUDGE_JOIN_LOGS;
    x.direct = all_parts_by_logs;
    for (size_t j = 0; j < 4; j++)
        x.value[j] = 1;
    x.v.split_log = 0x1p-9;
    return scene_measure(&x);
}

/* Products, sums and rescales of parts, all rounded alike. */
static double get_joined_running(const scene *s, const attest_judge_work *row,
                                 const attest_judge_rule *rule)
{
    return (2 * (double)s->v.splits + 2) * rule->work.u * row->size_w[0] / row->product[0];
}

static double joined_running(void)
{
    joined();
    x.v.join = ATTEST_JUDGE_JOIN_ANY;
    return scene_get(&x, get_joined_running);
}

/* Sums of parts that are added beside a depth. */
static double get_merged(const scene *s, const attest_judge_work *row,
                         const attest_judge_rule *rule)
{
    return (double)s->v.splits * rule->work.u * row->size_w[0] / row->product[0];
}

static double merged(void)
{
    joined();
    x.v.join = ATTEST_JUDGE_JOIN_SUMS;
    x.v.pv.depth = 1;
    return scene_get(&x, get_merged);
}

/* The row sums of 2000 parts, added after their lanes: a tile has a key for each lane. */
static double get_merged_sums(const scene *s, const attest_judge_work *row,
                              const attest_judge_rule *rule)
{
    double steps = (double)(s->keys / s->v.tile + 2 + s->v.lanes + s->v.splits) + row->raises;

    return (pow(1 + rule->sum.u, steps) - 1) / (row->ratio_high - 1);
}

static double sum_merged(void)
{
    scene_begin(&x, 4096, 1);
    x.v.k = scene_format("binary32");
    x.v.sum_accumulate = scene_format("binary32");
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = x.v.lanes = 64;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.splits = 2000;
    x.v.join = ATTEST_JUDGE_JOIN_SUMS;
    for (size_t j = 0; j < 4096; j++)
        x.k[j] = -(double)j / 512;
    return scene_get(&x, get_merged_sums);
}

/* A tile alone, whose part is joined to one with a larger reference; and a tile followed by a
 * larger sink. */
static double one_raise(bool joined_sums, double sink)
{
    static double t[16], delta[16], low[16], high[16];
    static size_t raises[16], next[16];
    const attest_judge_variant variant = {
        .tile = 1, .direction = ATTEST_JUDGE_DIRECTION_FORWARD, .splits = 2};
    const attest_judge_rule rule = {.variant = &variant,
                                    .rescaled = true,
                                    .known_tiles = true,
                                    .joined_sums = joined_sums,
                                    .quotients = 1};
    attest_judge_work row = {.t = t,
                             .delta = delta,
                             .tile_low = low,
                             .tile_high = high,
                             .tile_raises = raises,
                             .tile_next = next,
                             .count = 1,
                             .seen = 1,
                             .sink = sink > 0,
                             .sink_logit = sink};

    attest_judge_weights_set_raises(&row, &rule);
    return raises[0] > 0 ? 1 / (double)raises[0] : (double)INFINITY;
}

static double part_joined(void)
{
    return one_raise(true, 0);
}

static double sink_last(void)
{
    return one_raise(false, 1);
}

/* A sum in binary64 becomes a number of binary32 that is just beyond a middle; weights are
 * divided before, and exactly. */
static double narrowed(void)
{
    double b[4];

    scene_begin(&x, 1, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.v = scene_format("binary64");
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.value[0] = 1 + 0x1.ffp-25;
    scene_get_bound(b, &x);
    return scene_part(1, b);
}

/* The row sum has terms just below half the least number of its format. */
static double sum_least(void)
{
    scene_begin(&x, 4, 1);
    x.v.k = scene_format("binary32");
    x.v.sum_accumulate = scene_format("binary16");
    x.direct = scene_in_order;
    x.v.offset = -20;
    x.value[0] = 1;
    for (size_t j = 1; j < 4; j++)
        x.k[j] = -3.5; /* 2^-5.05, times 2^-20 */
    return scene_measure(&x);
}

static double division(void)
{
    scene_begin(&x, 2, 1);
    x.value[0] = 1;
    x.v.score.accumulate = scene_format("binary32");
    x.v.final_relative = 0x1p-10;
    x.direct = scene_push;
    return scene_measure(&x);
}

static const table_row rows[] = {
    {"narrow_square", narrow_square, 0.89,
     "e^g - 1 is g + g^2 / 2 + O(g^3); the bound has g + g^2."},
    {"argument_rounding", argument_rounding, 0.9, NULL},
    {"factor_units", factor_units, 0.9, NULL},
    {"weight_exp", weight_exp, 0.9, NULL},
    {"exp_error", exp_error, 0.7,
     "The bound moves an exponent by 0.75 both ways; an exponential that errs by a half moves "
     "it by 0.69 downward and by 0.41 upward."},
    {"exp_error", exp_error_large, 0.6,
     "The bound moves an exponent by 1.22 both ways; an exponential that errs by 0.55 moves it "
     "by 0.80 downward and by 0.44 upward."},
    {"rescale_exp", rescale_exp, 0.9, NULL},
    {"rescale_exp", rescale_exp_any, 0.4,
     "With tiles of unknown size the maximum may rise after every key, so that the bound "
     "counts "
     "31 rescales for all 32 keys; in a kernel only one key has so many, and the largest "
     "none."},
    {"rescale_exp", rescale_exp_rounded, 0.3,
     "Only the rounding of the scores makes the maximum rise. These errors are a large part of "
     "the bound, and they have no other effect on the output here."},
    {"references", references, 0.4,
     "The bound counts for each key the shift between two tiles; compared with the exact "
     "output, a key has only the shift of its own tile, which is half as large."},
    {"reference_rounding", references, 0.4,
     "See references: a key has the shift of its own tile only, half of what the bound "
     "counts."},
    {"threshold", threshold, 0.05,
     "The bound counts five roundings over twice the threshold. The two that are errors of "
     "constants cancel between the way to the first reference and the way to the last one, and "
     "keys that are added at the last reference have none of the five."},
    {"flushed_weight", flushed_weight, 0.1,
     "A flushed exponential is below 2^-126; the limit of 2^-124 also covers rescales that are "
     "flushed, and a narrow row widens the weight downward by as much as upward."},
    {"split_log", split_log, 0.9, NULL},
    {"split_exp", split_exp, 0.6,
     "The bound counts the exponentials of two parts; the weight of a key contains only that "
     "of "
     "its own part, so two of the three errors occur."},
    {"split_rounding", split_rounding, 0.2,
     "The bound counts both parts for every key, and the rounding of a difference of "
     "logarithms that is as large as the scores; parts whose weights are not negligible differ "
     "by less than 400."},
    {"split_rounding", split_sink, 0.3,
     "The bound counts 16 u of the largest score for each part. A key errs by 10 u, and a sink "
     "by 18 u only if the roundings of its argument that a folded scale does not have are the "
     "largest, too."},
    {"split_sizes", split_sizes, 0.02,
     "A logarithm is rounded once, by u of itself. The bound has 16 u of log2 n + 2 in both "
     "parts, which also covers a sum with a score and three roundings of another argument."},
    {"split_divided", split_divided, 0.6,
     "A weight is divided twice, and the bound counts three divisions: two in this term and "
     "the "
     "one after the sum."},
    {"flushed_result", flushed_result, 0.3,
     "The bound counts splits + 1 results of up to 2^-125; flushed products are below 2^-126, "
     "and a sum of products that are not flushed is not flushed either."},
    {"sink_rounding", sink_rounding, 0.9, NULL},
    {"sink_exp", sink_exp, 0.9, NULL},
    {"sink_argument", sink_argument, 0.9, NULL},
    {"sink_common", sink_common, 0.9, NULL},
    {"cast_rounding", cast_rounding, 0.9, NULL},
    {"cast_rounding", cast_rounding_sum, 0.9, NULL},
    {"cast_rounding", cast_rounding_both, 0.48,
     "The bound counts the cast of the largest weight, too, since its reference is not known."},
    {"cast_least", cast_least, 0.9, NULL},
    {"cast_least", cast_least_offset, 0.9, NULL},
    {"cast_least", cast_least_divided, 0.9, NULL},
    {"casts", casts, 0.9, NULL},
    {"cast_divided", cast_divided, 0.9, NULL},
    {"cast_flushed", cast_flushed, 0.4,
     "A flushed quotient is below 2^-126; the bound has 2^-125, which also covers the rounding "
     "of subnormal quotients."},
    {"offset", offset, 0.9, NULL},
    {"apart_exp", apart_exp, 0.9, NULL},
    {"scheme_relative", scheme_relative, 0.9, NULL},
    {"scheme_largest", scheme_relative_vllm, 0.7,
     "The bound adds a part of the number itself and a part of the largest one; the first is "
     "for numbers above the least step of the group, the second for those below it."},
    {"scheme_largest", scheme_largest, 0.9, NULL},
    {"scheme_largest", scheme_largest_trunc, 0.9, NULL},
    {"scheme_largest", scheme_largest_q4, 0.9, NULL},
    {"scheme_tiny", scheme_tiny, 0.9, NULL},
    {"tile_blocks", tile_blocks, 0.9, NULL},
    {"raised_divisor", raised_divisor, 0.85,
     "The bound counts two units for each of 8 blocks, those of two additional tiles, and 100 "
     "for the terms; the blocks lose nothing here."},
    {"most_center", product, 0.9, NULL},
    {"most_doubt", most_doubt, 0.9, NULL},
    {"most_casts", most_casts, 0.9, NULL},
    {"most_lost", most_lost, 0.9, NULL},
    {"size_rest", size_rest, 0.9, NULL},
    {"cast_rest", cast_rest, 0.9, NULL},
    {"divisor", divisor, 0.9, NULL},
    {"apart_common", apart_common, 0.9, NULL},
    {"far_reference", far_reference, 0.9, NULL},
    {"tiles_in_part", tiles_in_part, 0.98, NULL},
    {"largest_exp", largest_exp, 0.89,
     "The bound has twice the logarithm of 1 / (1 - e) for an exponential that errs once, so "
     "half of the term suffices."},
    {"highest_argument", highest_argument, 0.6,
     "The bound has 8 u, which covers models with factors, too; they make the error 7 u."},
    {"largest_sink", largest_sink, 0.98, NULL},
    {"largest_quantised", largest_quantised, 0.93, NULL},
    {"largest_roundings", largest_roundings, 0.89,
     "In the bound every rounding enlarges the sum by a unit roundoff. Only sums just above a "
     "power of two are enlarged so much, and few sums of equal terms are that."},
    {"product", product, 0.9, NULL},
    {"tree_rescales", tree_rescales, 0.8,
     "Every rescale enlarges the sum by a unit in the last place, which is as much as the "
     "bound "
     "counts only just above a power of two; the first addition is exact."},
    {"matrix_rescales", matrix_rescales, 0.75,
     "As for tree_rescales; and the bound counts the blocks of two additional tiles."},
    {"product_least", product_least_divided, 0.2, "As for product_least."},
    {"product_least", product_least, 0.2,
     "Rounding to nearest loses half the least number, where the bound has a whole one; and it "
     "counts one for the product and one for its addition to 0, which is exact."},
    {"matrix_rest", matrix_rest, 0.15,
     "The kernel loses half the least number; the bound has a whole one for the term and for "
     "each block of the two tiles in which a key may be."},
    {"sum_additions", sum_additions_up, 0.9, NULL},
    {"sum_additions", sum_additions_down, 0.9, NULL},
    {"sum_additions", sum_additions_lanes, 0.9, NULL},
    {"sum_join", sum_join, 0.9, NULL},
    {"sum_rescales", sum_rescales, 0.9, NULL},
    {"sum_parts", sum_parts, 0.9, NULL},
    {"narrowed", narrowed, 0.9, NULL},
    {"sum_running", sum_running, 0.9, NULL},
    {"sum_merged", sum_merged, 0.9, NULL},
    {"join_log", join_log, 0.9, NULL},
    {"joined_running", joined_running, 0.9, NULL},
    {"merged", merged, 0.9, NULL},
    {"part_joined", part_joined, 0.9, NULL},
    {"sink_last", sink_last, 0.9, NULL},
    {"summed_offset", summed_offset, 0.9, NULL},
    {"quotient_exp", quotient_exp, 0.9, NULL},
    {"quotient_division", quotient_division, 0.9, NULL},
    {"quotient_range", quotient_range, 0.9, NULL},
    {"sum_least", sum_least, 0.5,
     "The row sum is at least its largest term minus the least number, and here that is the "
     "sharper bound; this term has two least numbers where the kernel loses half of one."},
    {"spread", weight_exp, 0.9, NULL},
    {"sink_spread", sink_exp, 0.9, NULL},
    {"known_spread", known_spread, 0.9, NULL},
    {"known_exp", known_exp, 0.9, NULL},
    {"known_later", known_later, 0.9, NULL},
    {"known_range", known_range, 0.9, NULL},
    {"known_low", known_low, 0.9, NULL},
    {"known_reference", known_reference, 0.89,
     "The bound counts the shift of the reference for the weight, for the reference and for "
     "later factors: more than twice what moves the cast."},
    {"cast_grown", cast_grown, 0.89,
     "The same rescale factors make the row sum smaller here. Its errors are 2 % of the bound, "
     "and half of the term is 1.5 %."},
    {"phi_casts", phi_casts, 0.9, NULL},
    {"phi_product", phi_product, 0.9, NULL},
    {"joined", joined, 0.9, NULL},
    {"joined", joined_factor, 0.9, NULL},
    {"division", division, 0.9, NULL},
};

void judge_run_weights(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
