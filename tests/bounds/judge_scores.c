/* judge_scores.c -- rows of the judge's terms (1), (2): sums of products, matrix units, scale,
 * softcap, additive mask. */
#include "tests/bounds/judge_rows.h"

#include <math.h>

static scene x;

static void blocks_in_order(attest_judge_recipe *r)
{
    r->score.order = ATTEST_RECIPE_BLOCKS;
}

static void flushed_in_order(attest_judge_recipe *r)
{
    scene_in_order(r);
    r->flush = true;
}

/* ---- (1): sums ---- */

/* Two keys whose score is 1 and then terms that are rounded up to twice their size. */
static void begin_sum(void)
{
    scene_begin(&x, 2, 64);
    judge_two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary16");
    x.direct = scene_in_order;
    x.k[0] = 1;
    for (size_t c = 1; c < 64; c++)
        x.k[c] = 0x1.02p-11;
}

static double tree_additions(void)
{
    begin_sum();
    return scene_measure(&x);
}

static double tree_additions_partial(void)
{
    begin_sum();
    x.k[63] = -1;
    return scene_measure(&x);
}

/* Products just above and just below the middle of two numbers. */
static double tree_products(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.score.accumulate = x.v.k = x.v.q = scene_format("binary16");
    x.v.score.exact_products = false;
    x.q[0] = 1 + 16 * 0x1p-10;
    x.k[0] = 1 + 33 * 0x1p-10;
    x.k[1] = 1 + 31 * 0x1p-10;
    x.trials = 1;
    return scene_measure(&x);
}

/* Products just below 2^-126, all flushed. */
static double tree_least(void)
{
    scene_begin(&x, 2, 64);
    judge_two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    x.qkv.scale = "0x1p110";
    x.direct = flushed_in_order;
    for (size_t c = 0; c < 64; c++) {
        x.q[c] = 0x1p-63;
        x.k[c] = 0x1.fcp-64;
        x.k[64 + c] = -x.k[c];
    }
    return scene_measure(&x);
}

/* Rounded up by pairs, and by fours. */
static double tree_depth(void)
{
    scene_begin(&x, 2, 64);
    judge_two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary16");
    x.v.score.order = ATTEST_JUDGE_ORDER_PAIRWISE;
    x.v.score.block = 64;
    x.qkv.scale = "1/32";
    for (size_t c = 0; c < 64; c++)
        x.k[c] = c % 2 ? 0x1.02p-11 : c % 4 ? 1 + 0x1p-10 : 1;
    return scene_measure(&x);
}

/* ---- matrix units ---- */

/* Scores of 64 entries in so large blocks; key 0 is 1 and then terms that are cut. */
static void begin_matrix(size_t block, size_t fraction, const char *k, double term)
{
    scene_begin(&x, 2, 64);
    judge_two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    x.v.k = scene_format(k);
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = block;
    x.v.score.fraction = fraction;
    x.direct = blocks_in_order;
    for (size_t c = 0; c < 64; c++)
        x.k[c] = c == 0 ? 1 : term;
}

/* The last term takes the first one away, and the scale makes the rest large. */
static void cancel(void)
{
    x.k[63] = -1;
    x.qkv.scale = "16";
}

static double matrix_cut(void)
{
    begin_matrix(64, 13, "binary16", 0x1.fcp-14);
    return scene_measure(&x);
}

static double matrix_kept_23(void)
{
    begin_matrix(1, 30, "binary32", 0x1.fcp-24);
    cancel();
    return scene_measure(&x);
}

/* Binary16: to nearest. */
static double matrix_kept_half(void)
{
    begin_matrix(1, 25, "binary16", 0x1.02p-11);
    x.v.score.accumulate = scene_format("binary16");
    return scene_measure(&x);
}

/* A subnormal entry raises the exponent of its product. */
static double matrix_raised(void)
{
    begin_matrix(64, 13, "binary16", 252);
    x.v.q = scene_format("binary16");
    x.k[0] = 0x1p15;
    for (size_t c = 0; c < 64; c++)
        x.q[c] = 0x1p-20;
    return scene_measure(&x);
}

/* So does a scaled query that is subnormal in its format. */
static double matrix_raised_query(void)
{
    begin_matrix(64, 13, "binary16", 7.5);
    x.v.q = x.v.scaled_query = scene_format("binary16");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "1/16";
    x.k[0] = 0x1p15;
    for (size_t c = 0; c < 64; c++)
        x.q[c] = 0x1p-11;
    return scene_measure(&x);
}

/* A result just below half the least number of binary16. */
static double matrix_least(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.score.accumulate = scene_format("binary16");
    x.v.score.order = ATTEST_JUDGE_ORDER_TENSOR_FORWARD;
    x.v.score.block = 16;
    x.v.score.fraction = 25;
    x.qkv.scale = "0x1p14";
    x.q[0] = 0x1p-13;
    x.k[0] = 0x1.fcp-13;
    x.k[1] = -x.k[0];
    return scene_measure(&x);
}

/* ---- groups of blocks, summed from 0 ---- */

static double group_cut(void)
{
    begin_matrix(16, 13, "binary16", 0x1.fcp-14);
    x.v.score.promote = 16;
    for (size_t c = 16; c < 64; c += 16)
        x.k[c] = 1;
    return scene_measure(&x);
}

static double group_kept(void)
{
    begin_matrix(1, 30, "binary32", 0x1.fcp-24);
    x.v.score.promote = 64;
    return scene_measure(&x);
}

static double group_additions(void)
{
    begin_matrix(1, 30, "binary32", 0x1.02p-24);
    x.v.score.promote = 1;
    cancel();
    return scene_measure(&x);
}

static double group_raised(void)
{
    begin_matrix(16, 13, "binary16", 252);
    x.v.score.promote = 16;
    x.v.q = scene_format("binary16");
    for (size_t c = 0; c < 64; c++) {
        x.q[c] = 0x1p-20;
        x.k[c] = c % 16 ? 252 : 0x1p15;
    }
    return scene_measure(&x);
}

static double group_least(void)
{
    matrix_least();
    x.v.score.promote = 16;
    return scene_measure(&x);
}

/* ---- store, scale, query ---- */

static double store_rounding(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.stored = true;
    x.v.store = scene_format("bfloat16");
    x.v.k = scene_format("binary32");
    x.k[0] = 0x1.00fdp2; /* down to 4, and up by as much */
    x.k[1] = 0x1.0103p2;
    return scene_measure(&x);
}

static double store_least(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.stored = true;
    x.v.store = scene_format("binary16");
    x.q[0] = 0x1.02p-13;
    x.k[0] = 0x1p-12;
    x.k[1] = -x.k[0];
    return scene_measure(&x);
}

static void vary_large(scene *s, uint64_t *state)
{
    for (size_t j = 0; j < s->keys; j++)
        s->k[j] = scene_round(1028 + 8 * scene_uniform(state), "binary32");
    s->q[0] = scene_round(1 + scene_uniform(state) / 64, "bfloat16");
}

static double scale_product(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.qkv.scale = "127/253";
    x.vary = vary_large;
    x.trials = 300;
    return scene_measure(&x);
}

/* Scores of which some may be flushed, t of key 0 and not that of key 2, so that the maximum is
 * raised once more: (i). Keys 0 and 1 are the first tile, key 1 is small and has the value, keys
 * 3 to 29 are a little smaller than key 2. The exponentials err as far as they may. */
static double raised_by_flush(void)
{
    const double e = 0x1p-8 * (1 - 0x1p-10);
    double b[4], small = exp(-10) * (1 - e) * (1 - e), sum = 1 - e + small + 1;

    x.v.exp_relative = 0x1p-8;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 2;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.score.accumulate = scene_format("binary32");
    x.value[1] = 1;
    scene_get_bound(b, &x);
    for (size_t j = 3; j < 30; j++)
        sum += exp(-0.0625) * (1 + e);
    return scene_part(small / sum, b);
}

static double scale_least(void)
{
    scene_begin(&x, 30, 1);
    x.qkv.scale = "1/48";
    x.k[0] = 0x1.6cp-121;
    x.k[1] = -480;
    x.k[2] = 0x1.8p-122;
    for (size_t j = 3; j < 30; j++)
        x.k[j] = -3;
    return raised_by_flush();
}

static double mask_least(void)
{
    scene_begin(&x, 30, 1);
    x.biased = true;
    x.qkv.scale = "0x1p-10";
    x.mask[0] = 0x1.ep-127;
    x.mask[1] = -10;
    x.mask[2] = 0x1p-127;
    for (size_t j = 3; j < 30; j++)
        x.mask[j] = -0.0625;
    return raised_by_flush();
}

static void vary_query(scene *s, uint64_t *state)
{
    s->q[0] = scene_round(1.5 + scene_uniform(state) / 8, s->v.q.name);
    s->q[1] = scene_round(1.5 + scene_uniform(state) / 8, s->v.q.name);
}

static double query_rounding(void)
{
    scene_begin(&x, 2, 2);
    judge_two_keys(&x);
    x.k[0] = x.k[3] = 10;
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.v.scaled_query = scene_format("bfloat16");
    x.qkv.scale = "1/3";
    x.vary = vary_query;
    x.trials = 200;
    return scene_measure(&x);
}

/* A query that is multiplied by log2 e too and rounded to bfloat16, by a scale of 1: key 0 has
 * the entry that rounding moves up the most, key 1 the one that it moves down. */
static double query_rounding_log2(void)
{
    double b[4], log2e = 1 / log(2), most = 0, least = 0, t[2];

    scene_begin(&x, 2, 2);
    judge_two_keys(&x);
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
    return scene_part(1 - 2 / (1 + exp2(t[0] - t[1])), b);
}

static double query_least(void)
{
    scene_begin(&x, 2, 2);
    judge_two_keys(&x);
    x.k[0] = x.k[3] = 256;
    x.v.q = x.v.k = x.v.scaled_query = scene_format("float8_e4m3fn");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "1/8";
    x.q[0] = 0x1.8p-6;
    x.q[1] = 0x1.4p-6;
    return scene_measure(&x);
}

/* ---- softcap, mask ---- */

static void vary_cap(scene *s, uint64_t *state)
{
    for (size_t j = 0; j < s->keys; j++)
        s->k[j] = scene_round(3 + 2 * scene_uniform(state), "binary32");
}

static void begin_cap(const char *cap)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.qkv.softcap = cap;
    x.direct = scene_push;
    x.v.k = scene_format("binary32");
    x.vary = vary_cap;
}

static double cap_relative(void)
{
    begin_cap("4");
    x.v.softcap_relative = 0x1p-9;
    return scene_measure(&x);
}

static double cap_absolute(void)
{
    begin_cap("4");
    x.v.softcap_absolute = 0x1p-9;
    return scene_measure(&x);
}

static double cap_slope(void)
{
    begin_cap("4");
    x.v.stored = true;
    x.v.store = scene_format("bfloat16");
    x.trials = 300;
    return scene_measure(&x);
}

/* Two equal keys; a kernel whose capped scores are the exact one at 1 + argument of itself,
 * times 1 + after, for key 0, and as much below for key 1: (f). */
static double capped_part(double t, double c, double argument, double after)
{
    double b[4], up, down;

    x.vary = NULL;
    x.k[0] = x.k[1] = t;
    scene_get_bound(b, &x);
    up = c * tanh(t / c * (1 + argument)) * (1 + after);
    down = c * tanh(t / c * (1 - argument)) * (1 - after);
    return scene_part(tanh((up - down) / 2), b);
}

/* 5 unit roundoffs of the argument, one of tanh and two of the product with c'. */
static double cap_argument(void)
{
    const double u = 0x1p-24;

    begin_cap("3000");
    x.v.score.accumulate = scene_format("binary32");
    x.qkv.scale = "none";
    return capped_part(300, 3000, 5 * u, 3 * u);
}

/* The same far to the right, where tanh is flat: what is left is the product with c'. */
static double cap_product(void)
{
    const double u = 0x1p-24;

    begin_cap("30");
    x.v.score.accumulate = scene_format("binary32");
    return capped_part(300, 30, 5 * u, 3 * u);
}

/* Key 0 has all its score from the product, key 1 from the mask. */
static void vary_bias(scene *s, uint64_t *state)
{
    s->q[0] = scene_round(1 + scene_uniform(state) / 64, "bfloat16");
    s->k[0] = scene_round(514 + scene_uniform(state), "binary32");
    s->mask[1] = scene_round(s->k[0] * s->q[0], "binary32") + 0x1.fp-16;
    s->k[1] = 0x1.ep-16;
}

static double mask_sum(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.biased = true;
    x.qkv.scale = "131073/131072"; /* 1 + 64 2^-23: scale' may be the next, off by 2 u */
    x.vary = vary_bias;
    x.trials = 400;
    return scene_measure(&x);
}

static const table_row rows[] = {
    {"tree_additions", tree_additions, 0.9, NULL},
    {"tree_additions", tree_additions_partial, 0.9, NULL},
    {"tree_products", tree_products, 0.9, NULL},
    {"tree_least", tree_least, 0.4, ""},
    {"tree_depth", tree_depth, 0.2, ""},
    {"matrix_cut", matrix_cut, 0.9, NULL},
    {"matrix_kept", matrix_kept_23, 0.6, ""},
    {"matrix_kept", matrix_kept_half, 0.6, ""},
    {"matrix_raised", matrix_raised, 0.9, NULL},
    {"matrix_raised", matrix_raised_query, 0.7, ""},
    {"matrix_least", matrix_least, 0.4, ""},
    {"group_cut", group_cut, 0.8, ""},
    {"group_kept", group_kept, 0.6, ""},
    {"group_additions", group_additions, 0.9, NULL},
    {"group_raised", group_raised, 0.5, ""},
    {"group_least", group_least, 0.2, ""},
    {"store_rounding", store_rounding, 0.9, NULL},
    {"store_least", store_least, 0.4, ""},
    {"scale_product", scale_product, 0.75, ""},
    {"scale_least", scale_least, 0.85, ""},
    {"mask_least", mask_least, 0.85, ""},
    {"query_rounding", query_rounding, 0.6, ""},
    {"query_rounding", query_rounding_log2, 0.5, ""},
    {"query_least", query_least, 0.4, ""},
    {"cap_relative", cap_relative, 0.9, NULL},
    {"cap_absolute", cap_absolute, 0.9, NULL},
    {"cap_slope", cap_slope, 0.8, ""},
    {"cap_argument", cap_argument, 0.75, ""},
    {"cap_product", cap_product, 0.6, ""},
    {"mask_sum", mask_sum, 0.5, ""},
};

void judge_run_scores(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
