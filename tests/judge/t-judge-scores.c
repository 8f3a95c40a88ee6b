/* t-judge-scores.c -- kernels that need the terms of the bound that scores have, (1) and (2),
 * one by one. */
#include "tests/judge/expect.h"

#include <math.h>

static void blocks_in_order(attest_judge_recipe *r)
{
    r->score.order = ATTEST_RECIPE_BLOCKS;
}

/* ---- (1), (2): scores ---- */

/* Keys 0 and 1 are equal but for what rounding does to the first; v = 1, -1. */
static void two_keys(scene *x)
{
    x->value[0] = 1;
    x->value[1] = -1;
}

static void vary_scores(scene *x, uint64_t *state)
{
    for (size_t j = 0; j < x->keys; j++)
        x->k[j] = scene_round(4 + scene_uniform(state) / 8, x->v.k.name);
    x->q[0] = scene_round(1 + scene_uniform(state) / 8, x->v.q.name);
}

static void vary_tiny_scores(scene *x, uint64_t *state)
{
    (void)state;
    x->q[0] = 0x1.02p-13;
    x->k[0] = 0x1p-12;
    x->k[1] = -x->k[0];
}

static void score_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 64); /* 1 and then terms that are rounded up to twice their size */
    two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary16");
    x.direct = scene_in_order;
    x.k[0] = 1;
    for (size_t c = 1; c < 64; c++)
        x.k[c] = 0x1.02p-11;
    expect(&x, 0.85, "score, any order");
    x.k[63] = -1;
    expect(&x, 0.85, "score, any order, the largest partial sum");
    scene_begin(&x, 2, 64); /* rounded up by pairs, and by fours */
    two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary16");
    x.v.score.order = ATTEST_JUDGE_ORDER_PAIRWISE;
    x.v.score.block = 64;
    x.qkv.scale = "1/32";
    for (size_t c = 0; c < 64; c++)
        x.k[c] = c % 2 ? 0x1.02p-11 : c % 4 ? 1 + 0x1p-10 : 1;
    expect(&x, 0.2, "score, pairwise");
    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = x.v.q = scene_format("binary16");
    x.v.score.exact_products = false;
    x.vary = vary_scores;
    x.trials = 200;
    expect(&x, 0.8, "score, products rounded");
    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.stored = true;
    x.v.store = scene_format("bfloat16");
    x.v.k = scene_format("binary32");
    x.k[0] = 0x1.00fdp2; /* down to 4, and up by as much */
    x.k[1] = 0x1.0103p2;
    expect(&x, 0.9, "score, store");
    x.v.store = scene_format("binary16");
    x.vary = vary_tiny_scores;
    expect(&x, 0.45, "score, least number of the store");
}

/* As score, store, after the steps that follow. */
static void stored_steps(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.scale = ATTEST_JUDGE_SCALE_SCORE;
    x.v.scale_stored = true;
    x.v.scale_store = scene_format("bfloat16");
    x.v.k = scene_format("binary32");
    x.k[0] = 0x1.00fdp2;
    x.k[1] = 0x1.0103p2;
    expect(&x, 0.9, "scale, store");
    x.v.scale_store = scene_format("binary16");
    x.vary = vary_tiny_scores;
    expect(&x, 0.45, "scale, least number of the store");
    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.biased = true;
    x.v.mask_stored = true;
    x.v.mask_store = scene_format("bfloat16");
    x.k[0] = x.k[1] = 0;
    x.mask[0] = 0x1.00fdp2;
    x.mask[1] = 0x1.0103p2;
    expect(&x, 0.9, "mask, store");
    x.v.mask_store = scene_format("binary16");
    x.mask[0] = 0x1.02p-25;
    x.mask[1] = -x.mask[0];
    expect(&x, 0.45, "mask, least number of the store");
    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.qkv.softcap = "5";
    x.v.softcap_stored = true;
    x.v.softcap_store = scene_format("bfloat16");
    x.v.k = scene_format("binary32");
    x.k[0] = 0x1.7fc2b2p0; /* up three times, and down three times */
    x.k[1] = 0x1.643f32p0;
    expect(&x, 0.7, "softcap, store: three roundings");
    x.v.softcap_store = scene_format("binary16");
    x.qkv.softcap = "1";
    x.vary = vary_tiny_scores;
    x.trials = 1;
    expect(&x, 0.12, "softcap, least number of the store");
}

static void vary_query(scene *x, uint64_t *state)
{
    x->q[0] = scene_round(1.5 + scene_uniform(state) / 8, x->v.q.name);
    x->q[1] = scene_round(1.5 + scene_uniform(state) / 8, x->v.q.name);
}

static void vary_large(scene *x, uint64_t *state)
{
    for (size_t j = 0; j < x->keys; j++)
        x->k[j] = scene_round(1028 + 8 * scene_uniform(state), "binary32");
    x->q[0] = scene_round(1 + scene_uniform(state) / 64, "bfloat16");
}

static void scale_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.qkv.scale = "127/253";
    x.vary = vary_large;
    x.trials = 1000;
    expect(&x, 0.6, "scale, product");
    scene_begin(&x, 2, 2);
    two_keys(&x);
    x.k[0] = x.k[3] = 10;
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.v.scaled_query = scene_format("bfloat16");
    x.qkv.scale = "1/3";
    x.vary = vary_query;
    x.trials = 200;
    expect(&x, 0.6, "scale, query");
    scene_begin(&x, 2, 2);
    two_keys(&x);
    x.k[0] = x.k[3] = 256;
    x.q[0] = 0x1.8p-7;
    x.q[1] = 0x1p-7;
    x.v.q = x.v.k = x.v.scaled_query = scene_format("float8_e4m3fn");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "1/8";
    x.q[0] = 0x1.8p-6;
    x.q[1] = 0x1.4p-6;
    expect(&x, 0.3, "scale, least number of a query");
    scene_begin(&x, 2,
                64); /* a scaled query that is subnormal in its format raises exponents */
    two_keys(&x);
    x.v.q = x.v.k = x.v.scaled_query = scene_format("binary16");
    x.v.score.accumulate = scene_format("binary32");
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = 64;
    x.v.score.fraction = 13;
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "1/16";
    for (size_t c = 0; c < 64; c++) {
        x.q[c] = 0x1p-11;
        x.k[c] = c == 0 ? 0x1p15 : 7.5;
    }
    expect(&x, 0.7, "scale, a subnormal query in a matrix unit");
}

/* Two keys with the score 64, whatever the scale and the factors. */
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

/* A query that is multiplied by log2 e too and rounded to bfloat16, by a scale of 1: key 0 has
 * the entry that rounding moves up the most, key 1 the one that it moves down. */
static void query_in_log2_case(void)
{
    static scene x;
    double b[4], log2e = 1 / log(2), most = 0, least = 0, t[2], part;

    scene_begin(&x, 2, 2);
    two_keys(&x);
    x.k[0] = x.k[3] = 10;
    x.v.scale = ATTEST_JUDGE_SCALE_ANY;
    x.v.scaled_query = scene_format("bfloat16");
    for (double q = 1; q < 1.3; q += 0x1p-7) {
        double moved = scene_round(q * log2e, "bfloat16") - q * log2e;

        if (moved > most)
            most = moved, x.q[0] = q;
        if (moved < least)
            least = moved, x.q[1] = q;
    }
    for (size_t j = 0; j < 2; j++)
        t[j] = scene_round(x.q[j] * log2e, "bfloat16") * 10;
    scene_get_bound(b, &x);
    part = scene_part(1 - 2 / (1 + exp2(t[0] - t[1])), b);
    TAP_OK(part <= 1 && part >= 0.4, "scale, query in units of log2: %.3f of the bound", part);
}

static void vary_cap(scene *x, uint64_t *state)
{
    for (size_t j = 0; j < x->keys; j++)
        x->k[j] = scene_round(3 + 2 * scene_uniform(state), "binary32");
}

static void softcap_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.qkv.softcap = "4";
    x.direct = scene_push;
    x.v.k = scene_format("binary32");
    x.vary = vary_cap;
    x.v.softcap_relative = 0x1p-9;
    expect(&x, 0.9, "softcap, relative");
    x.v.softcap_relative = 0;
    x.v.softcap_absolute = 0x1p-9;
    expect(&x, 0.9, "softcap, absolute");
    x.v.softcap_absolute = 0;
    x.v.stored = true;
    x.v.store = scene_format("bfloat16");
    x.trials = 300;
    expect(&x, 0.8, "softcap, slope");
}

/* Key 0 has all its score from the product, key 1 from the mask. */
static void vary_bias(scene *x, uint64_t *state)
{
    x->q[0] = scene_round(1 + scene_uniform(state) / 64, "bfloat16");
    x->k[0] = scene_round(514 + scene_uniform(state), "binary32");
    x->mask[1] = scene_round(x->k[0] * x->q[0], "binary32") + 0x1.fp-16;
    x->k[1] = 0x1.ep-16;
}

static void vary_sink(scene *x, uint64_t *state)
{
    x->k[0] = scene_round(514 + scene_uniform(state), "binary32");
    x->q[0] = scene_round(1 + scene_uniform(state) / 64, "bfloat16");
    x->k[0] = scene_round(x->k[0] * 1.4426950408889634, "binary32");
    x->sink = scene_round(x->k[0] * x->q[0] * 0.6931471805599453, "binary32") + 0x1.fp-16;
}

static void folded(attest_judge_recipe *r)
{
    if (r->argument < ATTEST_RECIPE_FOLDED)
        r->argument = ATTEST_RECIPE_FOLDED;
}

static void uncommon_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.biased = true;
    x.qkv.scale = "131073/131072"; /* 1 + 64 2^-23: scale' may be the next, off by 2 u */
    x.vary = vary_bias;
    x.trials = 1000;
    expect(&x, 0.5, "additive mask");
    scene_begin(&x, 1, 1);
    x.value[0] = 1;
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.sunk = true;
    /* times log2 e: 1 + (64 - 0.45) 2^-23, which two numbers of binary32 above may stand for */
    x.qkv.scale = "0.6931524316699416979151108475950181831707";
    x.direct = folded;
    x.vary = vary_sink;
    x.trials = 1000;
    expect(&x, 0.6, "sink against keys");
}

/* ---- matrix units ---- */

static void tensor_cases(void)
{
    static scene x;

    scene_begin(&x, 2, 64);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.k = scene_format("binary16");
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = 64;
    x.v.score.fraction = 13;
    x.direct = blocks_in_order;
    x.k[0] = 1;
    for (size_t c = 1; c < 64; c++)
        x.k[c] = 0x1.fcp-14;
    expect(&x, 0.85, "matrix unit, terms are cut");
    x.v.k = scene_format("binary32");
    x.v.q = scene_format("bfloat16");
    x.v.score.block = 1;
    x.v.score.fraction = 25;
    for (size_t c = 1; c < 64; c++)
        x.k[c] = 0x1.fcp-24;
    expect(&x, 0.5, "matrix unit, results are cut");
    scene_begin(&x, 2, 64); /* groups from 0: what is cut is a part of their own terms */
    two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    x.v.k = scene_format("binary16");
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = x.v.score.promote = 16;
    x.v.score.fraction = 13;
    x.direct = blocks_in_order;
    for (size_t c = 0; c < 64; c++)
        x.k[c] = c % 16 == 0 ? 1 : 0x1.fcp-14;
    expect(&x, 0.7, "matrix unit, promoted sums");
    scene_begin(&x, 2, 64); /* a subnormal entry raises the exponent of its product */
    two_keys(&x);
    x.v.q = x.v.k = scene_format("binary16");
    x.v.score.accumulate = scene_format("binary32");
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = 64;
    x.v.score.fraction = 13;
    for (size_t c = 0; c < 64; c++) {
        x.q[c] = 0x1p-20;
        x.k[c] = c == 0 ? 0x1p15 : 252;
    }
    expect(&x, 0.7, "matrix unit, subnormal entries");
}

int main(void)
{
    score_cases();
    scale_cases();
    exact_scale_case();
    query_in_log2_case();
    stored_steps();
    softcap_cases();
    uncommon_cases();
    tensor_cases();
    return tap_done();
}
