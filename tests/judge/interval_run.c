/* interval_run.c -- the bounds of a schedule contain every kernel of it, whatever its exp, tanh
 * and division return, and are not much wider. */
#include <math.h>

#include "tests/judge/judge_cases.h"

/* Another kernel of the same schedule. */
static void draw_open(attest_judge_recipe *recipe, uint64_t *state, size_t trial)
{
    bool push = trial % 3 == 0;

    recipe->exp_error = push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)case_pick(state, 4);
    recipe->softcap_error =
        push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)case_pick(state, 4);
    recipe->final_error = push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)case_pick(state, 4);
    recipe->log_error = push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)case_pick(state, 4);
    recipe->reciprocal = case_pick(state, 2) == 1;
    recipe->flush = case_pick(state, 2) == 1;
    recipe->target = case_pick(state, CASE_VALUES);
    recipe->push_up = case_pick(state, 2) == 1;
    recipe->seed = attest_random_next(state);
}

/* q, k and v with factors. */
static void add_factors(judge_case *c, uint64_t *state)
{
    attest_qkv *qkv = &c->problem.qkv;
    attest_tensor *const of[3] = {&qkv->q_descale, &qkv->k_descale, &qkv->v_descale};
    attest_error error = {0};

    for (int i = 0; i < 3; i++) {
        c->factor[i] = ldexp(1 + (double)case_pick(state, 1 << 23) * 0x1p-23,
                             (int)case_pick(state, i == 2 ? 79 : 4) - (i == 2 ? 39 : 2));
        *of[i] = case_tensor(&c->factor[i], ATTEST_TENSOR_F64, 1, 1);
    }
    c->problem.descaled = true;
    if (attest_judge_head_load(&c->head, 0, 0, &error) != ATTEST_OK)
        abort();
}

/* Queries that are 0 and values of all sizes: weights are equal, and what sums lose shows in
 * the order of their terms. */
static void set_equal(judge_case *c, uint64_t *state)
{
    attest_error error = {0};

    memset(c->q, 0, sizeof c->q);
    c->variant.output = case_format("binary32");
    for (size_t j = 0; j < c->problem.keys * c->problem.value_dim; j++)
        c->v[j] = case_number(state, &c->variant.v, 6 - (int)case_pick(state, 40));
    if (attest_judge_head_load(&c->head, 0, 0, &error) != ATTEST_OK)
        abort();
}

static void set_cases(judge_case *c, uint64_t *state, size_t kind, size_t trial)
{
    case_init(c, state, kind);
    if (trial % 7 == 0)
        case_shrink(c, state);
    if (trial % 4 == 1)
        c->variant.sum_of = ATTEST_JUDGE_SUM_ANY;
    if (trial % 8 == 3)
        c->variant.output_any = true;
    if (trial % 5 == 2)
        c->variant.exp_relative = 0x1p-6;
    if (trial % 3 == 0)
        add_factors(c, state);
    if (trial % 6 == 5)
        set_equal(c, state);
}

static size_t check_row(judge_case *c, attest_judge_interval_run *run, uint64_t *state,
                        size_t i, size_t *touched)
{
    double lo[CASE_VALUES], hi[CASE_VALUES], out[CASE_VALUES];
    size_t outside = 0, values = c->problem.value_dim;
    attest_error error = {0};

    if (!attest_judge_interval_run_row(lo, hi, run, &c->head, i))
        return 0;
    for (size_t t = 0; t < 12; t++) {
        attest_judge_recipe recipe;

        attest_judge_recipe_from_schedule(&recipe, &c->variant, &c->schedule);
        if (t > 0)
            draw_open(&recipe, state, t);
        if (c->variant.sum_of == ATTEST_JUDGE_SUM_ANY)
            recipe.sum_cast = t % 2 == 1;
        if (c->variant.output_any)
            recipe.output = (attest_recipe_error)(t % 5);
        if (attest_judge_simulate_row(out, &c->head, i, &c->variant, &recipe, &error) !=
            ATTEST_OK)
            outside++;
        for (size_t v = 0; v < values; v++) {
            outside += !(out[v] >= lo[v] && out[v] <= hi[v]);
            *touched += lo[v] < hi[v] && (out[v] == lo[v] || out[v] == hi[v]);
        }
    }
    return outside;
}

static void check_inside(uint64_t *state)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        size_t outside = 0, touched = 0, unknown = 0, rows = 0;

        for (size_t t = 0; t < 250; t++) {
            judge_case c;
            attest_judge_interval_run run;
            attest_error error = {0};

            set_cases(&c, state, kind, t);
            if (attest_judge_interval_run_init(&run, &c.problem, &c.variant, &c.schedule,
                                               &error) != ATTEST_OK) {
                printf("# %s\n", error.text);
                unknown++;
            } else {
                for (size_t i = 0; i < c.problem.queries; i++, rows++)
                    outside += check_row(&c, &run, state, i, &touched);
                attest_judge_interval_run_clear(&run);
            }
            case_clear(&c);
        }
        TAP_OK(outside == 0 && unknown == 0 && touched > rows,
               "kind %zu: %zu rows, %zu elements outside, %zu at an end", kind, rows, outside,
               touched);
    }
}

/* ---- directed ---- */

/* y - factor e^x, rounded: its sign is right. */
static int compare_exp(double y, double x, bool two, double factor)
{
    mpfr_t e, z;
    int sign;

    mpfr_init2(e, 300);
    mpfr_init2(z, 300);
    mpfr_set_d(z, x, MPFR_RNDN);
    two ? mpfr_exp2(e, z, MPFR_RNDN) : mpfr_exp(e, z, MPFR_RNDN);
    mpfr_set_d(z, 1, MPFR_RNDN);
    mpfr_add_d(z, z, factor, MPFR_RNDN);
    mpfr_mul(e, e, z, MPFR_RNDN);
    sign = -mpfr_cmp_d(e, y);
    mpfr_clear(e);
    mpfr_clear(z);
    return sign;
}

/* The ends of exp: within the error if they are inner, and no number of the format beyond them
 * is if they are outer. */
static void check_exp(uint64_t *state)
{
    attest_format single = case_format("binary32");
    size_t inner = 0, outer = 0, flushed = 0;
    attest_in_double h;

    attest_in_double_init(&h, &single, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t t = 0; t < 20000; t++) {
        double error = ldexp(1, -(int)(6 + case_pick(state, 19)));
        double x = attest_in_double_convert(
            (double)(attest_random_next(state) >> 11) * 0x1p-53 * 150 - 140, &h);
        bool two = case_pick(state, 2) == 1;
        attest_judge_exponential in, out;

        attest_judge_exp_range(&in, x, two, error, false, &h);
        attest_judge_exp_range(&out, x, two, error, true, &h);
        if (compare_exp(0x1p-126, x, two, -error) > 0) { /* it may be 0 */
            flushed++;
            inner += !(in.lo == 0 && out.lo == 0 && out.hi >= 0x1p-126);
            continue;
        }
        inner +=
            compare_exp(in.lo, x, two, -error) < 0 || compare_exp(in.hi, x, two, error) > 0;
        outer += compare_exp(nextafterf((float)out.lo, 0), x, two, -error) >= 0 ||
                 compare_exp(nextafterf((float)out.hi, INFINITY), x, two, error) <= 0 ||
                 out.lo > in.lo || out.hi < in.hi || in.nearest < in.lo || in.nearest > in.hi;
    }
    TAP_OK(inner == 0 && outer == 0 && flushed > 100,
           "the ends of exp: %zu too far out, %zu too far in, %zu may be 0", inner, outer,
           flushed);
}

/* Blocks whose terms are anywhere between two ends, some of them far apart. */
static void check_blocks(uint64_t *state)
{
    attest_format in = case_format("bfloat16"), single = case_format("binary32");
    attest_judge_unit unit;
    attest_in_double h;
    size_t outside = 0, wide = 0;

    attest_in_double_init(&h, &in, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t t = 0; t < 6000; t++) {
        double a[3][8], b[8], c[2], end[2][8];
        size_t n = 1 + case_pick(state, 8);

        attest_judge_unit_init(&unit, &in, &in, &single, 3 + case_pick(state, 22));
        for (size_t i = 0; i < n; i++) {
            int power = (int)case_pick(state, 60) - 40;

            b[i] = case_number(state, &in, (int)case_pick(state, 3));
            a[0][i] = fabs(case_number(state, &in, power));
            a[1][i] = case_pick(state, 4) ? attest_in_double_convert(a[0][i] * 1.02, &h)
                                          : a[0][i] + fabs(case_number(state, &in, power + 30));
            a[1][i] = attest_in_double_convert(a[1][i], &h);
            end[0][i] = a[b[i] < 0][i];
            end[1][i] = a[!(b[i] < 0)][i];
        }
        c[0] = case_number(state, &single, (int)case_pick(state, 30) - 20);
        c[1] = case_pick(state, 3) ? c[0] : fmax(c[0], case_number(state, &single, -2));
        for (size_t s = 0; s < 20; s++) {
            double lo = c[0], hi = c[1], y, middle = s % 2 ? c[0] : c[1];
            attest_judge_block lower = {end[0], b, 1, n}, upper = {end[1], b, 1, n};

            for (size_t i = 0; i < n; i++) {
                double part = (double)case_pick(state, 5) / 4;

                part = case_pick(state, 2) ? part : part * 0x1p-20;
                a[2][i] = attest_in_double_convert(a[0][i] + part * (a[1][i] - a[0][i]), &h);
            }
            if (s > 15 && c[0] <= 0 && c[1] >= 0)
                middle = 0;
            y = attest_judge_unit_sum(middle, &(attest_judge_block){a[2], b, 1, n}, &unit);
            outside += !attest_judge_interval_block(&lo, &hi, &lower, &upper, &unit) ||
                       !(lo <= y && y <= hi);
            wide += lo < hi;
        }
    }
    TAP_OK(outside == 0 && wide > 20000, "blocks between two ends: %zu outside, %zu are open",
           outside, wide);
}

/* A row of two keys, scores and values as they are, and a schedule without surprises. */
static void set_two_keys(judge_case *c, uint64_t *state, const double k[2], const double v[2])
{
    case_init(c, state, 0);
    case_clear(c);
    memset(&c->qkv, 0, sizeof c->qkv);
    case_variant(&c->variant, state, 0);
    c->schedule.constant = ATTEST_JUDGE_CONSTANT_SEPARATE;
    c->schedule.quotient = ATTEST_JUDGE_QUOTIENT_DIVISION;
    c->schedule.emulation = (attest_judge_emulation){0};
    c->schedule.rescale = 0;
    c->schedule.divide = ATTEST_JUDGE_PLACE_AFTER;
    c->q[0] = 1;
    memcpy(c->k, k, 2 * sizeof *k);
    memcpy(c->v, v, 2 * sizeof *v);
    c->qkv.q = case_tensor(c->q, ATTEST_TENSOR_F64, 1, 1);
    c->qkv.k = case_tensor(c->k, ATTEST_TENSOR_F64, 2, 1);
    c->qkv.v = case_tensor(c->v, ATTEST_TENSOR_F64, 2, 1);
    c->qkv.scale = "none";
}

/* The ends of its row, and out of the kernels of the schedule; returns how many are outside. */
static size_t run_two_keys(double *lo, double *hi, judge_case *c, uint64_t *state)
{
    attest_judge_interval_run run;
    attest_error error = {0};
    size_t outside, touched = 0;

    if (attest_judge_problem_init(&c->problem, &c->qkv, &error) != ATTEST_OK ||
        attest_judge_head_init(&c->head, &c->problem, &error) != ATTEST_OK ||
        attest_judge_head_load(&c->head, 0, 0, &error) != ATTEST_OK ||
        attest_judge_interval_run_init(&run, &c->problem, &c->variant, &c->schedule, &error) !=
            ATTEST_OK)
        abort();
    outside = check_row(c, &run, state, 0, &touched);
    attest_judge_interval_run_row(lo, hi, &run, &c->head, 0);
    attest_judge_interval_run_clear(&run);
    return outside;
}

/* Two keys with these scores, of which only the second has a value. */
static void check_tiny(uint64_t *state, double score, double value, long offset, double least)
{
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES];
    size_t outside;

    set_two_keys(&c, state, (double[]){0, score}, (double[]){0, value});
    c.variant.offset = offset;
    outside = run_two_keys(lo, hi, &c, state);
    TAP_OK(outside == 0 && lo[0] == 0 && hi[0] >= least,
           "a weight of e^%g and a value of %g: %g to %g, %zu outside", score, value, lo[0],
           hi[0], outside);
    case_clear(&c);
}

/* Two parts of a key each, with a logarithm that is wrong by up to 2^-6: the part that is the
 * largest whatever it returns weighs 1, and is not blurred by its own logarithm. */
static void check_largest_part(uint64_t *state, double score, double least, double most)
{
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES];
    size_t outside;

    set_two_keys(&c, state, (double[]){0, score}, (double[]){1.5, 1});
    c.variant.sum_of = ATTEST_JUDGE_SUM_UNCAST;
    c.variant.split_log = 0x1p-6;
    c.variant.splits = c.schedule.splits = 2;
    c.schedule.tile = 1;
    outside = run_two_keys(lo, hi, &c, state);
    TAP_OK(outside == 0 && hi[0] - lo[0] >= least && hi[0] - lo[0] <= most,
           "two parts, scores 0 and %g: %.8g to %.8g, %zu outside", score, lo[0], hi[0],
           outside);
    case_clear(&c);
}

/* Two keys of one score, tile by tile, with a tanh that is wrong by up to 2^-20: whether the
 * second raises the reference is open, but it does so by less than 2^-17. Each weight, rescale
 * and sum is then known to a few times that, and the mean of the values to less than 2^-10. */
static void check_open_maximum(uint64_t *state)
{
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES];
    size_t outside;

    set_two_keys(&c, state, (double[]){0.5, 0.5}, (double[]){1.5, 1});
    c.qkv.softcap = "2";
    c.variant.softcap_absolute = 0x1p-20;
    c.variant.sum_of = ATTEST_JUDGE_SUM_UNCAST;
    c.variant.max = ATTEST_JUDGE_MAX_ONLINE;
    c.schedule.tile = c.schedule.splits = 1;
    outside = run_two_keys(lo, hi, &c, state);
    TAP_OK(outside == 0 && lo[0] < 1.25 && hi[0] > 1.25 && hi[0] - lo[0] < 0x1p-10,
           "a reference that may be raised by little: %.8g to %.8g, %zu outside", lo[0], hi[0],
           outside);
    case_clear(&c);
}

static double simulate_two_keys(judge_case *c)
{
    attest_judge_recipe recipe;
    attest_error error = {0};
    double out;

    attest_judge_recipe_from_schedule(&recipe, &c->variant, &c->schedule);
    if (attest_judge_simulate_row(&out, &c->head, 0, &c->variant, &recipe, &error) != ATTEST_OK)
        abort();
    return out;
}

/* An output that overflows its format: no bound, and the event is counted. */
static void check_infinite_output(uint64_t *state, double value)
{
    judge_case c;
    attest_judge_interval_run run;
    attest_judge_watch watch = {0};
    attest_error error = {0};
    double lo[CASE_VALUES], hi[CASE_VALUES];
    bool bounded;

    set_two_keys(&c, state, (double[]){0, 0}, (double[]){value, value});
    c.variant.output = case_format("binary16");
    c.variant.output_any = false;
    run_two_keys(lo, hi, &c, state);
    if (attest_judge_interval_run_init(&run, &c.problem, &c.variant, &c.schedule, &error) !=
        ATTEST_OK)
        abort();
    run.x.watch = &watch;
    bounded = attest_judge_interval_run_row(lo, hi, &run, &c.head, 0);
    TAP_OK(!bounded && lo[0] == -(double)INFINITY && hi[0] == (double)INFINITY &&
               watch.count[ATTEST_JUDGE_OUTPUT_LEAVES] > 0,
           "two values of %g in binary16: %g to %g, %zu overflows", value, lo[0], hi[0],
           watch.count[ATTEST_JUDGE_OUTPUT_LEAVES]);
    attest_judge_interval_run_clear(&run);
    case_clear(&c);
}

/* Keys whose scores overflow to -inf are seen. */
static void check_overflow(uint64_t *state, double other)
{
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES], out;

    set_two_keys(&c, state, (double[]){-0x1p17, other}, (double[]){1, 2});
    c.variant.score.accumulate = case_format("binary16");
    run_two_keys(lo, hi, &c, state);
    out = simulate_two_keys(&c);
    TAP_OK(lo[0] == -(double)INFINITY && hi[0] == (double)INFINITY &&
               (other > -0x1p16 ? out == 2 : isnan(out)),
           "scores -2^17 and %g in binary16: %g to %g, %g", other, lo[0], hi[0], out);
    case_clear(&c);
}

/* A first key so far below 0 that its score is one of binary32 and its reference, times log2 e,
 * is not: 2^inf, which the second key's tile multiplies by 0. */
static void check_far_reference(uint64_t *state, double score)
{
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES], out;

    set_two_keys(&c, state, (double[]){score, 0}, (double[]){1, 2});
    c.variant.max = ATTEST_JUDGE_MAX_ONLINE;
    c.variant.splits = c.schedule.splits = c.schedule.tile = 1;
    c.schedule.direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    c.schedule.constant = ATTEST_JUDGE_CONSTANT_FOLDED;
    run_two_keys(lo, hi, &c, state);
    out = simulate_two_keys(&c);
    TAP_OK(isnan(out) ? lo[0] == -(double)INFINITY && hi[0] == (double)INFINITY
                      : lo[0] <= out && out <= hi[0] && hi[0] - lo[0] < 0x1p-10,
           "scores %g and 0: %g to %g, %g", score, lo[0], hi[0], out);
    case_clear(&c);
}

/* A scale that is 0 in binary32 is not an absent scale. */
static void check_no_scale(uint64_t *state)
{
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES], out;

    set_two_keys(&c, state, (double[]){1, 0}, (double[]){1, 2});
    c.qkv.scale = "1e-50";
    c.schedule.constant = ATTEST_JUDGE_CONSTANT_FOLDED;
    run_two_keys(lo, hi, &c, state);
    out = simulate_two_keys(&c);
    TAP_OK(out == 1.5 && lo[0] <= out && out <= hi[0], "a scale of 0: %g to %g, %g", lo[0],
           hi[0], out);
    case_clear(&c);
}

/* A row sum whose reciprocal is subnormal: an exponential that overflows, as its reference is
 * rounded by far more than 128, and the largest number of a P that saturates. */
static void check_large_sum(uint64_t *state, bool flush)
{
    const double score = -0x1.004p100;
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES], out;

    set_two_keys(&c, state, (double[]){score, 2 * score}, (double[]){1, 2});
    c.variant.cast = true;
    c.variant.p = case_format("bfloat16");
    c.variant.p.saturates = true;
    c.variant.sum_of = ATTEST_JUDGE_SUM_CAST;
    c.variant.splits = c.schedule.splits = 1;
    c.schedule.tile = 2;
    c.schedule.flush = flush;
    c.schedule.constant = ATTEST_JUDGE_CONSTANT_FOLDED;
    c.schedule.quotient = ATTEST_JUDGE_QUOTIENT_RECIPROCAL;
    run_two_keys(lo, hi, &c, state);
    out = simulate_two_keys(&c);
    TAP_OK(lo[0] <= out && out <= hi[0] && (!flush || out == 0),
           "a sum beyond 2^126, its reciprocal%s: %g to %g, %g", flush ? " flushed" : "", lo[0],
           hi[0], out);
    case_clear(&c);
}

/* A scale beyond binary32 times a score of 0 is NaN, also after a saturating cast. */
static void check_nan_weights(uint64_t *state, attest_judge_sum_of sum_of)
{
    judge_case c;
    double lo[CASE_VALUES], hi[CASE_VALUES], out;

    set_two_keys(&c, state, (double[]){0, 0}, (double[]){1, 2});
    c.qkv.scale = "1e39";
    c.schedule.constant = ATTEST_JUDGE_CONSTANT_FOLDED;
    c.variant.cast = true;
    c.variant.p = case_format("float8_e4m3fn");
    c.variant.p.saturates = true;
    c.variant.sum_of = sum_of;
    run_two_keys(lo, hi, &c, state);
    out = simulate_two_keys(&c);
    TAP_OK(isnan(out) && lo[0] == -(double)INFINITY && hi[0] == (double)INFINITY,
           "weights that are not numbers: %g to %g, %g", lo[0], hi[0], out);
    case_clear(&c);
}

/* e^x or tanh x, correctly rounded. */
static double rounded(double x, int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t))
{
    mpfr_t y;

    mpfr_init2(y, 53);
    mpfr_set_d(y, x, MPFR_RNDN);
    function(y, y, MPFR_RNDN);
    x = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return x;
}

static int get_tanh(mpfr_t y, const mpfr_t x, mpfr_rnd_t round)
{
    return mpfr_tanh(y, x, round);
}

static int get_exp(mpfr_t y, const mpfr_t x, mpfr_rnd_t round)
{
    return mpfr_exp(y, x, round);
}

/* tanh in binary64 is rounded like exp. */
static void check_wide_softcap(uint64_t *state)
{
    size_t wrong = 0;

    for (size_t i = 0; i < 100; i++) {
        double k[2] = {1, (double)(attest_random_next(state) >> 11) * 0x1p-53};
        double lo[CASE_VALUES], hi[CASE_VALUES], weight;
        judge_case c;

        set_two_keys(&c, state, k, (double[]){0, 1});
        c.variant.score.accumulate = c.variant.sum_accumulate = c.variant.pv.accumulate =
            c.variant.output = case_format("binary64");
        c.variant.cast = false;
        c.qkv.softcap = "1";
        c.schedule.tile = 2;
        c.schedule.lanes = 1;
        wrong += run_two_keys(lo, hi, &c, state);
        weight = rounded(rounded(k[1], get_tanh) - rounded(1, get_tanh), get_exp);
        wrong += simulate_two_keys(&c) != weight / (1 + weight);
        case_clear(&c);
    }
    TAP_OK(wrong == 0, "a softcap in binary64, bit for bit (%zu are wrong)", wrong);
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* The distance of the ends in the unit roundoffs of the output at the largest value. */
static double get_width(judge_case *c, attest_judge_interval_run *run, size_t i)
{
    double lo[CASE_VALUES], hi[CASE_VALUES], width = 0, most = 0;

    if (!attest_judge_interval_run_row(lo, hi, run, &c->head, i))
        return INFINITY;
    for (size_t j = 0; j < c->problem.keys * c->problem.value_dim; j++)
        most = fmax(most, fabs(c->v[j]));
    for (size_t v = 0; v < c->problem.value_dim; v++)
        width = fmax(width, hi[v] - lo[v]);
    return most > 0 ? width / most * ldexp(1, (int)c->variant.output.precision) : 0;
}

/* For an exp that is correctly rounded, and no tanh. */
static void check_narrow(uint64_t *state)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        double width[400];
        size_t count = 0;

        while (count < 400) {
            judge_case c;
            attest_judge_interval_run run;
            attest_error error = {0};

            case_init(&c, state, kind);
            c.variant.exp_relative = 0x1p-24;
            c.schedule.splits = 1;             /* joining adds errors of its own */
            c.variant.p_scheme.name[0] = '\0'; /* so do coarse elements that are open */
            /* A sink far above the scores overflows a sum in binary16. */
            if (!c.problem.capped && !(kind == 4 && c.head.sink) &&
                attest_judge_interval_run_init(&run, &c.problem, &c.variant, &c.schedule,
                                               &error) == ATTEST_OK) {
                width[count++] = get_width(&c, &run, 0);
                attest_judge_interval_run_clear(&run);
            }
            case_clear(&c);
        }
        qsort(width, count, sizeof *width, by_size);
        TAP_OK(
            width[360] <= (kind == 0 ? 4 : 0) && width[399] <= 16,
            "kind %zu: the ends are %.3g units apart at the median, %.3g at 90 in 100, at most "
            "%.3g",
            kind, width[200], width[360], width[399]);
    }
}

TEST(interval_run)
{
    uint64_t state = tap_seed(1);

    check_inside(&state);
    check_narrow(&state);
    check_exp(&state);
    check_blocks(&state);
    check_largest_part(&state, -200, 0, 0x1p-20);
    check_largest_part(&state, -0x1p-10, 0x1p-8, 0x1p-3);
    check_tiny(&state, -87.5, 1, 0, 0x1p-126);       /* exp may be 0 */
    check_tiny(&state, -70, 0x1p-35, 0, 0x1p-137);   /* a product may be */
    check_tiny(&state, -80, 0x1p-9, -3, 0x1p-125);   /* also if the quotient is normal */
    check_tiny(&state, -87.25, 0x1p-3, 0, 0x1p-129); /* near the least normal number */
    check_open_maximum(&state);
    check_infinite_output(&state, 0x1p17);
    check_infinite_output(&state, -0x1p17);
    check_overflow(&state, 0);
    check_overflow(&state, -0x1p18);
    check_far_reference(&state, -1000);
    check_far_reference(&state, -0x1.8p127);
    check_no_scale(&state);
    check_large_sum(&state, false);
    check_large_sum(&state, true);
    check_nan_weights(&state, ATTEST_JUDGE_SUM_CAST);
    check_nan_weights(&state, ATTEST_JUDGE_SUM_UNCAST);
    check_wide_softcap(&state);
    return 0;
}
