/* judge_scores.c -- rows of the judge's terms (1), (2): sums of products, matrix units, scale,
 * softcap, additive mask. */
#include "tests/bounds/judge_rows.h"

#include <math.h>
#include <stdio.h>

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

/* A sum of 1 that each of six additions of pairs rounds up to twice what it adds. */
static double tree_depth(void)
{
    scene_begin(&x, 2, 64);
    judge_two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary16");
    x.v.score.order = ATTEST_JUDGE_ORDER_PAIRWISE;
    x.v.score.block = 64;
    x.k[0] = 1;
    for (size_t c = 1; c < 64; c *= 2)
        x.k[c] = 0x1.02p-11;
    return scene_measure(&x);
}

/* The exact sum is 65504.5, which binary16 would round to its largest number; rounded one by
 * one the terms reach 65520.25, which is beyond it. */
static double limit_error(void)
{
    scene_begin(&x, 2, 3);
    judge_two_keys(&x);
    x.v.score.accumulate = scene_format("binary16");
    x.v.k = scene_format("binary32");
    x.qkv.scale = "1/1048576";
    x.direct = scene_in_order;
    x.k[0] = 65472;
    x.k[1] = x.k[2] = 16.25;
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
    begin_matrix(64, 13, "binary16", 7.875);
    x.v.q = x.v.scaled_query = scene_format("binary16");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.qkv.scale = "1/16";
    x.k[0] = 0x1p15;
    for (size_t c = 0; c < 64; c++)
        x.q[c] = 0x1.004p-11; /* and loses half of a least number */
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
    begin_matrix(32, 20, "binary32", 0x1.ffp-21);
    x.v.score.promote = 32;
    x.k[32] = 1;
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
    begin_matrix(32, 16, "binary16", 31.984375);
    x.v.score.promote = 32;
    x.v.q = scene_format("binary16");
    for (size_t c = 0; c < 64; c++) {
        x.q[c] = 0x1p-20;
        x.k[c] = c % 32 ? 31.984375 : 0x1p15;
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

/* Scores that the format rounds down to 4, and up by as much. */
static void begin_stored(bool *stored, attest_format *store)
{
    judge_two_keys(&x);
    *stored = true;
    *store = scene_format("bfloat16");
    x.v.k = scene_format("binary32");
    x.k[0] = 0x1.00fdp2;
    x.k[1] = 0x1.0103p2;
}

/* Scores that are just above half the least number of binary16, and its negative. */
static void begin_stored_least(attest_format *store)
{
    *store = scene_format("binary16");
    x.q[0] = 0x1.02p-13;
    x.k[0] = 0x1p-12;
    x.k[1] = -x.k[0];
}

static double store_rounding(void)
{
    scene_begin(&x, 2, 1);
    begin_stored(&x.v.stored, &x.v.store);
    return scene_measure(&x);
}

static double store_least(void)
{
    store_rounding();
    begin_stored_least(&x.v.store);
    return scene_measure(&x);
}

static double scale_stored(void)
{
    scene_begin(&x, 2, 1);
    begin_stored(&x.v.scale_stored, &x.v.scale_store);
    return scene_measure(&x);
}

static double scale_stored_least(void)
{
    scale_stored();
    begin_stored_least(&x.v.scale_store);
    return scene_measure(&x);
}

/* The sum and its product with the scale round key 0 up and key 1 down, by nearly a unit
 * roundoff each: the best of some thousand keys. */
static void vary_large(scene *s, uint64_t *state)
{
    const double scale = (float)(127.0 / 253);

    s->q[0] = 1 + 0x1p-7;
    for (size_t j = 0; j < s->keys; j++) {
        double most = 0;

        for (int i = 0; i < 4000; i++) {
            double k = scene_round(1028 + scene_uniform(state), "binary32");
            double moved = (float)((float)(s->q[0] * k) * scale) - s->q[0] * k * scale;

            moved = j == 0 ? moved : -moved;
            if (moved > most) {
                most = moved;
                s->k[j] = k;
            }
        }
    }
}

static double scale_product(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.qkv.scale = "127/253";
    x.vary = vary_large;
    x.trials = 2;
    return scene_measure(&x);
}

/* Scores of which some may be flushed, t of key 0 and not that of key 2, so that the maximum is
 * raised once more: (i). Keys 0 and 1 are the first tile, key 1 is small and has the value,
 * keys 3 to 29 are a little smaller than key 2. The exponentials err as far as they may. */
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

/* Entries of a query that are rounded to bfloat16, times a third: key 0 has the one that is
 * rounded up, key 1 the one that is rounded down. */
static double query_rounding(void)
{
    scene_begin(&x, 2, 2);
    judge_two_keys(&x);
    x.k[0] = x.k[3] = 1;
    x.v.q = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.v.scaled_query = scene_format("bfloat16");
    x.qkv.scale = "1/3";
    x.q[0] = 0x1.0101p-1 * 3;
    x.q[1] = 0x1.00ffp-1 * 3;
    return scene_measure(&x);
}

/* The same in units of log2, by a scale of 1. */
static double query_rounding_log2(void)
{
    double b[4], moved[2];

    scene_begin(&x, 2, 2);
    judge_two_keys(&x);
    x.k[0] = x.k[3] = 1;
    x.v.q = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_ANY;
    x.v.scaled_query = scene_format("bfloat16");
    x.q[0] = scene_round(0x1.0101p0 * log(2), "binary32");
    x.q[1] = scene_round(0x1.00ffp0 * log(2), "binary32");
    for (size_t j = 0; j < 2; j++)
        moved[j] = scene_round(x.q[j] / log(2), "bfloat16") * log(2);
    scene_get_bound(b, &x);
    return scene_part(tanh((moved[0] - moved[1]) / 2), b);
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

/* ---- limits that errors of the scale reach ---- */

/* The scale is below 65520 by `units` u of that number, so that the roundings of a kernel may
 * exceed it; the largest number of binary16 is 65504. Returns the part of what the bound
 * counts, if it excludes such kernels. */
static double reached_limit(double units, double counted)
{
    char scale[64];
    double b[4];

    snprintf(scale, sizeof scale, "%.0f/1048576",
             ceil(65520 * 0x1p20 * (1 - 0.98 * units * 0x1p-24)));
    x.qkv.scale = scale;
    scene_get_bound(b, &x);
    return b[1] == (double)INFINITY ? 0.98 * units / counted : INFINITY;
}

/* 4 u of a scale with factors, and two of the score: its one product, and that with the scale.
 */
static double scale_stored_constant(void)
{
    scene_begin(&x, 1, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale_stored = true;
    x.v.scale_store = scene_format("binary16");
    x.factor[0] = 1;
    x.k[0] = 1;
    return reached_limit(4 + 2, 4 + 2);
}

/* 2 u of the scale, its product with the query and the rounding of that. */
static double query_constant(void)
{
    scene_begin(&x, 1, 1);
    x.v.score.accumulate = x.v.scaled_query = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.v.stored = true;
    x.v.store = scene_format("binary16");
    x.k[0] = 1;
    return reached_limit(2 + 2, 4 + 2);
}

/* 2 u of the scale, and its product with the query. */
static double query_limit(void)
{
    scene_begin(&x, 1, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_QUERY;
    x.v.scaled_query = scene_format("binary16");
    x.k[0] = 0x1p-20;
    return reached_limit(2 + 1, 8);
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
    x.vary = NULL;
    x.k[0] = 0x1.0101p2;
    x.k[1] = 0x1.00ffp2;
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

/* A unit roundoff of the sum, 5 of the argument, one of tanh and two of the product with c'. */
static double cap_argument(void)
{
    const double u = 0x1p-24;

    begin_cap("3000");
    x.v.score.accumulate = scene_format("binary32");
    x.qkv.scale = "none";
    return capped_part(300, 3000, 6 * u, 3 * u);
}

/* The same far to the right, where tanh is flat: what is left is the product with c'. */
static double cap_product(void)
{
    const double u = 0x1p-24;

    begin_cap("30");
    x.v.score.accumulate = scene_format("binary32");
    return capped_part(300, 30, 6 * u, 3 * u);
}

/* A score that is rounded up three times, and one that is rounded down as often. */
static double cap_stored(void)
{
    begin_cap("5");
    x.vary = NULL;
    x.v.softcap_stored = true;
    x.v.softcap_store = scene_format("bfloat16");
    x.k[0] = 0x1.7fc2b2p0;
    x.k[1] = 0x1.643f32p0;
    return scene_measure(&x);
}

static double mask_stored(void)
{
    scene_begin(&x, 2, 1);
    begin_stored(&x.v.mask_stored, &x.v.mask_store);
    x.biased = true;
    for (size_t j = 0; j < 2; j++) {
        x.mask[j] = x.k[j];
        x.k[j] = 0;
    }
    return scene_measure(&x);
}

static double mask_stored_least(void)
{
    mask_stored();
    x.v.mask_store = scene_format("binary16");
    x.mask[0] = 0x1.02p-25;
    x.mask[1] = -x.mask[0];
    return scene_measure(&x);
}

/* Key 0 has all its score from the product, key 1 from the mask; log2 e is folded in
 * afterwards. The sum, its product with a third, the scale (twice), the sum with the mask and
 * the product with log2 e move key 0; the mask's rounding, the sum and that product move key 1;
 * (e), (g), (h). */
static double mask_sum(void)
{
    double b[4];

    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.score.accumulate = scene_format("binary32");
    x.biased = true;
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    x.qkv.scale = "1/3";
    x.k[0] = 1536;
    x.mask[1] = 512;
    scene_get_bound(b, &x);
    return scene_part(tanh(0.98 * (6 + 3) * 0x1p-24 * 512 / 2), b);
}

/* Sums that are not rescaled, in tiles of two keys. Key 0 has the largest score of the first
 * tile, key 1 the weight e^(t_1 - m), m the kernel's score of key 0; key 2, in the second tile,
 * has the largest score of all and the weight 1. Key 0 has the value of the output, so that its
 * own weight does not count. Returns the part of the bound where the weight of key 1 is off by
 * `off` in its logarithm. */
static double unscaled_part(double off)
{
    double b[4], weight = exp(-1 + off);

    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = 2;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.unscaled = true;
    x.value[0] = scene_round((exp(-1) - 1) / (exp(-1) + 1), "binary32");
    x.value[1] = 1;
    x.value[2] = -1;
    scene_get_bound(b, &x);
    return scene_part((x.value[0] + weight - 1) / (2 + weight), b);
}

/* The score 1 + 2^-8 of key 0 is stored as 1; the others are those of the mask. */
static double tile_reference(void)
{
    scene_begin(&x, 3, 2);
    x.v.stored = true;
    x.v.store = scene_format("bfloat16");
    x.k[0] = 1;
    x.k[1] = 0x1p-8;
    x.biased = true;
    x.mask[1] = 0x1.01p0 - 1;
    x.mask[2] = 8;
    return unscaled_part(0.99 * 0x1p-8);
}

/* The score is rounded up, and its sum with the mask to 65520, which is beyond binary16. */
static double mask_limit(void)
{
    scene_begin(&x, 2, 1);
    judge_lone_key(&x, 65520 - 20 - 0x1p-6);
    x.v.score.accumulate = x.v.mask_store = scene_format("binary16");
    x.v.mask_stored = true;
    x.v.k = scene_format("binary32");
    x.k[0] = 20 + 0x1.02p-7;
    return scene_measure(&x);
}

static const table_row rows[] = {
    {"tree_additions", tree_additions, 0.9, NULL},
    {"tree_additions", tree_additions_partial, 0.9, NULL},
    {"tree_products", tree_products, 0.9, NULL},
    {"tree_least", tree_least, 0.4,
     "A least number is counted for the product and one for the addition of each term; adding "
     "a product that was flushed to 0 is exact."},
    {"tree_depth", tree_depth, 0.7,
     "The bound counts 8 roundings of a term: those of its product, which is exact here, one "
     "of the leaf, and those of the 6 additions."},
    {"limit_error", limit_error, 0, "With the term there is no bound, which is right here."},
    {"matrix_cut", matrix_cut, 0.9, NULL},
    {"matrix_kept", matrix_kept_23, 0.9, NULL},
    {"matrix_kept", matrix_kept_half, 0.9, NULL},
    {"matrix_raised", matrix_raised, 0.9, NULL},
    {"matrix_raised", matrix_raised_query, 0.85,
     "An entry of the query loses half of a least number when it is rounded; the bound has a "
     "whole one, as a flush would cost, but a flushed entry raises no exponent."},
    {"matrix_least", matrix_least, 0.4,
     "To nearest half of the least number is lost, where the bound has a whole one."},
    {"group_cut", group_cut, 0.89,
     "The bound cuts the addend of every group, which is 0, and the result; and it enlarges "
     "all by 1 / (1 - part)."},
    {"group_kept", group_kept, 0.89,
     "There may be as many groups as blocks, so that their additions make up for half of the "
     "term; so does Lemma 2 for all blocks."},
    {"group_additions", group_additions, 0.9, NULL},
    {"group_raised", group_raised, 0.9, NULL},
    {"group_least", group_least, 0.4,
     "To nearest half of the least number is lost, where the bound has a whole one."},
    {"store_rounding", store_rounding, 0.9, NULL},
    {"store_least", store_least, 0.4,
     "To nearest half of the least number is lost, where the bound has a whole one."},
    {"scale_stored", scale_stored, 0.9, NULL},
    {"scale_stored", scale_stored_least, 0.4,
     "To nearest half of the least number is lost, where the bound has a whole one."},
    {"scale_product", scale_product, 0.9, NULL},
    {"scale_least", scale_least, 0.89,
     "What is flushed decides only whether a tile may raise the maximum. It is counted for "
     "both keys that are compared, and one of them is flushed: half of the term decides the "
     "same."},
    {"mask_least", mask_least, 0.89,
     "What is flushed decides only whether a tile may raise the maximum. It is counted for "
     "both keys that are compared, and one of them is flushed: half of the term decides the "
     "same."},
    {"query_rounding", query_rounding, 0.9, NULL},
    {"query_rounding", query_rounding_log2, 0.9, NULL},
    {"query_least", query_least, 0.4,
     "To nearest half of the least number is lost, where the bound has a whole one and the "
     "least normal number of the working format."},
    {"scale_stored_constant", scale_stored_constant, 0.98, NULL},
    {"query_constant", query_constant, 0.65,
     "The bound counts 4 u of the scale, 3 of them where log2 e is folded in."},
    {"query_limit", query_limit, 0.36,
     "The bound counts 8 u: of a scale that log2 e is folded into, with factors, 6 are used."},
    {"cap_relative", cap_relative, 0.9, NULL},
    {"cap_absolute", cap_absolute, 0.9, NULL},
    {"cap_slope", cap_slope, 0.9, NULL},
    {"cap_argument", cap_argument, 0.89,
     "The bound counts ten unit roundoffs, of which one is for products of errors."},
    {"cap_product", cap_product, 0.7,
     "Far to the right tanh errs by one unit roundoff and the product with the cap by two; the "
     "bound has a third one for the cap."},
    {"cap_stored_quotient", cap_stored, 0.7,
     "A rounding is off by a unit roundoff just above a power of two only, and the quotient, "
     "its tanh and the product with the cap are not all there."},
    {"cap_stored_tanh", cap_stored, 0.7,
     "A rounding is off by a unit roundoff just above a power of two only, and the quotient, "
     "its tanh and the product with the cap are not all there."},
    {"cap_stored_product", cap_stored, 0.7,
     "A rounding is off by a unit roundoff just above a power of two only, and the quotient, "
     "its tanh and the product with the cap are not all there."},
    {"mask_limit", mask_limit, 0, "With the term there is no bound, which is right here."},
    {"mask_stored", mask_stored, 0.9, NULL},
    {"mask_stored", mask_stored_least, 0.4,
     "To nearest half of the least number is lost, where the bound has a whole one."},
    {"tile_reference", tile_reference, 0.9, NULL},
    {"mask_sum", mask_sum, 0.85,
     "A value of the mask is rounded once, and the bound counts two roundings of it."},
};

void judge_run_scores(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
