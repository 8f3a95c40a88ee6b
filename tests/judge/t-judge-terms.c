/* t-judge-terms.c -- the terms of the bound, one by one: kernels that need them.
 *
 * In each case all other terms are far smaller, so that a kernel that uses what its model
 * allows comes near the bound: at least the part of it that the case names. A term that is left
 * out or halved then leaves that kernel outside; tests/judge/mutations.sh does so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "judge/head_bound.h"
#include "judge/simulate.h"
#include "tests/tap.h"

enum { MOST_KEYS = 600, MOST_DIM = 64 };

/* A question of one row and one column, a model, and how its kernels are drawn. */
typedef struct scene {
    attest_judge_variant v;
    attest_qkv qkv;
    double q[MOST_DIM], k[MOST_KEYS * MOST_DIM], value[MOST_KEYS], mask[MOST_KEYS], sink;
    size_t keys, dim, trials;
    bool biased, sunk;
    void (*direct)(attest_judge_recipe *recipe); /* what is not drawn */
    void (*vary)(struct scene *x, uint64_t *state);
} scene;

static double uniform(uint64_t *state)
{
    return (double)(attest_random_next(state) >> 11) * 0x1p-53;
}

static attest_format format(const char *name)
{
    attest_format f = {0};
    attest_error error;

    if (attest_format_parse(&f, name, &error) != ATTEST_OK)
        abort();
    return f;
}

static double rounded(double x, const char *name)
{
    attest_judge_arithmetic unit;
    attest_format f = format(name);

    attest_judge_arithmetic_init(&unit, &f);
    return attest_hosted_convert(x, &unit.hosted);
}

/* Everything in binary64, functions as good as that; keys and values 0, the query 1. */
static void begin(scene *x, size_t keys, size_t dim)
{
    attest_judge_variant *v = &x->v;

    memset(x, 0, sizeof *x);
    attest_judge_variant_init(v);
    v->q = v->k = format("bfloat16");
    v->v = format("binary32");
    v->score.accumulate = v->pv.accumulate = v->sum_accumulate = v->output = format("binary64");
    v->score.exact_products = true;
    v->scale = ATTEST_JUDGE_SCALE_SCORE;
    v->max = ATTEST_JUDGE_MAX_TWO_PASS;
    v->place = ATTEST_JUDGE_PLACE_AFTER;
    v->exp_relative = v->final_relative = v->split_log = v->softcap_relative = 0;
    x->qkv.scale = "none";
    x->keys = keys;
    x->dim = dim;
    x->trials = 20;
    for (size_t c = 0; c < dim; c++)
        x->q[c] = 1;
}

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

/* The bounds of the row: lo, hi, exact, error. */
static bool get_bound(double result[4], attest_judge_head_bound *bound, attest_judge_rule *rule,
                      attest_judge_question *question, scene *x)
{
    attest_error error = {0};

    x->qkv.q = tensor(x->q, 1, x->dim);
    x->qkv.k = tensor(x->k, x->keys, x->dim);
    x->qkv.v = tensor(x->value, x->keys, 1);
    if (x->biased)
        x->qkv.mask = tensor(x->mask, 1, x->keys);
    if (x->sunk)
        x->qkv.sink = tensor(&x->sink, 1, 1);
    if (attest_judge_question_init(question, &x->qkv, &error) != ATTEST_OK)
        return false;
    attest_judge_rule_init(rule, &x->v, question);
    if (attest_judge_head_bound_init(bound, question, rule, 1, &error) != ATTEST_OK ||
        attest_judge_head_bound_load(bound, 0, 0, &error) != ATTEST_OK)
        return false;
    attest_judge_head_bound_rows(result, bound, 0, 1);
    return true;
}

/* How far a value is from the exact one, as a part of what is allowed on its side. */
static double part_of(double out, const double b[4])
{
    if (out >= b[0] && out <= b[1])
        return out > b[2]   ? (out - b[2]) / (b[1] - b[2])
               : out < b[2] ? (b[2] - out) / (b[2] - b[0])
                            : 0;
    return (double)INFINITY; /* and if it is not a number */
}

/* The largest part over all kernels and variations. */
static double measure(scene *x)
{
    uint64_t state = attest_random_mix(x->keys * 1000 + x->dim);
    double worst = 0;

    for (size_t trial = 0; trial < x->trials; trial++) {
        attest_judge_head_bound bound;
        attest_judge_rule rule;
        attest_judge_question question;
        attest_judge_recipe recipe;
        attest_error error = {0};
        double b[4], out;

        if (x->vary)
            x->vary(x, &state);
        if (!get_bound(b, &bound, &rule, &question, x))
            abort();
        for (uint64_t r = 0; r < 8; r++) {
            if (attest_judge_recipe_draw(&recipe, &x->v, trial * 8 + r, &error) != ATTEST_OK)
                abort();
            recipe.push_up = r % 2;
            if (x->direct)
                x->direct(&recipe);
            if (attest_judge_simulate_row(&out, &bound.head, 0, &x->v, &recipe, &error) !=
                ATTEST_OK) {
                printf("# %s\n", error.text);
                fflush(stdout);
                abort();
            }
            worst = fmax(worst, b[1] < (double)INFINITY ? part_of(out, b) : 0);
        }
        attest_judge_head_bound_clear(&bound);
        attest_judge_question_clear(&question);
    }
    return worst;
}

static void expect(scene *x, double least, const char *name)
{
    double part = measure(x);

    TAP_OK(part <= 1 && part >= least, "%s: kernels come to %.3f of the bound, at least %.2f",
           name, part, least);
}

/* ---- directions ---- */

static void push(attest_judge_recipe *r)
{
    r->exp_error = r->final_error = r->log_error = r->softcap_error = ATTEST_RECIPE_PUSH;
}

static void in_order(attest_judge_recipe *r)
{
    r->score = (attest_recipe_dot){ATTEST_RECIPE_FORWARD, ATTEST_RECIPE_FUSED};
    r->pv = r->score;
    r->sum = ATTEST_RECIPE_FORWARD;
    r->lanes = r->lanes > 8 ? r->lanes : 1;
    r->tile = r->cuts = 0;
    r->backward = false;
}

static void blocks_in_order(attest_judge_recipe *r)
{
    r->score.order = ATTEST_RECIPE_BLOCKS;
}

static void one_by_one(attest_judge_recipe *r)
{
    in_order(r);
    push(r);
    r->tile = 1;
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
    push(r);
    flushed(r);
    r->splits = 4;
    r->split_divides_last = false;
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
        x->k[j] = rounded(4 + uniform(state) / 8, x->v.k.name);
    x->q[0] = rounded(1 + uniform(state) / 8, x->v.q.name);
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

    begin(&x, 2, 64); /* 1 and then terms that are rounded up to twice their size */
    two_keys(&x);
    x.v.score.accumulate = x.v.k = format("binary16");
    x.direct = in_order;
    x.k[0] = 1;
    for (size_t c = 1; c < 64; c++)
        x.k[c] = 0x1.02p-11;
    expect(&x, 0.85, "score, any order");
    x.k[63] = -1;
    expect(&x, 0.85, "score, any order, the largest partial sum");
    begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = x.v.q = format("binary16");
    x.v.score.exact_products = false;
    x.vary = vary_scores;
    x.trials = 200;
    expect(&x, 0.8, "score, products rounded");
    begin(&x, 2, 1);
    two_keys(&x);
    x.v.stored = true;
    x.v.store = format("bfloat16");
    x.v.k = format("binary32");
    x.k[0] = 0x1.00fdp2; /* down to 4, and up by as much */
    x.k[1] = 0x1.0103p2;
    expect(&x, 0.9, "score, store");
    x.v.store = format("binary16");
    x.vary = vary_tiny_scores;
    expect(&x, 0.45, "score, least number of the store");
}

static void vary_query(scene *x, uint64_t *state)
{
    x->q[0] = rounded(1.5 + uniform(state) / 8, x->v.q.name);
    x->q[1] = rounded(1.5 + uniform(state) / 8, x->v.q.name);
}

static void vary_large(scene *x, uint64_t *state)
{
    for (size_t j = 0; j < x->keys; j++)
        x->k[j] = rounded(1028 + 8 * uniform(state), "binary32");
    x->q[0] = rounded(1 + uniform(state) / 64, "bfloat16");
}

static void scale_cases(void)
{
    static scene x;

    begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = format("binary32");
    x.qkv.scale = "127/253";
    x.vary = vary_large;
    x.trials = 1000;
    expect(&x, 0.6, "scale, product");
    begin(&x, 2, 2);
    two_keys(&x);
    x.k[0] = x.k[3] = 10;
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.v.scaled_query = format("bfloat16");
    x.qkv.scale = "1/3";
    x.vary = vary_query;
    x.trials = 200;
    expect(&x, 0.6, "scale, query");
    begin(&x, 2, 2);
    two_keys(&x);
    x.k[0] = x.k[3] = 256;
    x.q[0] = 0x1.8p-7;
    x.q[1] = 0x1p-7;
    x.v.q = x.v.k = x.v.scaled_query = format("float8_e4m3fn");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "1/8";
    x.q[0] = 0x1.8p-6;
    x.q[1] = 0x1.4p-6;
    expect(&x, 0.3, "scale, least number of a query");
    begin(&x, 2, 64); /* a scaled query that is subnormal in its format raises exponents */
    two_keys(&x);
    x.v.q = x.v.k = x.v.scaled_query = format("binary16");
    x.v.score.accumulate = format("binary32");
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

static void vary_cap(scene *x, uint64_t *state)
{
    for (size_t j = 0; j < x->keys; j++)
        x->k[j] = rounded(3 + 2 * uniform(state), "binary32");
}

static void softcap_cases(void)
{
    static scene x;

    begin(&x, 2, 1);
    two_keys(&x);
    x.qkv.softcap = "4";
    x.direct = push;
    x.v.k = format("binary32");
    x.vary = vary_cap;
    x.v.softcap_relative = 0x1p-9;
    expect(&x, 0.9, "softcap, relative");
    x.v.softcap_relative = 0;
    x.v.softcap_absolute = 0x1p-9;
    expect(&x, 0.9, "softcap, absolute");
    x.v.softcap_absolute = 0;
    x.v.stored = true;
    x.v.store = format("bfloat16");
    x.trials = 300;
    expect(&x, 0.8, "softcap, slope");
}

/* Key 0 has all its score from the product, key 1 from the mask. */
static void vary_bias(scene *x, uint64_t *state)
{
    x->q[0] = rounded(1 + uniform(state) / 64, "bfloat16");
    x->k[0] = rounded(514 + uniform(state), "binary32");
    x->mask[1] = rounded(x->k[0] * x->q[0], "binary32") + 0x1.fp-16;
    x->k[1] = 0x1.ep-16;
}

static void vary_sink(scene *x, uint64_t *state)
{
    x->k[0] = rounded(514 + uniform(state), "binary32");
    x->q[0] = rounded(1 + uniform(state) / 64, "bfloat16");
    x->k[0] = rounded(x->k[0] * 1.4426950408889634, "binary32");
    x->sink = rounded(x->k[0] * x->q[0] * 0.6931471805599453, "binary32") + 0x1.fp-16;
}

static void folded(attest_judge_recipe *r)
{
    if (r->argument < ATTEST_RECIPE_FOLDED)
        r->argument = ATTEST_RECIPE_FOLDED;
}

static void uncommon_cases(void)
{
    static scene x;

    begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = format("binary32");
    x.biased = true;
    x.qkv.scale = "131073/131072"; /* 1 + 64 2^-23: scale' may be the next, off by 2 u */
    x.vary = vary_bias;
    x.trials = 1000;
    expect(&x, 0.5, "additive mask");
    begin(&x, 1, 1);
    x.value[0] = 1;
    x.v.score.accumulate = x.v.k = format("binary32");
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

    begin(&x, 2, 64);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = format("binary32");
    x.v.k = format("binary16");
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = 64;
    x.v.score.fraction = 13;
    x.direct = blocks_in_order;
    x.k[0] = 1;
    for (size_t c = 1; c < 64; c++)
        x.k[c] = 0x1.fcp-14;
    expect(&x, 0.85, "matrix unit, terms are cut");
    x.v.k = format("binary32");
    x.v.q = format("bfloat16");
    x.v.score.block = 1;
    x.v.score.fraction = 25;
    for (size_t c = 1; c < 64; c++)
        x.k[c] = 0x1.fcp-24;
    expect(&x, 0.5, "matrix unit, results are cut");
    begin(&x, 2, 64); /* a subnormal entry raises the exponent of its product */
    two_keys(&x);
    x.v.q = x.v.k = format("binary16");
    x.v.score.accumulate = format("binary32");
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = 64;
    x.v.score.fraction = 13;
    for (size_t c = 0; c < 64; c++) {
        x.q[c] = 0x1p-20;
        x.k[c] = c == 0 ? 0x1p15 : 252;
    }
    expect(&x, 0.7, "matrix unit, subnormal entries");
}

/* ---- (3): weights. Key 0 is small, its value is all there is ---- */

static void vary_far(scene *x, uint64_t *state)
{
    x->k[0] = rounded(-150 - 90 * uniform(state), "binary32");
    x->k[1] = rounded(uniform(state), "binary32");
}

static void vary_close(scene *x, uint64_t *state)
{
    x->q[0] = rounded(1 + uniform(state) / 256, "bfloat16");
    x->k[0] = rounded(514 + uniform(state), "binary32");
    x->k[1] = rounded(x->k[0] + 0.1 * uniform(state), "binary32");
}

static void weight_cases(void)
{
    static scene x;

    begin(&x, 2, 1);
    x.v.score.accumulate = x.v.k = format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_SCORE;
    x.qkv.scale = "1431655767/4294967296"; /* about 1/3 */
    x.value[0] = 0x1p100;
    x.vary = vary_far;
    x.direct = push;
    x.trials = 300;
    expect(&x, 0.5, "argument of exp");
    begin(&x, 16, 1);
    x.v.k = format("binary32");
    x.v.exp_relative = 0x1p-10;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.value[0] = 0x1p60;
    for (size_t j = 0; j < 16; j++)
        x.k[j] = (double)j;
    x.direct = one_by_one;
    expect(&x, 0.75, "exponentials of rescales, tiles known");
    x.v.direction = ATTEST_JUDGE_DIRECTION_ANY;
    expect(&x, 0.4, "exponentials of rescales, tiles not known");
    begin(&x, 2, 1);
    two_keys(&x);
    x.v.score.accumulate = x.v.k = format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.offset = 8;
    x.qkv.scale = "702/1000";
    x.direct = fused_offset;
    x.vary = vary_close;
    x.trials = 1000;
    expect(&x, 0.15, "references rounded anew");
    begin(&x, 2, 1);
    x.v.score.accumulate = format("binary32");
    x.v.v = format("binary64");
    x.value[0] = 0x1p100;
    x.k[0] = -88;
    x.direct = flushed;
    expect(&x, 0.1, "exponentials that are flushed");
}

static void split_cases(void)
{
    static scene x;

    begin(&x, 4, 1);
    x.v.splits = 4;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.direct = all_parts;
    x.value[0] = x.value[1] = 1;
    x.value[2] = x.value[3] = -1;
    x.v.split_log = 0x1p-9;
    expect(&x, 0.9, "splits, logarithms");
    x.v.split_log = 0;
    x.v.score.accumulate = format("binary32"); /* those of binary64 are simulated exactly */
    x.v.final_relative = 0x1p-9;
    x.k[0] = -20;
    x.value[0] = 0x1p60;
    x.value[1] = x.value[2] = x.value[3] = 0;
    expect(&x, 0.6, "splits, divisions");
    begin(&x, 4, 1);
    x.v.score.accumulate = format("binary32");
    x.v.v = format("binary64");
    x.v.splits = 4;
    x.direct = all_parts;
    for (size_t j = 0; j < 4; j++)
        x.value[j] = 0x1.fp-125;
    expect(&x, 0.3, "splits, products that are flushed");
}

/* ---- (4): casts ---- */

static void vary_weight(scene *x, uint64_t *state)
{
    x->k[0] = rounded(-3 - uniform(state), "binary32");
}

static void cast_cases(void)
{
    static scene x;

    begin(&x, 2, 1);
    x.v.k = format("binary32");
    x.v.max = ATTEST_JUDGE_MAX_LAZY; /* the reference is not known */
    x.v.cast = true;
    x.v.p = format("bfloat16");
    x.value[0] = 1;
    x.vary = vary_weight;
    x.trials = 200;
    expect(&x, 0.8, "cast, relative");
    x.v.p = format("float8_e4m3fn");
    x.vary = NULL;
    x.k[0] = -6.9375; /* just below half the least number */
    expect(&x, 0.9, "cast, least number");
    x.v.offset = 8;
    x.k[0] = -12.4844;
    expect(&x, 0.9, "cast, least number with an offset");
    x.v.offset = 0;
    x.v.p = format("bfloat16");
    x.v.max = ATTEST_JUDGE_MAX_TWO_PASS;
    x.vary = vary_weight;
    expect(&x, 0.9, "cast, reference known");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    x.value[0] = 0;
    x.value[1] = 1;
    expect(&x, 0.4, "cast, in the row sum");
    x.v.sum_of = ATTEST_JUDGE_SUM_UNCAST;
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    x.value[0] = 1;
    x.value[1] = 0;
    expect(&x, 0.8, "cast, of divided weights");
}

/* An exponential below 2^-126 may be that number before it is multiplied by 2^8. */
static void vary_flushed_cast(scene *x, uint64_t *state)
{
    x->k[0] = rounded(-90 - 3 * uniform(state), "binary32");
}

static void known_flush_case(void)
{
    static scene x;

    begin(&x, 2, 1);
    x.v.score.accumulate = x.v.k = format("binary32");
    x.v.cast = true;
    x.v.p = format("bfloat16");
    x.v.offset = 8;
    x.v.v = format("binary64");
    x.value[0] = 0x1p100;
    x.direct = push;
    x.vary = vary_flushed_cast;
    expect(&x, 0.1, "cast, exponentials flushed before the offset");
}

/* ---- (5), (6): sums, quotient, output ---- */

static void sum_cases(void)
{
    static scene x;

    begin(&x, 64, 1);
    x.v.pv.accumulate = x.v.v = format("binary16");
    x.v.pv.exact_products = false;
    x.direct = in_order;
    for (size_t j = 0; j < 64; j++)
        x.value[j] = j == 0 ? 1 : 0x1.02p-11;
    expect(&x, 0.85, "product with V, any order");
    begin(&x, 16, 1); /* O stays where it is though it is made smaller, and grows by twice */
    x.v.k = format("binary32");
    x.v.pv.accumulate = format("binary16");
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.direct = one_by_one;
    for (size_t j = 0; j < 16; j++) {
        x.k[j] = rounded(0x1.bp-12 * (double)j, "binary32");
        x.value[j] = j == 0 ? 1.0625 : 0x1.02p-11;
    }
    expect(&x, 0.7, "product with V, rescales");
    begin(&x, 64, 1);
    x.v.k = format("binary32");
    x.v.sum_accumulate = format("binary16");
    x.direct = in_order;
    x.value[0] = 1;
    for (size_t j = 1; j < 64; j++)
        x.k[j] = -7.6171875; /* 0.0005, above 2^-11 */
    expect(&x, 0.85, "row sum, too large");
    for (size_t j = 1; j < 64; j++)
        x.k[j] = -7.6328125; /* below 2^-11 */
    expect(&x, 0.85, "row sum, too small");
    begin(&x, 512, 1);
    x.v.k = format("binary32");
    x.v.sum_accumulate = format("binary16");
    x.v.lanes = 16;
    x.v.tile = 64;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.direct = NULL;
    x.value[0] = 1;
    for (size_t j = 1; j < 512; j++)
        x.k[j] = j % 64 % 16 ? -60 : -7.6171875;
    expect(&x, 0.5, "row sum, lanes");
}

static void any_output(attest_judge_recipe *r)
{
    r->output = ATTEST_RECIPE_PUSH;
}

static void last_cases(void)
{
    static scene x;

    begin(&x, 2, 1);
    x.value[0] = 1;
    x.v.score.accumulate = format("binary32");
    x.v.final_relative = 0x1p-10;
    x.direct = push;
    expect(&x, 0.95, "division");
    begin(&x, 3, 1);
    x.value[0] = 1;
    x.v.output = format("bfloat16");
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
    attest_judge_head_bound bound;
    attest_judge_rule rule;
    attest_judge_question question;
    double b[4], e = 0x1p-10, y = exp(-0.5), sum = 1, out, part;

    begin(&x, 65, 1);
    x.v.exp_relative = e;
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    for (size_t j = 0; j < 65; j++) {
        x.k[j] = j == 0 ? 0 : -0.5;
        x.value[j] = 1;
        sum += j == 0 ? 0 : y * (1 - e * (1 - 0x1p-20));
    }
    out = 1 / sum + 64 * y * (1 + e * (1 - 0x1p-20)) / sum;
    if (!get_bound(b, &bound, &rule, &question, &x))
        abort();
    part = part_of(out, b);
    TAP_OK(part <= 1 && part >= 0.6, "weights divided one by one: %.3f of the bound", part);
    attest_judge_head_bound_clear(&bound);
    attest_judge_question_clear(&question);
}

/* ---- where nothing may be said ---- */

static void expect_nothing(scene *x, const char *name)
{
    attest_judge_head_bound bound;
    attest_judge_rule rule;
    attest_judge_question question;
    double b[4];

    if (!get_bound(b, &bound, &rule, &question, x))
        abort();
    TAP_OK(b[0] == (double)-INFINITY && b[1] == (double)INFINITY, "%s: no bound", name);
    attest_judge_head_bound_clear(&bound);
    attest_judge_question_clear(&question);
}

static void overflow_cases(void)
{
    static scene x;

    begin(&x, 2, 1);
    two_keys(&x);
    x.v.q = x.v.scaled_query = format("float8_e4m3fn");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "2";
    x.q[0] = 448;
    x.k[0] = x.k[1] = 0x1p-9;
    expect_nothing(&x, "a query overflows its format");
    begin(&x, 230, 1); /* 256 times the value: 273 each, rounded up to 288 */
    x.v.pv.accumulate = x.v.v = format("binary16");
    for (size_t j = 0; j < 230; j++)
        x.value[j] = 273.0 / 256;
    x.v.offset = 8;
    expect_nothing(&x, "a sum that overflows when it is rounded");
    begin(&x, 2, 1);
    x.v.score.accumulate = format("binary32");
    x.v.v = format("binary64");
    x.value[0] = x.value[1] = 1e300;
    expect_nothing(&x, "a quotient that overflows the working format");
}

int main(void)
{
    score_cases();
    scale_cases();
    softcap_cases();
    uncommon_cases();
    tensor_cases();
    weight_cases();
    split_cases();
    cast_cases();
    known_flush_case();
    sum_cases();
    last_cases();
    apart_case();
    overflow_cases();
    return tap_done();
}
