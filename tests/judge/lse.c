/* lse.c -- the bounds on log-sum-exps: exact values against balls of 200 bits that are computed
 * here, and no simulated kernel (tests/ref/lse_kernel.h) leaves them. ATTEST_ROWS rows (default
 * 6000) from ATTEST_SEED on. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>

#include "judge/lse.h"
#include "judge/lse_judgement.h"
#include "judge/model.h"
#include "tests/judge/draw.h"
#include "tests/ref/lse_kernel.h"
#include "tests/tap.h"

enum { QUERIES = 5, KEYS = 300, DIM = 24, KERNELS = 3, BITS = 200 };

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static attest_format format(const char *name)
{
    attest_error error = {0};
    attest_format f = {0};

    if (attest_format_parse(&f, name, &error) != ATTEST_OK)
        abort();
    return f;
}

/* ---- problems ---- */

typedef struct problem {
    size_t queries, keys, dim;
    float q[QUERIES * DIM], k[KEYS * DIM], bias[QUERIES * KEYS], sink;
    double q_double[QUERIES * DIM], k_double[KEYS * DIM], v_double[KEYS],
        bias_double[QUERIES * KEYS], sink_double;
    bool biased, sunk;
    const char *scale_text, *cap_text;
    double cap;
    attest_qkv qkv;
} problem;

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

static void draw_problem_here(problem *x, uint64_t *state)
{
    static const char *const scales[] = {NULL, "none", "0.3", "1/3"}, *const caps[] = {"2",
                                                                                       "30"};

    memset(x, 0, sizeof *x);
    x->queries = 1 + pick(state, QUERIES);
    x->keys = 1 + pick(state, pick(state, 12) ? 40 : KEYS);
    x->dim = 1 + pick(state, DIM);
    draw_data(x->q_double, x->k_double, x->v_double, x->queries, x->keys, x->dim, 1,
              (int)pick(state, DRAW_KINDS), state);
    for (size_t i = 0; i < x->queries * x->dim; i++)
        x->q_double[i] = (double)(x->q[i] = (float)x->q_double[i]);
    for (size_t i = 0; i < x->keys * x->dim; i++)
        x->k_double[i] = (double)(x->k[i] = (float)x->k_double[i]);
    memset(x->v_double, 0, sizeof x->v_double);
    x->biased = pick(state, 3) == 0;
    for (size_t i = 0; x->biased && i < x->queries * x->keys; i++) {
        x->bias[i] = pick(state, 4) ? ldexpf((float)pick(state, 1000) - 500, -8) : -INFINITY;
        x->bias_double[i] = (double)x->bias[i];
    }
    x->sunk = pick(state, 3) == 0;
    x->sink = ldexpf((float)pick(state, 1000) - 500, (int)pick(state, 8) - 9);
    x->sink_double = (double)x->sink;
    x->scale_text = scales[pick(state, 4)];
    if (pick(state, 4) == 0) {
        x->cap_text = caps[pick(state, 2)];
        x->cap = atof(x->cap_text);
    }
    x->qkv = (attest_qkv){.q = tensor(x->q_double, x->queries, x->dim),
                          .k = tensor(x->k_double, x->keys, x->dim),
                          .v = tensor(x->v_double, x->keys, 1),
                          .scale = x->scale_text,
                          .softcap = x->cap_text};
    if (x->biased)
        x->qkv.mask = tensor(x->bias_double, x->queries, x->keys);
    if (x->sunk)
        x->qkv.sink = tensor(&x->sink_double, 1, 1);
}

static double scale_of(const problem *x)
{
    if (!x->scale_text)
        return 1 / sqrt((double)x->dim);
    return strcmp(x->scale_text, "none") == 0  ? 1
           : strcmp(x->scale_text, "0.3") == 0 ? 0.3
                                               : 1.0 / 3;
}

/* ---- exact values ---- */

/* scale q k_j, then softcap and mask. */
static void set_score(arb_t t, const problem *x, size_t i, size_t j)
{
    arb_t a, b;

    arb_init(a);
    arb_init(b);
    arb_zero(t);
    for (size_t c = 0; c < x->dim; c++) {
        arb_set_d(a, x->q_double[i * x->dim + c]);
        arb_set_d(b, x->k_double[j * x->dim + c]);
        arb_addmul(t, a, b, 4000); /* exactly */
    }
    if (!x->scale_text) {
        arb_sqrt_ui(a, x->dim, BITS);
        arb_div(t, t, a, BITS);
    } else if (strcmp(x->scale_text, "0.3") == 0) {
        arb_mul_ui(t, t, 3, BITS);
        arb_div_ui(t, t, 10, BITS);
    } else if (strcmp(x->scale_text, "1/3") == 0)
        arb_div_ui(t, t, 3, BITS);
    if (x->cap_text) {
        arb_div_ui(t, t, (ulong)x->cap, BITS);
        arb_tanh(t, t, BITS);
        arb_mul_ui(t, t, (ulong)x->cap, BITS);
    }
    if (x->biased) {
        arb_set_d(a, x->bias_double[i * x->keys + j]);
        arb_add(t, t, a, BITS);
    }
    arb_clear(a);
    arb_clear(b);
}

/* The log-sum-exp of row i; false: it sees no key. */
static bool set_exact(arb_t lse, const problem *x, size_t i, const attest_judge_lse_model *m)
{
    bool seen = false;
    arb_t t;

    arb_init(t);
    arb_zero(lse);
    for (size_t j = 0; j < x->keys; j++) {
        if (x->biased && isinf(x->bias[i * x->keys + j]))
            continue;
        seen = true;
        set_score(t, x, i, j);
        arb_exp(t, t, BITS);
        arb_add(lse, lse, t, BITS);
    }
    if (x->sunk && !m->without_sink) {
        arb_set_d(t, x->sink_double);
        arb_exp(t, t, BITS);
        arb_add(lse, lse, t, BITS);
    }
    if (seen || (x->sunk && !m->without_sink))
        arb_log(lse, lse, BITS);
    if (m->base == ATTEST_JUDGE_LSE_BINARY) {
        arb_const_log2(t, BITS);
        arb_div(lse, lse, t, BITS);
    }
    arb_clear(t);
    return seen;
}

/* ---- kernels, and models that they belong to ---- */

static void draw_kernel(lse_kernel *k, uint64_t *state)
{
    static const double errors[] = {0, 0x1p-22, 0x1p-12}, logs[] = {0, 0x1.8407p-22, 0x1p-12};

    *k = (lse_kernel){.form = (lse_kernel_form)pick(state, LSE_FORMS),
                      .fused_products = pick(state, 2),
                      .reversed = pick(state, 2),
                      .from_last = pick(state, 2),
                      .wide_sum = pick(state, 4) == 0,
                      .online = pick(state, 3) != 0,
                      .raw_rescale = pick(state, 2),
                      .scale_first = pick(state, 4) == 0,
                      .tile = pick(state, 4) ? 1 + pick(state, 33) : 0,
                      .backward = pick(state, 2),
                      .exp_error = errors[pick(state, 3)],
                      .log_absolute = logs[pick(state, 3)],
                      .log_relative = errors[pick(state, 3)],
                      .tanh_error = 0x1p-22,
                      .exp_way = (int)pick(state, 3) - 1,
                      .log_way = (int)pick(state, 3) - 1,
                      .constant_way = (int)pick(state, 3) - 1,
                      .reference_way = (int)pick(state, 3) - 1,
                      .constant_units = (double)pick(state, 3),
                      .offset = pick(state, 5) ? 0 : (int)pick(state, 17) - 8,
                      .base_2 = pick(state, 3) == 0,
                      .converted = pick(state, 2),
                      .sink_in_max = pick(state, 2),
                      .without_sink = pick(state, 3) == 0};
    if (k->online && pick(state, 3) == 0)
        k->threshold = (double)pick(state, 12);
    if (pick(state, 4) == 0)
        k->lanes = 1 + pick(state, 6);
    if (pick(state, 4) == 0)
        k->splits = 1 + pick(state, 6);
    if (pick(state, 4) == 0) {
        k->cast_bits = 8;
        k->cast_emin = -126;
    }
    k->reference_units = k->form == LSE_SEPARATE || k->form == LSE_SEPARATE_TWO
                             ? (double)(3 * pick(state, 3))
                             : (double)(2 + 4 * pick(state, 2));
}

static void set_model(attest_judge_variant *v, const lse_kernel *k, uint64_t *state)
{
    bool folded = k->form == LSE_FUSED || k->form == LSE_TWO_STEP;
    bool twice = k->form == LSE_TWO_STEP && k->scale_first;

    attest_judge_variant_init(v);
    v->scale = twice || pick(state, 2) ? ATTEST_JUDGE_SCALE_ANY
               : folded                ? ATTEST_JUDGE_SCALE_FOLDED
                                       : ATTEST_JUDGE_SCALE_SCORE;
    v->max = k->threshold > 0 ? ATTEST_JUDGE_MAX_LAZY
             : k->online      ? ATTEST_JUDGE_MAX_ONLINE
                              : ATTEST_JUDGE_MAX_TWO_PASS;
    if (pick(state, 3) == 0)
        v->max = ATTEST_JUDGE_MAX_ANY;
    v->threshold = k->threshold;
    if (k->tile && (pick(state, 2) || k->lanes)) {
        v->tile = k->tile;
        v->direction =
            k->backward ? ATTEST_JUDGE_DIRECTION_BACKWARD : ATTEST_JUDGE_DIRECTION_FORWARD;
    }
    v->exp_relative = k->exp_error;
    v->softcap_relative = k->tanh_error;
    v->split_log = k->log_absolute;
    v->cast = k->cast_bits > 0;
    v->p = format("bfloat16");
    v->sum_of = k->cast_bits ? ATTEST_JUDGE_SUM_CAST : ATTEST_JUDGE_SUM_UNCAST;
    if (pick(state, 3) == 0)
        v->sum_of = ATTEST_JUDGE_SUM_ANY;
    v->offset = k->offset;
    v->lanes = k->lanes ? k->lanes : 1;
    v->splits = k->splits ? k->splits : 1;
    if (k->wide_sum)
        v->sum_accumulate = format("binary64");
    v->lse.base = k->base_2 ? ATTEST_JUDGE_LSE_BINARY : ATTEST_JUDGE_LSE_NATURAL;
    v->lse.log_absolute = k->log_absolute;
    v->lse.log_relative = k->log_relative;
    v->lse.reference = k->reference_units;
    v->lse.without_sink = k->without_sink;
}

/* ---- the test ---- */

typedef struct tally {
    size_t rows, outside, unbounded, exact, inexact, empty, wrong_empty;
    double tightest, loosest;
} tally;

static void check_exact(tally *t, const problem *x, size_t i, const attest_judge_variant *v,
                        double exact, double error, uint64_t seed)
{
    arb_t ball, value;
    bool inside;

    arb_init(ball);
    arb_init(value);
    if (set_exact(ball, x, i, &v->lse) && error < (double)INFINITY) {
        arb_set_d(value, exact);
        mag_set_d(arb_radref(value), error);
        inside = arb_contains(value, ball);
        t->exact++;
        if (!inside && t->inexact++ < 5) {
            printf("# seed %#" PRIx64 " row %zu: %a +- %a\n", seed, i, exact, error);
            arb_printn(ball, 30, 0);
            printf("\n");
        }
        t->loosest = fmax(t->loosest, error / fmax(fabs(exact), 1));
    }
    arb_clear(ball);
    arb_clear(value);
}

static void try_row(tally *t, const problem *x, size_t i, const lse_kernel *k,
                    const attest_judge_lse_bounds *b, uint64_t seed, uint64_t *state)
{
    lse_row row = {x->q + i * x->dim,
                   x->k,
                   x->biased ? x->bias + i * x->keys : NULL,
                   x->keys,
                   x->dim,
                   scale_of(x),
                   x->cap,
                   x->sunk ? &x->sink : NULL};
    double out, most;

    t->rows++;
    if (!(b->hi[i] < (double)INFINITY)) {
        t->unbounded++;
        return;
    }
    out = (double)lse_kernel_run(k, &row, state);
    if (!(out >= b->lo[i] && out <= b->hi[i])) {
        if (t->outside++ < 5)
            printf("# seed %#" PRIx64 " row %zu: %a outside [%a, %a], exact %a; form %d online "
                   "%d splits %zu offset %d cast %d sink %d base %d\n",
                   seed, i, out, b->lo[i], b->hi[i], b->exact[i], k->form, k->online, k->splits,
                   k->offset, k->cast_bits, x->sunk, k->base_2);
        return;
    }
    most = fmax(b->hi[i] - b->exact[i], b->exact[i] - b->lo[i]);
    t->tightest = fmax(t->tightest, most > 1e-30 ? fabs(out - b->exact[i]) / most : 0);
}

static bool is_empty(const problem *x, size_t i)
{
    for (size_t j = 0; j < x->keys; j++)
        if (!x->biased || !isinf(x->bias[i * x->keys + j]))
            return false;
    return true;
}

static void try_problem(tally *t, uint64_t seed)
{
    static problem x;
    uint64_t state = attest_random_mix(seed);
    double block[5][QUERIES];
    unsigned char empty[QUERIES];
    attest_judge_lse_bounds bounds = {block[0], block[1], block[2], block[3],
                                      block[4], empty,    NULL};
    attest_judge_options options = {0};
    attest_error error = {0};

    draw_problem_here(&x, &state);
    for (int n = 0; n < KERNELS; n++) {
        attest_judge_variant variant;
        attest_judge_model model = {
            .name = (char *)"drawn", .variant = &variant, .variants = 1};
        lse_kernel kernel;

        draw_kernel(&kernel, &state);
        set_model(&variant, &kernel, &state);
        if (attest_judge_model_check(&model, &error) != ATTEST_OK ||
            attest_judge_lse_bound(&bounds, &x.qkv, &model, NULL, &options, &error) !=
                ATTEST_OK) {
            printf("# %s\n", error.text);
            t->outside++;
            return;
        }
        for (size_t i = 0; i < x.queries; i++) {
            if (is_empty(&x, i)) {
                t->empty++;
                t->wrong_empty += empty[i] != !(x.sunk && !kernel.without_sink);
                continue;
            }
            check_exact(t, &x, i, &variant, bounds.exact[i], bounds.error[i], seed);
            try_row(t, &x, i, &kernel, &bounds, seed, &state);
        }
    }
}

TEST(lse)
{
    const char *text = getenv("ATTEST_ROWS");
    size_t rows = text ? (size_t)strtoull(text, NULL, 0) : 6000;
    uint64_t seed = tap_seed(1);
    tally t = {0};

    for (; t.rows < rows; seed++)
        try_problem(&t, seed);
    printf("# %zu rows, %zu without a bound, tightest %.4f; %zu empty rows; %zu exact values, "
           "the largest error %.2g\n",
           t.rows, t.unbounded, t.tightest, t.empty, t.exact, t.loosest);
    TAP_OK(t.outside == 0, "no kernel leaves the bounds on its log-sum-exp (%zu do)",
           t.outside);
    TAP_OK(t.inexact == 0, "exact values are those of balls (%zu are not)", t.inexact);
    TAP_OK(t.wrong_empty == 0, "rows without keys are marked, unless there is a sink");
    TAP_OK(t.unbounded * 4 < t.rows, "most rows have a bound");
    TAP_OK(t.tightest > 0.8, "some kernel comes near its bound");
    return 0;
}
