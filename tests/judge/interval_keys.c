/* interval_keys.c -- exponentials, casts, row sums and ranges of scores of many keys at once
 * equal those of single keys, bit for bit, in every kernel. */
#include <math.h>

#include <attest/kernel.h>

#include "judge/loops.h"
#include "judge/interval_run.h"
#include "tests/judge/judge_cases.h"

enum { MOST_KEYS = 37 };

static double draw_unit(uint64_t *state)
{
    return (double)(attest_random_next(state) >> 11) * 0x1p-53;
}

static attest_in_double host(const char *name)
{
    attest_format format = case_format(name);
    attest_in_double h;

    attest_in_double_init(&h, &format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    return h;
}

/* A number of binary32, often of few bits, so that sums are ties. */
static double draw_single(uint64_t *state, double size)
{
    static const char *const name[] = {"binary32", "bfloat16", "tfloat32"};
    attest_in_double h = host(name[case_pick(state, 3)]);

    return attest_in_double_convert((2 * draw_unit(state) - 1) * size, &h);
}

/* A kernel that works in binary32 on as many keys, with these scores. */
typedef struct keys_case {
    attest_judge_interval_run r;
    attest_judge_variant variant;
    double score[MOST_KEYS], reference;
    size_t count;
} keys_case;

static void draw_keys(keys_case *c, uint64_t *state)
{
    attest_judge_instance *x = &c->r.x;
    double size = ldexp(1, (int)case_pick(state, 12) - 2);
    bool flush = case_pick(state, 2), near = case_pick(state, 3) == 0;

    *c = (keys_case){.count = 1 + case_pick(state, MOST_KEYS)};
    x->score_lo = x->score_hi = c->score;
    x->work = (attest_judge_accumulator){.format = host("binary32"), .flush = {flush, flush}};
    x->recipe.argument = (attest_recipe_argument)case_pick(state, 4);
    x->two = x->recipe.argument != ATTEST_RECIPE_SEPARATE;
    x->kappa = fabs(draw_single(state, 1)) + 0x1p-6;
    x->lambda = 0x1.715476p0;
    x->exp_error = ldexp(1, -(int)(6 + case_pick(state, 19)));
    c->reference = near ? draw_single(state, 0x1p-124) : size / 4 + draw_single(state, size);
    for (size_t j = 0; j < c->count; j++) {
        size_t kind = case_pick(state, 12);
        double last = ldexp(c->reference, -(int)(24 + case_pick(state, 30))); /* of its bits */

        c->score[j] = draw_single(state, near ? 0x1p-124 : kind == 1 ? 0x1p100 : size);
        if (kind == 2)
            c->score[j] = -(double)INFINITY;
        if (kind == 3)
            c->score[j] = c->reference;
        if (kind >= 4 && kind < 7) /* a tie except for the last bits */
            c->score[j] = attest_in_double_convert((double)(2 * case_pick(state, 9)) * last +
                                                       (kind == 5 ? last * 0x1p-23 : 0),
                                                   &x->work.format);
    }
}

static bool are_same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static size_t count_wrong_keys(keys_case *c, size_t *done)
{
    const attest_judge_instance *x = &c->r.x;
    double lo[MOST_KEYS], hi[MOST_KEYS];
    size_t wrong = 0;

    if (!attest_judge_interval_exponentials(lo, hi, &c->r, 0, c->count, c->reference))
        return 0;
    for (size_t j = 0; j < c->count; j++) {
        double a = attest_judge_instance_argument(x, c->score[j], c->reference);
        attest_judge_interval y =
            attest_judge_interval_exp(x, (attest_judge_interval){a, a}, x->two);

        if (c->score[j] == -(double)INFINITY)
            y = (attest_judge_interval){0, 0};
        wrong += !(lo[j] == y.lo && hi[j] == y.hi);
        ++*done;
    }
    return wrong;
}

/* Weights of all sizes, cast. */
static size_t count_wrong_casts(keys_case *c, uint64_t *state)
{
    static const char *const name[] = {"bfloat16", "binary16", "float8_e4m3fn", "float8_e5m2",
                                       "binary32"};
    double weight[MOST_KEYS], cast[MOST_KEYS];
    size_t wrong = 0;

    c->variant.cast = case_pick(state, 8) != 0;
    c->r.x.variant = &c->variant;
    c->r.x.p = host(name[case_pick(state, 5)]);
    if (case_pick(state, 3) == 0)
        c->r.x.p.overflow = c->r.x.p.infinite = c->r.x.p.most; /* it saturates */
    for (size_t j = 0; j < c->count; j++) {
        weight[j] = fabs(draw_single(state, ldexp(1, (int)case_pick(state, 40) - 30)));
        if (case_pick(state, 4) == 0)
            weight[j] = c->r.x.p.most * (0.9 + 0.2 * draw_unit(state));
        if (case_pick(state, 50) == 0)
            weight[j] = case_pick(state, 2) ? INFINITY : NAN;
        cast[j] = weight[j];
    }
    attest_judge_interval_cast(cast, &c->r.x, c->count);
    for (size_t j = 0; j < c->count; j++)
        wrong += !are_same(cast[j], attest_judge_instance_cast(&c->r.x, weight[j]));
    return wrong;
}

/* Row sums, of a tile that begins anywhere, and another one. */
static size_t count_wrong_sums(keys_case *c, uint64_t *state)
{
    static const char *const name[] = {"binary32", "binary32", "binary16", "binary64"};
    attest_judge_interval_lanes lanes = {0};
    attest_judge_running sum[2][ATTEST_RECIPE_LANES] = {0};
    size_t wrong = 0, many = 1 + case_pick(state, case_pick(state, 3) ? 9 : 30);
    double size = case_pick(state, 3) ? 1 : case_pick(state, 2) ? 0x1p-135 : 0x1p127;

    c->r.x.recipe.lanes = many;
    for (int e = LOWER; e <= UPPER; e++)
        c->r.sum[e] = (attest_judge_accumulator){.flush = {e == LOWER, e == UPPER}};
    c->r.sum[LOWER].format = host(name[case_pick(state, 4)]);
    if (case_pick(state, 3) == 0 && !c->r.sum[LOWER].format.plain) /* it saturates */
        c->r.sum[LOWER].format.overflow = c->r.sum[LOWER].format.infinite =
            c->r.sum[LOWER].format.most;
    c->r.sum[UPPER].format = c->r.sum[LOWER].format;
    for (size_t t = 0; t < 3; t++) {
        size_t lead = case_pick(state, 2 * many), count = 1 + case_pick(state, MOST_KEYS);
        double term[2][MOST_KEYS];
        const double *const both[2] = {term[LOWER], term[UPPER]};

        for (int e = LOWER; e <= UPPER; e++)
            for (size_t j = 0; j < count; j++) {
                attest_judge_running *l = &sum[e][(lead + j) % many];
                const attest_judge_accumulator *s = &c->r.sum[e];
                double x;

                term[e][j] = fabs(draw_single(state, size));
                if (case_pick(state, 200) == 0)
                    term[e][j] = case_pick(state, 2) ? INFINITY : NAN;
                x = attest_in_double_convert(term[e][j], &s->format);
                l->value = l->started ? attest_judge_accumulator_add(l->value, x, s) : x;
                l->started = true;
            }
        attest_judge_interval_add_lanes(&lanes, both, lead, count, &c->r);
    }
    for (int e = LOWER; e <= UPPER; e++)
        for (size_t l = 0; l < many; l++)
            wrong += !are_same(lanes.sum[e][l], sum[e][l].value);
    return wrong;
}

/* The largest and least ends of some keys among others, which do not count. */
static size_t count_wrong_extremes(uint64_t *state)
{
    double t[MOST_KEYS], delta[MOST_KEYS], got[3];
    double want[3] = {-(double)INFINITY, -(double)INFINITY, (double)INFINITY};
    size_t first = case_pick(state, 8), count = 1 + case_pick(state, MOST_KEYS - first);
    size_t wrong = 0;

    for (size_t j = 0; j < MOST_KEYS; j++) {
        t[j] = case_pick(state, 9) ? draw_single(state, 8) : -(double)INFINITY;
        delta[j] = t[j] > -(double)INFINITY ? fabs(draw_single(state, 4)) : 0;
    }
    for (size_t j = first; j < first + count; j++) {
        want[0] = fmax(want[0], t[j] + delta[j]);
        want[1] = fmax(want[1], t[j] - delta[j]);
        if (t[j] > -(double)INFINITY)
            want[2] = fmin(want[2], t[j] - delta[j]);
    }
    attest_judge_loops()->extremes(got, t + first, delta + first, count);
    for (int i = 0; i < 3; i++)
        wrong += got[i] != want[i];
    return wrong;
}

TEST(interval_keys)
{
    const char *kernel;
    uint64_t start = tap_seed(1);

    for (size_t k = 0; (kernel = attest_kernel_list(k)); k++) {
        size_t keys = 0, casts = 0, sums = 0, extremes = 0, done = 0;
        uint64_t state = start;

        if (attest_kernel_select(kernel) != ATTEST_OK)
            abort();
        for (size_t t = 0; t < 8000; t++) {
            keys_case c;

            draw_keys(&c, &state);
            keys += count_wrong_keys(&c, &done);
            casts += count_wrong_casts(&c, &state);
            sums += count_wrong_sums(&c, &state);
            extremes += count_wrong_extremes(&state);
        }
        TAP_OK(extremes == 0, "%s: %zu largest and least scores are others", kernel, extremes);
        TAP_OK(keys == 0 && done > 50000, "%s: %zu exponentials, %zu are others", kernel, done,
               keys);
        TAP_OK(casts == 0, "%s: casts, %zu are others", kernel, casts);
        TAP_OK(sums == 0, "%s: row sums, %zu are others", kernel, sums);
    }
    if (attest_kernel_select(NULL) != ATTEST_OK)
        abort();
    return 0;
}
