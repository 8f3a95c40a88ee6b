/* judge_lse.c -- rows of the terms of the bound on log-sum-exps, proofs-notes/lse.md. The
 * kernels are those of tests/ref/lse_kernel.h. */
#include "tests/bounds/judge_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>

#include "base/random.h"
#include "judge/lse.h"
#include "tests/ref/lse_kernel.h"

static scene x;
static lse_kernel kernel;
static float keys[LSE_KERNEL_KEYS];

/* 1 + 2^-23 + 2^-40: two numbers of binary32 are 1 and 2 u from it. */
static const char *const off_grid = "1099511758849/1099511627776";

/* Everything in binary32, the row sum in binary64; functions that do not err more; scores
 * separate, keys 0, the query 1. */
static void begin(size_t count)
{
    scene_begin(&x, count, 1);
    x.v.score.accumulate = x.v.k = scene_format("binary32");
    x.v.lse = (attest_judge_lse_model){.format = scene_format("binary32")};
    kernel = (lse_kernel){
        .wide_sum = true, .exp_way = 1, .log_way = 1, .constant_way = 1, .reference_way = 1};
}

static double get_part(const scene *s, const attest_judge_work *work,
                       const attest_judge_rule *rule)
{
    attest_judge_lse lse;
    uint64_t state = attest_random_mix(s->seed);
    float q = (float)s->q[0], sink = (float)s->sink;
    lse_row row = {&q, keys, NULL, s->keys, 1, 1, 0, s->sunk ? &sink : NULL};
    double worst = 0;

    row.scale = strcmp(s->qkv.scale, "none") == 0 ? 1 : 1 + 0x1p-23 + 0x1p-40;
    for (size_t j = 0; j < s->keys; j++)
        keys[j] = (float)s->k[j];
    attest_judge_lse_bound_row(&lse, work, rule);
    if (lse.reason)
        return 0;
    for (int trial = 0; trial < 4; trial++) {
        double b[4] = {lse.lo, lse.hi, lse.exact, lse.error};

        kernel.exp_way = kernel.log_way = kernel.constant_way = kernel.reference_way =
            trial % 2 ? -1 : 1;
        worst = fmax(worst, scene_part((double)lse_kernel_run(&kernel, &row, &state), b));
    }
    return worst;
}

/* The largest part of the bound that the kernel reaches, over the variations. */
static double measure(void)
{
    uint64_t state = attest_random_mix(7);
    double worst = 0;
    size_t trials = x.vary ? x.trials : 1;

    for (size_t i = 0; i < trials; i++) {
        if (x.vary)
            x.vary(&x, &state);
        worst = fmax(worst, scene_get(&x, get_part));
    }
    return worst;
}

/* ---- (L1): weights ---- */

static double lse_exp(void)
{
    begin(33);
    x.v.exp_relative = kernel.exp_error = 0x1p-10;
    for (size_t j = 1; j < 33; j++)
        x.k[j] = -0.125;
    return measure();
}

/* Each key raises the reference a little. */
static double lse_rescale_exp(void)
{
    begin(64);
    x.v.exp_relative = kernel.exp_error = 0x1p-11;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = kernel.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    kernel.online = true;
    for (size_t j = 0; j < 64; j++)
        x.k[j] = ldexp((double)j, -10);
    return measure();
}

/* The keys below the largest are together as heavy; the log-sum-exp is small. */
static void vary_far(scene *s, uint64_t *state)
{
    double t = -10.6 - scene_uniform(state) / 4, top = -0.5 - scene_uniform(state) / 8;

    s->q[0] = scene_round(1 + scene_uniform(state), "binary32");
    s->k[0] = scene_round(top / s->q[0], "binary32");
    for (size_t j = 1; j < s->keys; j++)
        s->k[j] = scene_round(t / s->q[0], "binary32");
}

static double lse_argument(void)
{
    begin(20000);
    x.v.q = scene_format("binary32");
    kernel.form = LSE_SEPARATE_TWO;
    x.vary = vary_far;
    x.trials = 200;
    return measure();
}

/* A score of about 2040, whose product is rounded, too. */
static void vary_first(scene *s, uint64_t *state)
{
    s->q[0] = scene_round(1 + scene_uniform(state), "binary32");
    s->k[0] = scene_round((2030 + 16 * scene_uniform(state)) / s->q[0], "binary32");
}

/* The constant is off by 2 u. */
static double lse_constant(void)
{
    begin(1);
    x.qkv.scale = off_grid;
    x.v.q = scene_format("binary32");
    kernel.constant_units = 2;
    x.vary = vary_first;
    x.trials = 100;
    return measure();
}

/* e^h is 1 + h + h^2 / 2 but for h^3: a score just above the middle of two numbers of the
 * format in which it is stored. */
static double lse_square(void)
{
    begin(1);
    x.v.stored = true;
    x.v.store = scene_format("bfloat16");
    x.k[0] = 0x1.010001p2;
    return scene_get(&x, get_part);
}

/* The kernel of lse_square stores its score: here, the number to which it is rounded. */
static double get_stored(const scene *s, const attest_judge_work *work,
                         const attest_judge_rule *rule)
{
    attest_judge_lse lse;
    double b[4];

    attest_judge_lse_bound_row(&lse, work, rule);
    b[0] = lse.lo;
    b[1] = lse.hi;
    b[2] = lse.exact;
    b[3] = lse.error;
    return scene_part(scene_round(s->k[0], "bfloat16"), b);
}

static double lse_square_stored(void)
{
    (void)lse_square();
    return scene_get(&x, get_stored);
}

/* A lazy reference 0; what a second key adds to the sum is lost when a third raises it, since
 * the factor is flushed. */
static double lse_flushed(void)
{
    begin(3);
    x.v.max = ATTEST_JUDGE_MAX_LAZY;
    x.v.threshold = kernel.threshold = 120;
    x.v.tile = kernel.tile = 1;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    kernel.online = true;
    x.k[1] = scene_round(83.16, "binary32");
    x.k[2] = scene_round(87.35, "binary32");
    return measure();
}

/* ---- the sink ---- */

static void begin_sink(double z)
{
    begin(1);
    x.sunk = true;
    x.sink = z;
}

/* The reference is a product with a constant, and the sink is not. */
static double lse_sink_constant(void)
{
    begin_sink(2050);
    x.qkv.scale = off_grid;
    x.v.q = scene_format("binary32");
    x.v.scale = ATTEST_JUDGE_SCALE_FOLDED;
    kernel.form = LSE_FUSED;
    kernel.constant_units = 2;
    kernel.reference_units = x.v.lse.reference = 1;
    x.vary = vary_first;
    x.trials = 100;
    return measure();
}

static double lse_sink_exp(void)
{
    begin_sink(4);
    x.v.exp_relative = kernel.exp_error = 0x1p-10;
    return measure();
}

static void vary_below(scene *s, uint64_t *state)
{
    s->k[0] = scene_round(-60 - 10 * scene_uniform(state), "binary32");
    s->sink = scene_round(scene_uniform(state), "binary32");
}

static double lse_sink_argument(void)
{
    begin_sink(0);
    kernel.form = LSE_SEPARATE_TWO;
    x.vary = vary_below;
    x.trials = 300;
    return measure();
}

/* ---- (L3): casts that the row sum adds ---- */

static double lse_cast(void)
{
    begin(1001);
    x.v.cast = true;
    x.v.p = scene_format("bfloat16");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    kernel.cast_bits = 8;
    kernel.cast_emin = -126;
    for (size_t j = 1; j < 1001; j++) /* just below the middle of two numbers */
        x.k[j] = scene_round(log(0.50195312 - 0x1p-22), "binary32");
    return measure();
}

static double lse_cast_least(void)
{
    begin(20000);
    x.v.cast = true;
    x.v.p = scene_format("p=24:emin=-8:emax=15");
    x.v.sum_of = ATTEST_JUDGE_SUM_CAST;
    kernel.cast_bits = 24;
    kernel.cast_emin = -8;
    for (size_t j = 1; j < 20000; j++) /* half of the least number */
        x.k[j] = scene_round(-22.1808, "binary32");
    return measure();
}

/* ---- (L4): log, reference; (L6): base ---- */

static double lse_log(void)
{
    begin(2);
    x.v.lse.log_absolute = kernel.log_absolute = 0x1p-10;
    return measure();
}

static double lse_log_relative(void)
{
    begin(1000);
    x.v.lse.log_relative = kernel.log_relative = 0x1p-10;
    return measure();
}

static double lse_reference(void)
{
    begin(1);
    x.k[0] = 1;
    x.v.lse.reference = kernel.reference_units = 1000;
    return measure();
}

/* The product is rounded, too. */
static void vary_pair(scene *s, uint64_t *state)
{
    s->q[0] = scene_round(1 + scene_uniform(state), "binary32");
    s->k[0] = s->k[1] = scene_round((1420 + 4 * scene_uniform(state)) / s->q[0], "binary32");
}

static double lse_binary(void)
{
    begin(2);
    x.v.q = scene_format("binary32");
    x.v.lse.base = ATTEST_JUDGE_LSE_BINARY;
    kernel.base_2 = kernel.converted = true;
    x.vary = vary_pair;
    x.trials = 300;
    return measure();
}

/* ---- (L5): parts ---- */

static void begin_parts(size_t parts, size_t of)
{
    begin(parts * of);
    x.v.splits = kernel.splits = parts;
    x.v.max = ATTEST_JUDGE_MAX_ONLINE;
    x.v.tile = kernel.tile = of;
    x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    x.v.split_log = 0;
}

static double lse_part_log(void)
{
    begin_parts(16, 1);
    x.v.lse.log_absolute = kernel.log_absolute = x.v.split_log = 0x1p-9;
    return measure();
}

static double lse_part_log_relative(void)
{
    begin_parts(2, 1000);
    x.v.lse.log_relative = kernel.log_relative = 0x1p-9;
    return measure();
}

/* Most parts are below the largest, and most keys of a part below its largest. */
static double lse_part_exp(void)
{
    begin_parts(32, 32);
    x.v.max = ATTEST_JUDGE_MAX_TWO_PASS;
    x.v.exp_relative = kernel.exp_error = 0x1p-10;
    for (size_t j = 0; j < 1024; j++)
        x.k[j] = (j < 32 ? 0 : -0.0625) - (j % 32 ? 0.0625 : 0);
    return measure();
}

static double lse_part_reference(void)
{
    begin_parts(16, 1);
    x.v.lse.reference = kernel.reference_units = 1000;
    for (size_t j = 0; j < 16; j++)
        x.k[j] = 16;
    return measure();
}

/* ---- the exact value ---- */

static double get_exact(const scene *s, const attest_judge_work *work,
                        const attest_judge_rule *rule)
{
    attest_judge_lse lse;
    arb_t sum, t, a, b;
    double far;

    attest_judge_lse_bound_row(&lse, work, rule);
    arb_init(sum);
    arb_init(t);
    arb_init(a);
    arb_init(b);
    for (size_t j = 0; j < s->keys; j++) {
        arb_zero(t);
        for (size_t c = 0; c < s->dim; c++) {
            arb_set_d(a, s->q[c]);
            arb_set_d(b, s->k[j * s->dim + c]);
            arb_addmul(t, a, b, 256);
        }
        arb_exp(t, t, 256);
        arb_add(sum, sum, t, 256);
    }
    arb_log(sum, sum, 256);
    arb_set_d(t, lse.exact);
    arb_sub(sum, sum, t, 256);
    arb_abs(sum, sum);
    far = arf_get_d(arb_midref(sum), ARF_RND_UP);
    arb_clear(sum);
    arb_clear(t);
    arb_clear(a);
    arb_clear(b);
    return far / lse.error;
}

static double measure_exact(void (*vary)(scene *s, uint64_t *state), int trials)
{
    uint64_t state = attest_random_mix(3);
    double worst = 0;

    for (int i = 0; i < trials; i++) {
        vary(&x, &state);
        worst = fmax(worst, scene_get(&x, get_exact));
    }
    return worst;
}

static void vary_products(scene *s, uint64_t *state)
{
    for (size_t c = 0; c < s->dim; c++) {
        s->q[c] = 1 + scene_uniform(state);
        s->k[c] = (c % 2 ? -8 : 8) * (1 + scene_uniform(state));
    }
}

static double lse_exact_scores(void)
{
    scene_begin(&x, 1, 64);
    x.v.q = x.v.k = scene_format("binary64");
    return measure_exact(vary_products, 100);
}

static void vary_few(scene *s, uint64_t *state)
{
    for (size_t j = 0; j < s->keys; j++)
        s->k[j] = ldexp(scene_uniform(state), -10);
}

static double lse_exact_sums(void)
{
    scene_begin(&x, 3000, 1);
    x.v.k = scene_format("binary64");
    return measure_exact(vary_few, 10);
}

/* ---- merged parts, (M1) to (M4) ---- */

enum { MERGED = 1024 };

static merge_kernel merging;
static double parts[MERGED], part_lses[MERGED];
static size_t merged;

static void begin_merge(size_t count)
{
    begin(1);
    x.v.final_relative = x.v.exp_relative = 0;
    merging = (merge_kernel){.last = true};
    merged = count;
    for (size_t i = 0; i < count; i++) {
        parts[i] = 1;
        part_lses[i] = 0;
    }
}

/* The largest part of the bound, for errors up and down. */
static double measure_merge(void)
{
    uint64_t state = attest_random_mix(5);
    attest_judge_model model = {.name = (char *)"one", .variant = &x.v, .variants = 1};
    attest_judge_parts all = {parts, part_lses, merged, 1, 1, false};
    double b[4], worst = 0;
    attest_judge_bounds bounds = {.lo = &b[0], .hi = &b[1], .exact = &b[2], .error = &b[3]};
    float part[MERGED], part_lse[MERGED], out, lse;
    attest_error error;

    if (attest_judge_merge_bound(&bounds, NULL, &all, &model, NULL, &error) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < merged; i++) {
        part[i] = (float)parts[i];
        part_lse[i] = (float)part_lses[i];
    }
    for (int way = -1; way <= 1; way += 2) {
        merging.exp_way = merging.final_way = way;
        merging.sum_way = merging.log_way = -way;
        merge_kernel_run(&out, &lse, &merging, part, part_lse, merged, 1, &state);
        worst = fmax(worst, scene_part((double)out, b));
    }
    return worst;
}

/* Weights beside the log of the sum: both exponentials err. */
static double merge_exp(void)
{
    begin_merge(2);
    merging.by_sum = true;
    x.v.exp_relative = merging.exp_error = 0x1p-10;
    part_lses[1] = -0x1p-20;
    return measure_merge();
}

/* Each addition rounds up by nearly half a unit. */
static double merge_sum(void)
{
    double sum = 0;

    begin_merge(MERGED);
    for (size_t k = 0; k < MERGED; k++) {
        int e;

        frexp(sum + 1, &e);
        parts[k] = e > 2 ? 1 + ldexp(1, e - 25) + 0x1p-23 : 1;
        sum = scene_round(sum + parts[k], "binary32");
    }
    return measure_merge();
}

static double merge_log(void)
{
    begin_merge(2);
    merging.by_sum = true;
    x.v.lse.log_absolute = merging.log_absolute = 0x1p-10;
    return measure_merge();
}

/* The rounding of a log-sum-exp just above a power of two. */
static double merge_log_sum(void)
{
    uint64_t state = attest_random_mix(12);
    double worst = 0;

    for (int i = 0; i < 100; i++) {
        begin_merge(2);
        merging.by_sum = true;
        part_lses[0] = part_lses[1] = scene_round(1025 + scene_uniform(&state), "binary32");
        worst = fmax(worst, measure_merge());
    }
    return worst;
}

static double merge_division(void)
{
    begin_merge(2);
    x.v.final_relative = merging.final_error = 0x1p-10;
    return measure_merge();
}

static const table_row rows[] = {
    {"lse_exp", lse_exp, 0.9, NULL},
    {"lse_rescale_exp", lse_rescale_exp, 0.9, NULL},
    {"lse_argument", lse_argument, 0.15,
     "A distance is rounded and multiplied with log2 e, 2.2 unit roundoffs; 5 are those of a "
     "constant that is folded in, too."},
    {"lse_constant", lse_constant, 0.5,
     "The bound adds the roundings of the score, of its product and of the result, which are "
     "half as large here."},
    {"lse_square", lse_square_stored, 0.8,
     "e^h - 1 is h + h^2 / 2 but for h^3; the bound has h + h^2."},
    {"lse_flushed", lse_flushed, 0.5,
     "The limit is 2^2 of what one factor loses: an exponential may be flushed, too."},
    {"lse_sink_constant", lse_sink_constant, 0.3,
     "The bound counts the rounding of the logit, log2 e and 3 unit roundoffs of the constant, "
     "which no number of the format is away."},
    {"lse_sink_exp", lse_sink_exp, 0.9, NULL},
    {"lse_sink_argument", lse_sink_argument, 0.2,
     "As lse_argument; and the logarithm of the sum is as large as the distance."},
    {"lse_cast", lse_cast, 0.9, NULL},
    {"lse_cast_least", lse_cast_least, 0.9, NULL},
    {"lse_log", lse_log, 0.9, NULL},
    {"lse_log_relative", lse_log_relative, 0.9, NULL},
    {"lse_reference", lse_reference, 0.9, NULL},
    {"lse_binary", lse_binary, 0.2,
     "The product with log2 e rounds once; the constant is nearer to log2 e than half a unit."},
    {"lse_part_log", lse_part_log, 0.9, NULL},
    {"lse_part_log_relative", lse_part_log_relative, 0.5,
     "The sums of parts are bounded by that of all keys, and by 1 more."},
    {"lse_part_exp", lse_part_exp, 0.9, NULL},
    {"lse_part_reference", lse_part_reference, 0.9, NULL},
    {"merge_exp", merge_exp, 0.9, NULL},
    {"merge_sum", merge_sum, 0.1,
     "Sums of exponentials that are 1 do not err, and partial sums are smaller than the sum."},
    {"merge_log", merge_log, 0.9, NULL},
    {"merge_log_sum", merge_log_sum, 0.5,
     "The difference to the rounded log-sum-exp is exact; three roundings of it are counted."},
    {"merge_division", merge_division, 0.9, NULL},
    {"lse_exact_scores", lse_exact_scores, 0.001,
     "The rounding errors of a sum of 64 products are bounded without their signs."},
    {"lse_exact_sums", lse_exact_sums, 0.001,
     "The rounding errors of a sum are bounded without their signs."},
};

void judge_run_lse(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
