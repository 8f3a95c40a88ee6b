/* tolerance.c -- tolerances as in allclose, the distance of two outputs, and kernels of a model
 * that exceed a tolerance. */
#include "judge/tolerance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/quantise.h"
#include "judge/rows.h"
#include "judge/simulate.h"
#include "number/scope.h"

/* ---- |y - o| <= atol + rtol |o| ---- */

static double up(double x)
{
    return nextafter(x, (double)INFINITY);
}

static double down(double x)
{
    return nextafter(x, (double)-INFINITY);
}

/* The nearest doubles on either side: *low <= value <= *high. */
static void enclose(double *low, double *high, const fmpq_t value)
{
    ARF(end);

    arf_fmpz_div_fmpz(end, fmpq_numref(value), fmpq_denref(value), DBL_MANT_DIG, ARF_RND_FLOOR);
    *low = arf_get_d(end, ARF_RND_FLOOR);
    arf_fmpz_div_fmpz(end, fmpq_numref(value), fmpq_denref(value), DBL_MANT_DIG, ARF_RND_CEIL);
    *high = arf_get_d(end, ARF_RND_CEIL);
}

void attest_judge_allclose_set(attest_judge_allclose *tolerance, const fmpq_t atol,
                               const fmpq_t rtol)
{
    enclose(&tolerance->atol_low, &tolerance->atol_high, atol);
    enclose(&tolerance->rtol_low, &tolerance->rtol_high, rtol);
}

/* A NaN whose error is finite is correct: a row without keys. */
static bool is_unknown(double value, double error)
{
    return isnan(value) && isinf(error);
}

/* A lower bound on the tolerance at an exact value within error of o. */
static double allow_low(const attest_judge_allclose *tolerance, double o, double error)
{
    double least = fmax(down(fabs(o) - error), 0);

    return down(tolerance->atol_low + fmax(down(tolerance->rtol_low * least), 0));
}

/* Compares one element. The distance and the tolerance are moved by one number after every
 * operation, which is more than its rounding, away from the claim. */
static attest_judge_closeness compare(double *excess, const attest_judge_allclose *tolerance,
                                      double y, double y_error, double o, double o_error)
{
    double distance = fabs(y - o), errors = up(y_error + o_error), size = fabs(o);
    double allowed;

    *excess = (double)INFINITY;
    if (is_unknown(o, o_error) || is_unknown(y, y_error))
        return ATTEST_JUDGE_OPEN;
    if (isnan(o) || isnan(y))
        return isnan(o) && isnan(y) ? ATTEST_JUDGE_CLOSE : ATTEST_JUDGE_FAR;
    if (isinf(y))
        return y_error == 0 ? ATTEST_JUDGE_FAR
                            : ATTEST_JUDGE_OPEN; /* the exact value is finite */
    allowed = tolerance->atol_high + tolerance->rtol_high * size;
    *excess = distance - allowed;
    if (y_error == 0 && o_error == 0 && distance == 0)
        return ATTEST_JUDGE_CLOSE;
    if (up(up(distance) + errors) <= allow_low(tolerance, o, o_error))
        return ATTEST_JUDGE_CLOSE;
    allowed = up(tolerance->atol_high + up(tolerance->rtol_high * up(size + o_error)));
    return down(down(distance) - errors) > allowed ? ATTEST_JUDGE_FAR : ATTEST_JUDGE_OPEN;
}

attest_judge_closeness attest_judge_allclose_check(size_t *at,
                                                   const attest_judge_allclose *tolerance,
                                                   const double *y, const double *y_error,
                                                   const double *o, const double *o_error,
                                                   size_t count)
{
    static const int rank[] = {
        [ATTEST_JUDGE_CLOSE] = 0, [ATTEST_JUDGE_OPEN] = 1, [ATTEST_JUDGE_FAR] = 2};
    attest_judge_closeness worst = ATTEST_JUDGE_CLOSE;
    double most = (double)-INFINITY;

    *at = 0;
    for (size_t i = 0; i < count; i++) {
        double excess;
        attest_judge_closeness this =
            compare(&excess, tolerance, y[i], y_error ? y_error[i] : 0, o[i], o_error[i]);

        if (rank[this] > rank[worst] || (this == worst && excess > most)) {
            worst = this;
            most = excess;
            *at = i;
        }
    }
    return worst;
}

bool attest_judge_allclose_holds(size_t *at, const attest_judge_allclose *tolerance,
                                 const double *bound, const double *o, const double *o_error,
                                 size_t count)
{
    double most = (double)-INFINITY;
    bool holds = true;

    for (size_t i = 0; i < count; i++) {
        double allowed = allow_low(tolerance, o[i], o_error[i]), excess = bound[i] - allowed;

        if ((isnan(o[i]) && !is_unknown(o[i], o_error[i])) || bound[i] <= allowed ||
            bound[i] == 0)
            continue;
        holds = false;
        if (!(excess <= most)) {
            most = excess;
            *at = i;
        }
    }
    return holds;
}

/* ---- two outputs ---- */

void attest_judge_difference_get(attest_judge_difference *difference, const double *y,
                                 const double *z, const attest_judge_bounds *bounds,
                                 size_t count)
{
    memset(difference, 0, sizeof *difference);
    for (size_t i = 0; i < count; i++) {
        /* rounding to nearest is monotone: y, z in [lo, hi] have distance <= allowed */
        double distance = fabs(y[i] - z[i]), allowed = bounds->hi[i] - bounds->lo[i], ratio;

        if (y[i] == z[i] || (isnan(y[i]) && isnan(z[i])))
            continue;
        difference->differ++;
        if (!isfinite(allowed) && !isnan(allowed))
            continue; /* the element has no bounds */
        difference->beyond += !(distance <= allowed);
        ratio = isnan(distance) || isnan(allowed) ? (double)INFINITY : distance / allowed;
        if (!difference->has_at || ratio > difference->ratio) {
            difference->has_at = true;
            difference->ratio = ratio;
            difference->at = i;
            difference->y = y[i];
            difference->z = z[i];
            difference->allowed = allowed;
        }
    }
}

/* ---- correct kernels that exceed a tolerance ---- */

/* The number of kernels for short rows, the least number for long ones, and the products of a
 * row above which the number decreases. */
enum { MOST_KERNELS = 256, LEAST_KERNELS = 16, SHORT_ROW = 1 << 14 };

/* The row, and its exact values. */
typedef struct trial {
    attest_judge_head head;
    size_t row, column;
    const attest_judge_allclose *tolerance;
    const double *exact, *error; /* of the row */
    double *out;
} trial;

static void trial_clear(trial *t)
{
    free(t->out);
    attest_judge_head_clear(&t->head);
}

/* t->out = the row of a kernel that is drawn at random. */
static attest_status simulate_drawn(trial *t, const attest_judge_variant *variant,
                                    uint64_t seed, attest_error *error)
{
    attest_judge_recipe recipe;

    ATTEST_TRY(attest_judge_recipe_draw(&recipe, variant, seed, error));
    recipe.target = t->column;
    recipe.push_up = seed % 2;
    return attest_judge_simulate_row(t->out, &t->head, t->row, variant, &recipe, error);
}

/* Runs one kernel. Kernels that cannot be simulated are skipped. */
static attest_status try_kernel(attest_judge_tolerance_search *search, trial *t,
                                const attest_judge_variant *variant, uint64_t seed,
                                attest_error *error)
{
    const attest_judge_problem *problem = t->head.problem;
    attest_status status = simulate_drawn(t, variant, seed, error);

    if (status == ATTEST_USAGE)
        return ATTEST_OK;
    ATTEST_TRY(status);
    if (attest_judge_allclose_check(&search->column, t->tolerance, t->out, NULL, t->exact,
                                    t->error, problem->value_dim) == ATTEST_JUDGE_FAR) {
        search->found = true;
        search->seed = seed;
        search->output = t->out[search->column];
    }
    return ATTEST_OK;
}

static attest_status try_kernels(attest_judge_tolerance_search *search, trial *t,
                                 const attest_judge_model *model, attest_error *error)
{
    const attest_judge_problem *x = t->head.problem;
    size_t products = x->keys * (x->dim + x->value_dim) + 1;
    size_t kernels = MOST_KERNELS * (size_t)SHORT_ROW / products;

    kernels = kernels < LEAST_KERNELS  ? LEAST_KERNELS
              : kernels > MOST_KERNELS ? MOST_KERNELS
                                       : kernels;
    for (size_t i = 0; i < kernels && !search->found; i++) {
        search->variant = i % model->variants;
        ATTEST_TRY(try_kernel(search, t, &model->variant[search->variant], i, error));
    }
    return ATTEST_OK;
}

static attest_status find(attest_judge_tolerance_search *search,
                          const attest_judge_problem *problem, const attest_judge_model *model,
                          trial *t, const size_t at[4], attest_error *error)
{
    const attest_judge_problem *x = problem;

    t->row = at[2];
    t->column = at[3];
    ATTEST_TRY(attest_judge_head_init(&t->head, x, error));
    t->out = attest_memory_alloc(x->value_dim, sizeof *t->out);
    if (!t->out)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_head_load(&t->head, at[0], at[1], error));
    return try_kernels(search, t, model, error);
}

attest_status attest_judge_tolerance_search_find(attest_judge_tolerance_search *search,
                                                 const attest_qkv *qkv,
                                                 const attest_judge_model *model,
                                                 const attest_judge_allclose *tolerance,
                                                 const double *exact, const double *exact_error,
                                                 size_t place, attest_error *error)
{
    attest_judge_quantised quantised ATTEST_CLEARED_BY(attest_judge_quantised_clear) = {0};
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    const attest_judge_options options = {.jobs = 1};
    trial t ATTEST_CLEARED_BY(trial_clear) = {.tolerance = tolerance};
    attest_qkv plain = *qkv;
    size_t at[4];

    memset(search, 0, sizeof *search);
    ATTEST_TRY(attest_judge_rows_init(&rows, qkv, &options, error));
    attest_judge_rows_get_place(at, &rows, place);
    if (attest_judge_qkv_is_unequal(qkv)) {
        if (attest_judge_rows_get_entry(&plain, qkv, &rows, at[0]) == 0)
            return ATTEST_OK; /* no kernel errs in a row without keys */
        at[0] = 0;
    }
    ATTEST_TRY(attest_judge_quantised_init(&quantised, &plain, model, error));
    ATTEST_TRY(attest_judge_problem_init(&problem, &quantised.qkv, error));
    t.exact = exact + (place - place % problem.value_dim);
    t.error = exact_error + (place - place % problem.value_dim);
    return find(search, &problem, model, &t, at, error);
}
