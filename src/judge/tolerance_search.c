/* tolerance_search.c -- a correct kernel whose output a tolerance refuses. */
#include "judge/tolerance_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/quantise.h"
#include "judge/simulate.h"

/* Kernels that are tried, for short rows and for long ones, and the products of a row at which
 * their number begins to fall. */
enum { MOST_KERNELS = 256, LEAST_KERNELS = 16, SHORT_ROW = 1 << 14 };

/* The row that is tried, and what it should be. */
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

/* Tries one kernel. Kernels that cannot be simulated are passed over. */
static attest_status try_kernel(attest_judge_tolerance_search *escape, trial *t,
                                const attest_judge_variant *variant, uint64_t seed,
                                attest_error *error)
{
    const attest_judge_problem *problem = t->head.problem;
    attest_judge_recipe recipe;
    attest_status status = attest_judge_recipe_draw(&recipe, variant, seed, error);

    if (status == ATTEST_OK) {
        recipe.target = t->column;
        recipe.push_up = seed % 2;
        status = attest_judge_simulate_row(t->out, &t->head, t->row, variant, &recipe, error);
    }
    if (status == ATTEST_USAGE)
        return ATTEST_OK;
    ATTEST_TRY(status);
    if (attest_judge_allclose_check(&escape->column, t->tolerance, t->out, NULL, t->exact,
                                    t->error, problem->value_dim) == ATTEST_JUDGE_FAR) {
        escape->found = true;
        escape->seed = seed;
        escape->output = t->out[escape->column];
    }
    return ATTEST_OK;
}

static attest_status try_kernels(attest_judge_tolerance_search *escape, trial *t,
                                 const attest_judge_model *model, attest_error *error)
{
    const attest_judge_problem *x = t->head.problem;
    size_t products = x->keys * (x->dim + x->value_dim) + 1;
    size_t kernels = MOST_KERNELS * (size_t)SHORT_ROW / products;

    kernels = kernels < LEAST_KERNELS  ? LEAST_KERNELS
              : kernels > MOST_KERNELS ? MOST_KERNELS
                                       : kernels;
    for (size_t i = 0; i < kernels && !escape->found; i++) {
        escape->variant = i % model->variants;
        ATTEST_TRY(try_kernel(escape, t, &model->variant[escape->variant], i, error));
    }
    return ATTEST_OK;
}

static attest_status find(attest_judge_tolerance_search *escape,
                          const attest_judge_problem *problem, const attest_judge_model *model,
                          trial *t, size_t place, attest_error *error)
{
    const attest_judge_problem *x = problem;
    size_t head = place / x->value_dim / x->queries;

    t->row = place / x->value_dim % x->queries;
    t->column = place % x->value_dim;
    ATTEST_TRY(attest_judge_head_init(&t->head, x, error));
    t->out = attest_memory_alloc(x->value_dim, sizeof *t->out);
    if (!t->out)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_head_load(&t->head, head / x->heads, head % x->heads, error));
    return try_kernels(escape, t, model, error);
}

attest_status attest_judge_tolerance_search_find(attest_judge_tolerance_search *escape,
                                                 const attest_qkv *qkv,
                                                 const attest_judge_model *model,
                                                 const attest_judge_allclose *tolerance,
                                                 const double *exact, const double *exact_error,
                                                 size_t place, attest_error *error)
{
    attest_judge_quantised quantised ATTEST_CLEARED_BY(attest_judge_quantised_clear);
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    trial t ATTEST_CLEARED_BY(trial_clear) = {.tolerance = tolerance};

    memset(escape, 0, sizeof *escape);
    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    ATTEST_TRY(attest_judge_problem_init(&problem, &quantised.qkv, error));
    t.exact = exact + (place - place % problem.value_dim);
    t.error = exact_error + (place - place % problem.value_dim);
    return find(escape, &problem, model, &t, place, error);
}
