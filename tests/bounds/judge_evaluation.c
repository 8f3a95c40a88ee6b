/* judge_evaluation.c -- rows of what evaluating the judge's bound in binary64 costs
 * (proofs-notes/judge.md, "Evaluation"), against balls. */
#include "tests/bounds/judge_rows.h"

#include <math.h>
#include <stdlib.h>

#include <attest/flint.h>
#include <attest/judge.h>

enum { BITS = 256 };

static scene x;

/* t = the exact score of key j: scale, softcap and mask from the definition. */
static void set_score(arb_t t, const char *scale, const char *cap, size_t j)
{
    fmpq_t f;
    arb_t a, b;

    fmpq_init(f);
    arb_init(a);
    arb_init(b);
    arb_zero(t);
    for (size_t c = 0; c < x.dim; c++) {
        arb_set_d(a, x.q[c]);
        arb_set_d(b, x.k[j * x.dim + c]);
        arb_addmul(t, a, b, 4096);
    }
    if (scale) {
        fmpq_set_str(f, scale, 10);
        arb_mul_fmpz(t, t, fmpq_numref(f), BITS);
        arb_div_fmpz(t, t, fmpq_denref(f), BITS);
    }
    if (cap) {
        fmpq_set_str(f, cap, 10);
        arb_set_fmpq(a, f, BITS);
        arb_div(t, t, a, BITS);
        arb_tanh(t, t, BITS);
        arb_mul(t, t, a, BITS);
    }
    if (x.biased) {
        arb_set_d(a, x.mask[j]);
        arb_add(t, t, a, BITS);
    }
    fmpq_clear(f);
    arb_clear(a);
    arb_clear(b);
}

/* o = the exact output of the scene, whose scale and cap are fractions. */
static void set_output(arb_t o)
{
    const char *scale = x.qkv.scale[0] == 'n' ? NULL : x.qkv.scale;
    arb_t t, sum, v;

    arb_init(t);
    arb_init(sum);
    arb_init(v);
    arb_zero(o);
    if (x.sunk) {
        arb_set_d(t, x.sink);
        arb_exp(sum, t, BITS);
    }
    for (size_t j = 0; j < x.keys; j++) {
        set_score(t, scale, x.qkv.softcap, j);
        arb_exp(t, t, BITS);
        arb_add(sum, sum, t, BITS);
        arb_set_d(v, x.value[j]);
        arb_addmul(o, v, t, BITS);
    }
    arb_div(o, o, sum, BITS);
    if (x.factor[2] > 0) {
        arb_set_d(v, x.factor[2]);
        arb_mul(o, o, v, BITS);
    }
    arb_clear(t);
    arb_clear(sum);
    arb_clear(v);
}

/* (o - from) / (to - from). */
static double ratio_of(const arb_t o, double from, double to)
{
    double ratio;
    arb_t start, length, distance;

    arb_init(start);
    arb_init(length);
    arb_init(distance);
    arb_set_d(start, from);
    arb_set_d(length, to);
    arb_sub(length, length, start, BITS);
    arb_sub(distance, o, start, BITS);
    if (arb_is_zero(length)) {
        ratio = arb_is_zero(distance) ? 0 : (double)INFINITY;
    } else {
        arb_div(distance, distance, length, BITS);
        ratio = arf_get_d(arb_midref(distance), ARF_RND_NEAR);
    }
    arb_clear(start);
    arb_clear(length);
    arb_clear(distance);
    return ratio;
}

/* How far the evaluated output is from the exact one, as a part of `error`. */
static double error_part(void)
{
    double b[4], ratio;
    arb_t o;

    arb_init(o);
    scene_get_bound(b, &x);
    set_output(o);
    ratio = fabs(ratio_of(o, b[2], b[2] + b[3]));
    arb_clear(o);
    return ratio;
}

/* The same for the ends of a model that does not round. */
static double end_part(void)
{
    double b[4], ratio;
    arb_t o;

    x.exact = true;
    arb_init(o);
    scene_get_bound(b, &x);
    set_output(o);
    ratio = fmax(ratio_of(o, b[2], b[0]), ratio_of(o, b[2], b[1]));
    arb_clear(o);
    return ratio;
}

/* The first term of a score is 1, and the others are lost, or rounded up to twice their size. */
static void begin_scores(void)
{
    scene_begin(&x, 2, 64);
    judge_two_keys(&x);
    x.v.k = scene_format("binary64");
    x.qkv.scale = "16/1";
    x.k[0] = x.k[64] = 1;
    for (size_t c = 1; c < 64; c++) {
        x.k[c] = 0x1.fp-54;
        x.k[64 + c] = 0x1.08p-53;
    }
}

static double score_evaluation(void)
{
    begin_scores();
    return end_part();
}

static double exact_scores(void)
{
    begin_scores();
    return error_part();
}

static double cap_evaluation(void)
{
    double most = 0;

    for (int i = 0; i < 40; i++) {
        scene_begin(&x, 2, 1);
        judge_two_keys(&x);
        x.v.k = scene_format("binary64");
        x.qkv.softcap = "1000000/1";
        x.k[0] = 800 + 10.125 * i;
        x.k[1] = x.k[0] + 0.25;
        most = fmax(most, end_part());
        if (!(most <= 1))
            break;
    }
    return most;
}

static double mask_evaluation(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.k = scene_format("binary64");
    x.biased = true;
    x.mask[0] = x.mask[1] = 1024;
    x.k[0] = 0x1.fp-44;
    x.k[1] = 0x1.1p-43;
    return end_part();
}

/* A key of weight 1, and others that a sum of doubles loses one by one. */
static void begin_lost(size_t keys)
{
    scene_begin(&x, keys, 1);
    x.biased = true;
    for (size_t j = 0; j < keys; j++) {
        x.mask[j] = j == 0 ? 0 : -36.859375; /* 2^-53.18 */
        x.value[j] = 1;
    }
}

static double end_sums(void)
{
    begin_lost(1000);
    return end_part();
}

static double exact_sums(void)
{
    begin_lost(1000);
    return error_part();
}

/* A sink of 130.3 and a key that is not far from 0: the argument is rounded. */
static double exact_weights(void)
{
    scene_begin(&x, 1, 1);
    x.v.k = scene_format("binary64");
    x.value[0] = 1;
    x.sunk = true;
    x.sink = 130.3;
    x.k[0] = 0x1.8p-46;
    return error_part();
}

/* A far key with a score that doubles know badly, and a model about which nothing is said. */
static double exact_far(void)
{
    scene_begin(&x, 2, 1);
    x.v.score.accumulate = scene_format("binary32");
    x.v.k = x.v.v = x.v.q = scene_format("binary64");
    x.v.offset = 200;
    x.biased = true;
    x.q[0] = 1.0 / 3;
    x.k[0] = 3e13 + 0.1;
    x.mask[0] = -1e13 - 500;
    x.value[0] = 0x1p1000;
    return error_part();
}

/* Products of weights and values that are subnormal. */
static double exact_least(void)
{
    scene_begin(&x, 2, 1);
    x.v.v = scene_format("binary64");
    x.k[0] = -1;
    x.value[0] = x.value[1] = 0x1.5p-1070;
    x.value[0] *= 3;
    return error_part();
}

static double exact_factor(void)
{
    scene_begin(&x, 2, 1);
    x.v.v = scene_format("binary64");
    x.k[0] = -1;
    x.value[0] = 0x1.5p-1030;
    x.value[1] = 0x1.1p-1030;
    x.factor[2] = 0x1.8p-40;
    return error_part();
}

/* Values of 1 and 1 in a model without errors: what a sink's weight is evaluated with. */
static double sink_evaluation(void)
{
    double most = 0;

    for (int i = 0; i < 64; i++) {
        scene_begin(&x, 1, 1);
        x.v.k = scene_format("binary64");
        x.value[0] = 1;
        x.sunk = true;
        x.sink = -1 - 0.01 * i;
        x.k[0] = 0x1.8p-52;
        most = fmax(most, end_part());
        if (!(most <= 1))
            break;
    }
    return most;
}

/* The sum of `high` in exact arithmetic; what the rounding of sum_high has of what is added. */
static double get_sum(const scene *s, const attest_judge_work *row,
                      const attest_judge_rule *rule)
{
    double ratio;
    arb_t sum, a;

    (void)rule;
    arb_init(sum);
    arb_init(a);
    for (size_t j = 0; j < s->keys; j++) {
        arb_set_d(a, row->high[j]);
        arb_add(sum, sum, a, BITS);
    }
    arb_set_d(a, row->sum_high);
    arb_div(sum, sum, a, BITS);
    arb_sub_ui(sum, sum, 1, BITS);
    ratio = 1 + arf_get_d(arb_midref(sum), ARF_RND_UP) * 0x1p52 / ((double)s->keys + 16);
    arb_clear(sum);
    arb_clear(a);
    return ratio;
}

static double weight_sums(void)
{
    begin_lost(1000);
    x.exact = true;
    return scene_get(&x, get_sum);
}

/* ---- functions ---- */

/* The error of a bound y of e^v over what it allows, 2^-50. */
static double exp_part(double v, double y, int sign)
{
    double part;
    arb_t e, a;

    arb_init(e);
    arb_init(a);
    arb_set_d(e, v);
    arb_exp(e, e, BITS);
    arb_set_d(a, y);
    arb_div(e, e, a, BITS);
    arb_sub_ui(e, e, 1, BITS);
    part = 1 + sign * arf_get_d(arb_midref(e), ARF_RND_NEAR) * 0x1p50;
    arb_clear(e);
    arb_clear(a);
    return part;
}

static double exp_up(void)
{
    double most = 0;

    for (double v = -3; v < 3; v += 0x1.8p-9)
        most = fmax(most, exp_part(v, attest_judge_exp_up(v), 1));
    return most;
}

static double exp_down(void)
{
    double most = 0;

    for (double v = -3; v < 3; v += 0x1.8p-9)
        most = fmax(most, exp_part(v, attest_judge_exp_down(v), -1));
    return most;
}

/* Below 2^-1074 the exponential of doubles is 0. */
static double exp_least(void)
{
    double y = attest_judge_exp_up(-750);

    return y > 0 ? exp(-750 + 1070 * log(2)) / ldexp(y, 1070) : (double)INFINITY;
}

/* (1 + u)^n - 1 beyond n u, for n u = 2^-20. */
static double grow_square(void)
{
    const double u = 0x1p-24, n = 16;

    return (n * (n - 1) / 2 * u * u) / (attest_judge_grow(u, n) - n * u);
}

/* A step of 1/3, which is rounded down, and one of -1/10, which is rounded away from 0. */
static double step_part(double phi, double sum)
{
    double center = 0, value = phi, other = 0, end, part;
    attest_judge_work row = {.center = &center,
                             .spread_v = &other,
                             .offset_v = &other,
                             .cast_v = &other,
                             .size_v = &other,
                             .product = &value,
                             .end = &end,
                             .columns = 1,
                             .narrow = true,
                             .sum_low = sum,
                             .sum_high = sum};
    attest_judge_rule rule = {0};
    arb_t a, b;

    attest_judge_row_seek(&row, &rule, 1);
    arb_init(a);
    arb_init(b);
    arb_set_d(a, phi);
    arb_set_d(b, sum);
    arb_div(a, a, b, BITS);
    arb_set_d(b, end);
    arb_div(a, a, b, BITS);
    arb_sub_ui(a, a, 1, BITS);
    part = 1 + (phi > 0 ? 1 : -1) * arf_get_d(arb_midref(a), ARF_RND_NEAR) * 0x1p40;
    arb_clear(a);
    arb_clear(b);
    return part;
}

static double evaluation_up(void)
{
    return step_part(1, 3);
}

static double evaluation_down(void)
{
    return step_part(-1, 10);
}

static const table_row rows[] = {
    {"score_evaluation", score_evaluation, 0.2, ""},
    {"cap_evaluation", cap_evaluation, 0.001, ""},
    {"mask_evaluation", mask_evaluation, 0.1, ""},
    {"sink_evaluation", sink_evaluation, 0.05, ""},
    {"weight_sums", weight_sums, 0.02, ""},
    {"end_sums", end_sums, 0.05, ""},
    {"exact_scores", exact_scores, 0.1, ""},
    {"exact_sums", exact_sums, 0.1, ""},
    {"exact_weights", exact_weights, 0, ""},
    {"exact_far", exact_far, 0, ""},
    {"exact_least", exact_least, 0, ""},
    {"exact_factor", exact_factor, 0, ""},
    {"exp_up", exp_up, 0.1, ""},
    {"exp_down", exp_down, 0.1, ""},
    {"exp_least", exp_least, 0, ""},
    {"grow_square", grow_square, 0.4, ""},
    {"evaluation_up", evaluation_up, 0, ""},
    {"evaluation_down", evaluation_down, 0, ""},
};

void judge_run_evaluation(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    flint_cleanup();
}
