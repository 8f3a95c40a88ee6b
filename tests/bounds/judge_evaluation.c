/* judge_evaluation.c -- rows of what evaluating the judge's bound in binary64 costs
 * (proofs-notes/judge.md, "Evaluation"), against balls. */
#include "tests/bounds/judge_rows.h"

#include <math.h>
#include <stdlib.h>

#include <attest/flint.h>
#include <attest/judge.h>
#include <attest/kernel.h>

#include "base/random.h"
#include "judge/loops.h"
#include "judge/row.h"

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

/* Returns the distance of the evaluated output from the exact one, as a part of `error`. */
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

/* The first term of a score is 1, and the others are lost, or rounded up to twice their size.
 */
static void begin_scores(void)
{
    scene_begin(&x, 2, 64);
    judge_two_keys(&x);
    x.v.k = scene_format("binary64");
    x.qkv.scale = "1048576/1";
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

/* Drawn scores far below the cap: their own evaluation errs by less than that of tanh. */
static double cap_evaluation(void)
{
    uint64_t state = attest_random_mix(20);
    double most = 0;

    for (int i = 0; i < 400 && most <= 1; i++) {
        scene_begin(&x, 2, 1);
        judge_two_keys(&x);
        x.v.k = scene_format("binary64");
        x.qkv.softcap = "1048576/1";
        x.k[0] = 0x1p12 * scene_uniform(&state);
        x.k[1] = x.k[0] + scene_uniform(&state);
        most = fmax(most, end_part());
    }
    return most;
}

/* Two sums that lose almost half a unit, one each way. */
static double mask_evaluation(void)
{
    scene_begin(&x, 2, 1);
    judge_two_keys(&x);
    x.v.k = scene_format("binary64");
    x.biased = true;
    x.mask[0] = x.mask[1] = 0x1p20;
    x.k[0] = 0x1.fffp-34;
    x.k[1] = 0x1.001p-33;
    return end_part();
}

/* A key of weight 1, and others that a sum of doubles loses one by one. */
static void begin_lost(size_t keys)
{
    scene_begin(&x, keys, 1);
    x.biased = true;
    for (size_t j = 0; j < keys; j++) {
        x.mask[j] = j == 0 ? 0 : -36.74; /* 2^-53.005 */
        x.value[j] = 1;
    }
}

/* The last key has weight 1, too, and the output is near 0: nothing of it is relative to that.
 */
static void begin_lost_to(size_t keys)
{
    begin_lost(keys);
    x.mask[keys - 1] = 0;
    x.value[keys - 1] = -1;
}

static double end_sums(void)
{
    begin_lost_to(MOST_KEYS);
    return end_part();
}

static double exact_sums(void)
{
    begin_lost_to(1000);
    return error_part();
}

/* A sink of 128 and a key of almost half a unit of that: the argument is rounded. */
static double exact_weights(void)
{
    scene_begin(&x, 1, 1);
    x.v.k = scene_format("binary64");
    x.value[0] = 1;
    x.sunk = true;
    x.sink = 128.3;
    x.k[0] = 0x1.fp-47;
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

/* The output is bfloat16, so that every kernel returns 1; the exact output is above 1, and the
 * evaluated one below. */
static double exact_distance(void)
{
    attest_judge_model model = {.variant = &x.v, .variants = 1};
    attest_judge_options options = {0};
    double lo, bound, ratio;
    attest_judge_bounds bounds = {.lo = &lo, .bound = &bound};
    attest_error error;
    arb_t o;

    begin_lost(1000);
    for (size_t j = 1; j < 1000; j++) {
        x.value[j] = 2;
        x.mask[j] = -37.44;
    }
    x.v.output = scene_format("bfloat16");
    scene_get_bound((double[4]){0}, &x); /* sets the tensors */
    if (attest_judge_bound(&bounds, &x.qkv, &model, &options, &error) != ATTEST_OK)
        abort();
    arb_init(o);
    set_output(o);
    ratio = ratio_of(o, lo, lo + bound);
    arb_clear(o);
    return ratio;
}

/* The weight of the sink, e^(sink - top), from the middle of what the row has for it. */
static double get_sink(const scene *s, const attest_judge_work *row,
                       const attest_judge_rule *rule)
{
    double ratio;
    arb_t e, a;

    (void)rule;
    arb_init(e);
    arb_init(a);
    arb_set_d(e, s->sink);
    arb_set_d(a, row->top);
    arb_sub(e, e, a, BITS);
    arb_exp(e, e, BITS);
    ratio = fmax(ratio_of(e, row->sink_weight, row->sink_high),
                 ratio_of(e, row->sink_weight, row->sink_low));
    arb_clear(e);
    arb_clear(a);
    return ratio;
}

/* A row with a score that is not well known (a sum that cancels): its weights are bounded one
 * by one, without the slack of 2^-40 of a narrow row. Arguments are rounded by up to 2^-47. */
static double sink_evaluation(void)
{
    double most = 0;

    for (int i = 0; i < 64 && most <= 1; i++) {
        scene_begin(&x, 2, 2);
        judge_two_keys(&x);
        x.v.k = scene_format("binary64");
        x.exact = true;
        x.sunk = true;
        x.sink = -64.01 - 0.1 * i;
        x.k[0] = 1.0 / 3;
        x.k[2] = 0x1p46;
        x.k[3] = -0x1p46;
        most = fmax(most, scene_get(&x, get_sink));
    }
    return most;
}

/* The weight of key 0, whose score is its mask, from the middle of what the row has for it. */
static double get_weight(const scene *s, const attest_judge_work *row,
                         const attest_judge_rule *rule)
{
    double ratio;
    arb_t e, a;

    (void)rule;
    arb_init(e);
    arb_init(a);
    arb_set_d(e, s->mask[0]);
    arb_set_d(a, row->top);
    arb_sub(e, e, a, BITS);
    arb_exp(e, e, BITS);
    ratio = fmax(ratio_of(e, row->w[0], row->high[0]), ratio_of(e, row->w[0], row->low[0]));
    arb_clear(e);
    arb_clear(a);
    return ratio;
}

/* A key a little below 0, beside one near 64 whose score is not well known (a sum that
 * cancels): the argument is rounded by up to 2^-47. */
static double weight_evaluation(void)
{
    double most = 0;

    for (int i = 0; i < 64; i++) {
        scene_begin(&x, 2, 2);
        judge_two_keys(&x);
        x.v.k = scene_format("binary64");
        x.exact = x.biased = true;
        x.mask[0] = -0.01 * (i + 1);
        x.k[2] = 0x1p46 + 64.296875;
        x.k[3] = -0x1p46;
        most = fmax(most, scene_get(&x, get_weight));
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

/* What a sum of the numbers errs by, as a part of (n + 16) 2^-52 of it. sum: as it was rounded,
 * and that added. */
static double sum_part(const double *part, size_t count, double sum)
{
    double ratio;
    arb_t exact, a;

    arb_init(exact);
    arb_init(a);
    for (size_t j = 0; j < count; j++) {
        arb_set_d(a, part[j]);
        arb_add(exact, exact, a, BITS);
    }
    arb_set_d(a, sum);
    arb_div(exact, exact, a, BITS);
    arb_sub_ui(exact, exact, 1, BITS);
    ratio = 1 + arf_get_d(arb_midref(exact), ARF_RND_UP) * 0x1p52 / ((double)count + 16);
    arb_clear(exact);
    arb_clear(a);
    return ratio;
}

/* By how much two exponentials of each key may differ, and the sum of that. */
static double get_apart(const scene *s, const attest_judge_work *row,
                        const attest_judge_rule *rule)
{
    static double part[MOST_KEYS];
    const struct judge_loops_weight numbers = weight_rule(row, rule, 0);

    for (size_t j = 0; j < s->keys; j++) {
        double low[JUDGE_LOOPS_PAD] = {row->low[j]}, high[JUDGE_LOOPS_PAD] = {row->high[j]};
        double t[JUDGE_LOOPS_PAD] = {row->t[j]}, delta[JUDGE_LOOPS_PAD] = {row->delta[j]};

        for (size_t i = 1; i < JUDGE_LOOPS_PAD; i++)
            t[i] = (double)-INFINITY;
        part[j] =
            attest_judge_loops()->apart(low, high, t, delta, &numbers, 2 * rule->log_exp, 1);
    }
    return sum_part(part, s->keys, row->apart * row->sum_low);
}

static double apart_sums(void)
{
    begin_lost(MOST_KEYS);
    x.v.exp_relative = 0x1p-10;
    x.v.place = ATTEST_JUDGE_PLACE_BEFORE;
    return scene_get(&x, get_apart);
}

/* The sum of e^(t - bottom), as it is when all keys have been added. */
static double get_sum_so_far(const scene *s, const attest_judge_work *row,
                             const attest_judge_rule *rule)
{
    static double part[MOST_KEYS], high[MOST_KEYS];
    attest_judge_work copy = *row;

    copy.high = high;
    for (size_t j = 0; j < s->keys; j++)
        copy.g[j] = 0;
    for (size_t j = 0; j < s->keys; j++)
        part[j] = row->t[j] - row->bottom;
    attest_kernel_exp(part, part, s->keys);
    return sum_part(part, s->keys, attest_judge_weights_sum_so_far(&copy, rule));
}

static double so_far_sums(void)
{
    begin_lost(MOST_KEYS);
    x.exact = true;
    return scene_get(&x, get_sum_so_far);
}

/* The sum of weight_size |v| in exact arithmetic; what its rounding has of what is added. */
static double get_size(const scene *s, const attest_judge_work *row,
                       const attest_judge_rule *rule)
{
    double ratio;
    arb_t sum, a, b;

    (void)rule;
    arb_init(sum);
    arb_init(a);
    arb_init(b);
    for (size_t j = 0; j < s->keys; j++) {
        arb_set_d(a, row->weight_size[j]);
        arb_set_d(b, fabs(s->value[j]));
        arb_addmul(sum, a, b, BITS);
    }
    arb_set_d(a, row->size_v[0]);
    arb_div(sum, sum, a, BITS);
    arb_sub_ui(sum, sum, 1, BITS);
    ratio = 1 + arf_get_d(arb_midref(sum), ARF_RND_UP) * 0x1p52 / ((double)s->keys + 16);
    arb_clear(sum);
    arb_clear(a);
    arb_clear(b);
    return ratio;
}

static double value_sums(void)
{
    begin_lost(MOST_KEYS);
    x.exact = true;
    return scene_get(&x, get_size);
}

/* Phi of the lower end, which is at most 0 in exact arithmetic; what rounding has of what is
 * added. */
static double get_phi(const scene *s, const attest_judge_work *row,
                      const attest_judge_rule *rule)
{
    double end = row->end[0], size, ratio;
    arb_t sum, r, a, b;

    (void)rule;
    arb_init(sum);
    arb_init(r);
    arb_init(a);
    arb_init(b);
    arb_set_d(r, end);
    for (size_t j = 0; j < s->keys; j++) {
        arb_set_d(a, s->value[j]);
        arb_sub(a, r, a, BITS);
        arb_set_d(b, s->value[j] < end ? row->high[j] : row->low[j]);
        arb_addmul(sum, a, b, BITS);
    }
    size = 2 * fmin(row->sum_low * (row->value_most + fabs(end)),
                    row->size_w[0] + row->sum * fabs(end));
    ratio =
        1 + arf_get_d(arb_midref(sum), ARF_RND_UP) / (((double)s->keys + 16) * 0x1p-51 * size);
    arb_clear(sum);
    arb_clear(r);
    arb_clear(a);
    arb_clear(b);
    return ratio;
}

/* The last key's weight is not well known (a sum that cancels). The others are below the end,
 * and are lost one by one. */
static double phi_evaluation(void)
{
    uint64_t state = attest_random_mix(7);
    double most = 0;

    for (int i = 0; i < 40 && most <= 1; i++) {
        double lost = -36.74 - 0.7 * scene_uniform(&state);

        scene_begin(&x, MOST_KEYS, 2);
        x.v.k = scene_format("binary64");
        x.exact = x.biased = true;
        for (size_t j = 1; j < MOST_KEYS - 1; j++)
            x.mask[j] = lost;
        x.mask[MOST_KEYS - 1] = scene_uniform(&state);
        x.k[2 * MOST_KEYS - 2] = 0x1p46;
        x.k[2 * MOST_KEYS - 1] = -0x1p46;
        x.value[MOST_KEYS - 1] = 1;
        most = fmax(most, scene_get(&x, get_phi));
    }
    return most;
}

/* Key 1 follows the reference key 0, both far below key 2, the last reference. The cast of
 * e^(t_1 - t_0), times e^(t_0 - t_2): its distance from the middle of the computed interval. */
static double get_cast(const scene *s, const attest_judge_work *row,
                       const attest_judge_rule *rule)
{
    double ratio, y;
    arb_t e, a, b;

    arb_init(e);
    arb_init(a);
    arb_init(b);
    arb_set_d(e, s->k[1]);
    arb_set_d(a, s->k[0]);
    arb_sub(e, e, a, BITS);
    arb_exp(e, e, BITS);
    y = arf_get_d(arb_midref(e), ARF_RND_NEAR);
    if (y == attest_in_double_convert(y, &rule->p.in_double))
        abort();
    y = attest_in_double_convert(y, &rule->p.in_double);
    arb_set_d(b, row->top);
    arb_sub(a, a, b, BITS);
    arb_exp(a, a, BITS);
    arb_set_d(b, y);
    arb_mul(a, a, b, BITS);
    arb_set_d(b, row->w[1]);
    arb_sub(a, a, b, BITS);
    ratio = fabs(ratio_of(a, row->offset[1], row->offset[1] + row->spread[1]));
    arb_clear(e);
    arb_clear(a);
    arb_clear(b);
    return ratio;
}

/* Key 1 is drawn so that its weight is a little above the middle between two numbers of P. */
static double known_evaluation(void)
{
    uint64_t state = attest_random_mix(3);
    double most = 0;

    for (int i = 0; i < 400 && most <= 1; i++) {
        double middle = 1 + (2 * floor(64 * scene_uniform(&state)) + 1) * 0x1p-8;

        scene_begin(&x, 4, 1);
        x.v.k = scene_format("binary64");
        x.v.p = scene_format("bfloat16");
        x.v.cast = true;
        x.v.max = ATTEST_JUDGE_MAX_ONLINE;
        x.v.tile = 2;
        x.v.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
        x.exact = true;
        x.k[0] = 0.5 * scene_uniform(&state);
        x.k[1] = x.k[0] + log(middle / 8 * (1 + 0x1p-46 * scene_uniform(&state)));
        x.k[2] = 256 + 40 * scene_uniform(&state);
        x.value[1] = 1;
        most = fmax(most, scene_get(&x, get_cast));
    }
    return most;
}

/* ---- functions ---- */

/* The error of a bound y of e^v, divided by the allowed 2^-50. */
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

/* An end of 1 over a row sum, times 1 + 2^-24, and a factor of values. */
static double end_part_of(double sum, double factor)
{
    const struct judge_loops_end rule = {.sign = 1,
                                         .ratio_low = sum,
                                         .ratio_high = sum,
                                         .final = 0x1p-24,
                                         .limit = 0x1p1000,
                                         .descaled = factor != 0,
                                         .factor = factor,
                                         .plain = true};
    double from = 1, end, part;
    arb_t a, b;

    attest_judge_loops()->ends(&end, &from, &rule, 1);
    arb_init(a);
    arb_init(b);
    arb_set_d(a, 1 + rule.final);
    if (factor != 0) {
        arb_set_d(b, factor);
        arb_mul(a, a, b, BITS);
    }
    arb_set_d(b, sum);
    arb_div(a, a, b, BITS);
    arb_set_d(b, end);
    arb_div(a, a, b, BITS);
    arb_sub_ui(a, a, 1, BITS);
    part = 1 + arf_get_d(arb_midref(a), ARF_RND_NEAR) * 0x1p48 / (factor != 0 ? 2 : 1);
    arb_clear(a);
    arb_clear(b);
    return part;
}

static double end_evaluation(void)
{
    double most = 0;

    for (int i = 3; i < 200; i++)
        most = fmax(most, fmax(end_part_of(i, 0), end_part_of(i, 1.0 / 7)));
    return most;
}

/* The largest part over some divisors. */
static double steps_part(double phi)
{
    double most = 0;

    for (int i = 3; i < 200; i++)
        most = fmax(most, step_part(phi, i));
    return most;
}

static double evaluation_up(void)
{
    return steps_part(1);
}

static double evaluation_down(void)
{
    return steps_part(-1);
}

/* u: 2^-53. */
static const table_row rows[] = {
    {"score_evaluation", score_evaluation, 0.4,
     "d products in order round d - 1 times by u of their sizes at most; the bound is 2 (d + "
     "4) u"},
    {"cap_evaluation", cap_evaluation, 0.02,
     "of 8 u c less than 1 u c is lost where scores are far below the cap; elsewhere twice the "
     "error of the score itself, at least 14 u of it, leaves room for more"},
    {"mask_evaluation", mask_evaluation, 0.9, NULL},
    {"sink_evaluation", sink_evaluation, 0.05,
     "the argument is rounded by u |argument| and exp errs by 1.2 u; the bound has 8 u for "
     "both"},
    {"weight_evaluation", weight_evaluation, 0.1,
     "the argument is rounded twice, each time by u |argument| at most and by half as much on "
     "average, and exp errs by 1.2 u; the bound has 8 u (|argument| + 1)"},
    {"weight_sums", weight_sums, 0.02,
     "a sum of n numbers errs by n u; the bound is 2 n u, and a vector sums in lanes"},
    {"value_sums", value_sums, 0.2,
     "a sum of n numbers errs by n u of itself; the bound is 2 n u, and 2^-40 covers the rest"},
    {"apart_sums", apart_sums, 0.02, "as weight_sums"},
    {"so_far_sums", so_far_sums, 0.2,
     "a sum of n numbers errs by n u; the bound is 2 n u, and 2^-40 covers the rest"},
    {"end_sums", end_sums, 0.1,
     "n roundings of center, of sums that are half of the sizes here; the bound counts 4 n"},
    {"phi_evaluation", phi_evaluation, 0.02,
     "a sum of n terms errs by n u of its largest partial sum, which is half of the sizes at "
     "most; the bound is 4 n u of what is at least the sizes, here of more than twice as much"},
    {"exact_scores", exact_scores, 0.2,
     "half of a score's bound e is reached (score_evaluation); where two keys of equal weight "
     "move by e, the output moves by e, and the bound is 2 e"},
    {"exact_sums", exact_sums, 0.2,
     "n roundings of partial sums, which are half of the sizes where the output is near 0; the "
     "bound is 2 n u of the sizes, and where it is not, of twice that, for numerator and sum"},
    {"exact_weights", exact_weights, 1e-56,
     "exact_sums covers arguments above -64, and more if there are more keys; beyond, the "
     "largest key counts with the largest value, and weighs e^64 times what the other does"},
    {"exact_least", exact_least, 1e-6,
     "an underflow loses 2^-1075; the bound has 2^-1060 for the few of each key"},
    {"exact_distance", exact_distance, 0.1,
     "the bound is that of the evaluated output, of which a fifth is reached (exact_sums), and "
     "its distance to the ends"},
    {"exact_factor", exact_factor, 1e-6,
     "an underflow loses 2^-1075; the bound has 2^-1060, and that of the quotient times a "
     "factor"},
    {"known_evaluation", known_evaluation, 0.9, NULL},
    {"exp_up", exp_up, 0.1,
     "exp errs by 0.60 ulp (kernel-exp.md), 1.2 u at most, and the product rounds; the bound "
     "is "
     "8 u"},
    {"exp_down", exp_down, 0.1, "as exp_up"},
    {"exp_least", exp_least, 1e-4,
     "exp is 0 from 2^-1075 down; the bound is 2^-1070, a number that sums do not lose"},
    {"grow_square", grow_square, 0.4,
     "e^x - 1 - x is x^2 / 2 except for x^3; the bound is x^2"},
    {"end_evaluation", end_evaluation, 0.03,
     "three operations round by 2^-53 each, and two more where values have a factor; 32 are "
     "counted, twice then"},
    {"evaluation_up", evaluation_up, 1e-4,
     "one operation rounds by 2^-53; 2^-40 is for 2^12 of them and is 2^13 times as much"},
    {"evaluation_down", evaluation_down, 1e-4, "as evaluation_up"},
};

void judge_run_evaluation(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    flint_cleanup();
}
