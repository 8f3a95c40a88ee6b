/* merge.c -- the bounds on merged parts: exact values against balls, and no simulated kernel
 * (tests/ref/lse_kernel.h) leaves them. ATTEST_ROWS rows (default 4000) from ATTEST_SEED on. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/flint.h>

#include "judge/lse.h"
#include "judge/model.h"
#include "tests/ref/lse_kernel.h"
#include "tests/tap.h"

enum { PARTS = 40, COLUMNS = 3, KERNELS = 4, BITS = 200 };

typedef struct tally {
    size_t rows, outside, inexact, unbounded, empty;
    double tightest;
} tally;

typedef struct row {
    size_t parts;
    bool binary;
    float part[PARTS * COLUMNS], lse[PARTS];
    double part_double[PARTS * COLUMNS], lse_double[PARTS];
} row;

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static double uniform(uint64_t *state)
{
    return (double)(attest_random_next(state) >> 11) * 0x1p-52 - 1;
}

static void draw_row(row *x, uint64_t *state)
{
    double wide = ldexp(1, (int)pick(state, 9) - 2), level = 300 * uniform(state);
    bool one_sign = pick(state, 3) == 0;

    x->parts = 1 + pick(state, PARTS);
    x->binary = pick(state, 3) == 0;
    for (size_t i = 0; i < x->parts; i++) {
        x->lse[i] = (float)(level + wide * uniform(state));
        if (pick(state, 12) == 0)
            x->lse[i] = -INFINITY;
        x->lse_double[i] = (double)x->lse[i];
    }
    for (size_t i = 0; i < x->parts * COLUMNS; i++) {
        x->part[i] = (float)(uniform(state) + (one_sign ? 1.5 : 0));
        x->part_double[i] = (double)x->part[i];
    }
}

/* Whether the exact values are within their errors. */
static bool is_exact(const row *x, const attest_judge_bounds *b,
                     const attest_judge_lse_bounds *l)
{
    arb_t w, sum, o[COLUMNS], t;
    bool inside = true;

    arb_init(w);
    arb_init(sum);
    arb_init(t);
    for (size_t c = 0; c < COLUMNS; c++)
        arb_init(o[c]);
    for (size_t i = 0; i < x->parts; i++) {
        if (isinf(x->lse[i]))
            continue;
        arb_set_d(w, x->lse_double[i]);
        if (x->binary) {
            arb_const_log2(t, BITS);
            arb_mul(w, w, t, BITS);
        }
        arb_exp(w, w, BITS);
        arb_add(sum, sum, w, BITS);
        for (size_t c = 0; c < COLUMNS; c++) {
            arb_set_d(t, x->part_double[i * COLUMNS + c]);
            arb_addmul(o[c], w, t, BITS);
        }
    }
    for (size_t c = 0; c < COLUMNS; c++) {
        arb_div(o[c], o[c], sum, BITS);
        arb_set_d(t, b->exact[c]);
        mag_set_d(arb_radref(t), b->error[c]);
        inside = inside && arb_contains(t, o[c]);
        arb_clear(o[c]);
    }
    arb_log(sum, sum, BITS);
    if (x->binary) {
        arb_const_log2(t, BITS);
        arb_div(sum, sum, t, BITS);
    }
    arb_set_d(t, l->exact[0]);
    mag_set_d(arb_radref(t), l->error[0]);
    inside = inside && arb_contains(t, sum);
    arb_clear(w);
    arb_clear(sum);
    arb_clear(t);
    return inside;
}

static bool is_empty(const row *x)
{
    for (size_t i = 0; i < x->parts; i++)
        if (!isinf(x->lse[i]))
            return false;
    return true;
}

static void check(tally *t, double out, double lo, double hi, double exact, uint64_t seed,
                  const char *what)
{
    double most = fmax(hi - exact, exact - lo);

    if (!(hi < (double)INFINITY))
        t->unbounded++;
    else if (!(out >= lo && out <= hi)) {
        if (t->outside++ < 5)
            printf("# seed %#" PRIx64 ": %s %a outside [%a, %a], exact %a\n", seed, what, out,
                   lo, hi, exact);
    } else if (most > 0)
        t->tightest = fmax(t->tightest, fabs(out - exact) / most);
}

static void try_row(tally *t, uint64_t seed)
{
    static const double errors[] = {0, 0x1p-22, 0x1p-12};
    uint64_t state = attest_random_mix(seed);
    double block[5][COLUMNS], of_row[5];
    unsigned char empty;
    attest_judge_bounds b = {block[0], block[1], block[2], block[3], block[4], NULL};
    attest_judge_lse_bounds l = {&of_row[0], &of_row[1], &of_row[2], &of_row[3],
                                 &of_row[4], &empty,     NULL};
    row x;

    draw_row(&x, &state);
    for (int n = 0; n < KERNELS; n++) {
        attest_judge_parts parts = {x.part_double, x.lse_double, x.parts, 1, COLUMNS, false};
        merge_kernel kernel = {.base_2 = x.binary,
                               .by_sum = pick(&state, 2),
                               .last = pick(&state, 2),
                               .exp_error = errors[pick(&state, 3)],
                               .log_absolute = errors[pick(&state, 3)],
                               .log_relative = errors[pick(&state, 3)],
                               .final_error = errors[pick(&state, 3)],
                               .exp_way = (int)pick(&state, 3) - 1,
                               .sum_way = (int)pick(&state, 3) - 1,
                               .log_way = (int)pick(&state, 3) - 1,
                               .final_way = (int)pick(&state, 3) - 1};
        attest_judge_variant v;
        attest_judge_model model = {.name = (char *)"drawn", .variant = &v, .variants = 1};
        attest_error error = {0};
        float out[COLUMNS], lse;

        attest_judge_variant_init(&v);
        v.exp_relative = kernel.exp_error;
        v.final_relative = kernel.final_error;
        v.lse.log_absolute = kernel.log_absolute;
        v.lse.log_relative = kernel.log_relative;
        v.lse.base = x.binary ? ATTEST_JUDGE_LSE_BINARY : ATTEST_JUDGE_LSE_NATURAL;
        t->rows++;
        if (attest_judge_merge_bound(&b, &l, &parts, &model, NULL, &error) != ATTEST_OK) {
            printf("# %s\n", error.text);
            t->outside++;
            return;
        }
        if (is_empty(&x)) {
            t->empty++;
            t->inexact += !empty || b.lo[0] != 0 || b.hi[0] != 0;
            continue;
        }
        t->inexact += !is_exact(&x, &b, &l);
        merge_kernel_run(out, &lse, &kernel, x.part, x.lse, x.parts, COLUMNS, &state);
        for (size_t c = 0; c < COLUMNS; c++)
            check(t, (double)out[c], b.lo[c], b.hi[c], b.exact[c], seed, "output");
        check(t, (double)lse, l.lo[0], l.hi[0], l.exact[0], seed, "log-sum-exp");
    }
}

/* What is not a part is refused, and its place named. */
static void test_refused(void)
{
    double out[2] = {1, 2}, lse[2] = {0, NAN}, lo[1];
    attest_judge_parts parts = {out, lse, 2, 1, 1, false};
    attest_judge_bounds b = {.lo = lo};
    attest_judge_variant v;
    attest_judge_model model = {.name = (char *)"drawn", .variant = &v, .variants = 1};
    attest_error error = {0};

    attest_judge_variant_init(&v);
    TAP_OK(attest_judge_merge_bound(&b, NULL, &parts, &model, NULL, &error) == ATTEST_FORMAT,
           "a log-sum-exp that is NaN: %s", error.text);
    lse[1] = 0;
    out[1] = INFINITY;
    TAP_OK(attest_judge_merge_bound(&b, NULL, &parts, &model, NULL, &error) == ATTEST_FORMAT,
           "an output that is not finite: %s", error.text);
    lse[1] = -INFINITY;
    TAP_OK(attest_judge_merge_bound(&b, NULL, &parts, &model, NULL, &error) == ATTEST_OK &&
               lo[0] <= 1 && lo[0] > 0.999,
           "unless that part has no keys");
}

TEST(merge)
{
    const char *text = getenv("ATTEST_ROWS");
    size_t rows = text ? (size_t)strtoull(text, NULL, 0) : 4000;
    uint64_t seed = tap_seed(1);
    tally t = {0};

    for (; t.rows < rows; seed++)
        try_row(&t, seed);
    printf("# %zu rows, %zu without a bound, %zu empty, tightest %.4f\n", t.rows, t.unbounded,
           t.empty, t.tightest);
    TAP_OK(t.outside == 0, "no kernel leaves the bounds on merged parts (%zu do)", t.outside);
    TAP_OK(t.inexact == 0, "exact values are those of balls (%zu are not)", t.inexact);
    TAP_OK(t.tightest > 0.8, "some kernel comes near its bound");
    test_refused();
    return 0;
}
