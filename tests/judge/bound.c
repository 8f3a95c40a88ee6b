/* bound.c -- no simulated kernel of a random model leaves its bound. ATTEST_ROWS rows
 * (default 4000) from ATTEST_SEED on; with ATTEST_VERBOSE, how tight the bounds are. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "judge/head_bound.h"
#include "judge/model_field.h"
#include "judge/simulate.h"
#include "props/judge.h"
#include "tests/judge/draw.h"
#include "tests/tap.h"

enum { QUERIES = 6, RECIPES = 4 };

/* What was seen. */
typedef struct tally {
    size_t rows, elements, outside, unbounded, models;
    double tightest; /* the largest distance over bound */
} tally;

static unsigned long long number_of(const char *name, unsigned long long fallback)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 0) : fallback;
}

static void compare(tally *t, const double *bound, const double *out, size_t columns,
                    uint64_t seed, size_t row)
{
    for (size_t c = 0; c < columns; c++) {
        double lo = bound[c], hi = bound[columns + c], exact = bound[2 * columns + c], most;

        t->elements++;
        if (!(hi < (double)INFINITY)) {
            t->unbounded++;
            continue;
        }
        if (!(out[c] >= lo && out[c] <= hi)) {
            if (t->outside++ < 5)
                printf("# seed %#" PRIx64
                       " row %zu column %zu: %a outside [%a, %a], exact %a\n",
                       seed, row, c, out[c], lo, hi, exact);
            continue;
        }
        most = fmax(hi - exact, exact - lo);
        if (most > 1e-30)
            t->tightest = fmax(t->tightest, fabs(out[c] - exact) / most);
    }
}

/* The rows of one problem under one model, by several kernels. */
static bool try_kernels(tally *t, attest_judge_head_bound *bound, const double *result,
                        const attest_judge_variant *variant, uint64_t seed)
{
    const attest_judge_problem *problem = bound->head.problem;
    size_t columns = problem->value_dim;
    double *out = calloc(columns, sizeof *out);
    attest_error error = {0};
    bool ran = false;

    for (uint64_t r = 0; out && r < RECIPES; r++) {
        attest_judge_recipe recipe;

        if (attest_judge_recipe_draw(&recipe, variant, seed * RECIPES + r, &error) != ATTEST_OK)
            continue;
        for (size_t i = 0; i < problem->queries; i++) {
            if (attest_judge_simulate_row(out, &bound->head, i, variant, &recipe, &error) !=
                ATTEST_OK)
                continue;
            compare(t, result + i * 4 * columns, out, columns, seed, i);
            t->rows++;
            ran = true;
        }
    }
    free(out);
    return ran;
}

/* The model and the problem of a seed that failed, to be looked at. */
static void describe(const attest_judge_variant *v, const drawn_problem *x,
                     const attest_judge_problem *problem)
{
    attest_judge_model model = {
        .name = (char *)"drawn", .variant = (attest_judge_variant *)v, .variants = 1};
    attest_json json;

    printf("# %zu queries, %zu keys, dim %zu, columns %zu, scale %s, softcap %s, causal %d, "
           "window %d %ld %ld, "
           "mask %d, sink %g\n",
           problem->queries, problem->keys, problem->dim, problem->value_dim, x->qkv.scale,
           x->qkv.softcap ? x->qkv.softcap : "none", x->qkv.causal, x->qkv.windowed,
           x->qkv.left, x->qkv.right, x->qkv.mask.data ? (int)x->qkv.mask.type + 1 : 0,
           x->qkv.sink.data ? x->sink : 0);
    attest_json_write_begin(&json, stdout);
    attest_judge_model_write_json(&json, NULL, &model);
    printf("\n");
}

static void try_model(tally *t, uint64_t seed)
{
    uint64_t state = attest_random_mix(seed);
    attest_judge_variant variant;
    attest_judge_rule rule;
    attest_judge_problem problem;
    attest_judge_head_bound bound;
    drawn_problem drawn;
    attest_error error = {0};
    double *result = NULL;

    attest_judge_draw_variant(&variant, &state);
    if (!draw_problem(&drawn, &variant, &state, QUERIES, seed % 16 == 0 ? 300 : 40, 24) ||
        attest_judge_problem_init(&problem, &drawn.qkv, &error) != ATTEST_OK) {
        drawn_problem_clear(&drawn);
        return;
    }
    attest_judge_rule_init(&rule, &variant, &problem);
    if (attest_judge_head_bound_init(&bound, &problem, &rule, 1, &error) == ATTEST_OK) {
        result = calloc(problem.queries * problem.value_dim, 4 * sizeof *result);
        if (result && attest_judge_head_bound_load(&bound, 0, 0, &error) == ATTEST_OK) {
            attest_judge_head_bound_rows(result, &bound, 0, problem.queries);
            size_t before = t->outside;

            t->models += try_kernels(t, &bound, result, &variant, seed);
            if (t->outside > before && before < 5)
                describe(&variant, &drawn, &problem);
        }
        attest_judge_head_bound_clear(&bound);
    }
    free(result);
    attest_judge_problem_clear(&problem);
    drawn_problem_clear(&drawn);
}

TEST(bound)
{
    uint64_t seed = tap_seed(1);
    size_t rows = (size_t)number_of("ATTEST_ROWS", 4000);
    tally t = {0};

    for (; t.rows < rows; seed++)
        try_model(&t, seed);
    printf("# %zu rows of %zu models, %zu elements, %zu without a bound, tightest %.4f\n",
           t.rows, t.models, t.elements, t.unbounded, t.tightest);
    TAP_OK(t.outside == 0, "no kernel of a random model leaves its bound (%zu elements do)",
           t.outside);
    TAP_OK(t.unbounded * 2 < t.elements, "most elements have a bound");
    TAP_OK(t.tightest > 0.9, "some kernel nearly attains its bound");
    return 0;
}
