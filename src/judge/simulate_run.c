/* simulate_run.c -- a schedule on all heads of a problem, in several processes. */
#include <attest/judge.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "judge/cancel.h"
#include "judge/quantise.h"
#include "judge/interval_run.h"
#include "judge/simulate.h"

/* The rows of one work item: enough to make loading their head cheap in comparison. */
enum { ROWS = 64 };

/* The memory that the workers share: results, progress, and the first error. */
typedef struct results {
    atomic_size_t done;
    atomic_flag has_error;
    attest_error error;
    double value[];
} results;

typedef struct job {
    attest_judge_problem problem;
    const attest_judge_model *model;
    size_t schedule, chunks; /* per head */
    bool values, bounds;     /* which results are needed */
    size_t elements, bytes;  /* bytes: of results */
    results *results;
    const attest_judge_options *options;
    attest_judge_cancel cancel;
} job;

static void job_clear(job *j)
{
    attest_shared_free(j->results, 1, j->bytes);
    attest_judge_problem_clear(&j->problem);
}

static double *element(const job *j, size_t kind, const attest_judge_head *head, size_t row)
{
    const attest_judge_problem *q = &j->problem;
    size_t index = ((head->batch * q->heads + head->head) * q->queries + row) * q->value_dim;

    return j->results->value + kind * j->elements + index;
}

static attest_status run_rows(job *j, attest_judge_head *head, size_t first, size_t last,
                              attest_error *error)
{
    const attest_judge_variant *variant = &j->model->variant[0];
    attest_judge_instance x ATTEST_CLEARED_BY(attest_judge_instance_clear);
    attest_judge_recipe recipe;

    attest_judge_recipe_from_schedule(&recipe, variant, &j->model->schedule[j->schedule]);
    ATTEST_TRY(attest_judge_instance_init(&x, &j->problem, variant, &recipe, error));
    for (size_t i = first; i < last; i++)
        ATTEST_TRY(attest_judge_instance_run(element(j, 0, head, i), &x, head, i, error));
    return ATTEST_OK;
}

/* [lo, hi] = the hull of [lo, hi] and [l, h]; infinite ends remain infinite. */
static void widen(double *lo, double *hi, const double *l, const double *h, size_t count,
                  bool first)
{
    for (size_t c = 0; c < count; c++) {
        lo[c] = first ? l[c] : fmin(lo[c], l[c]);
        hi[c] = first ? h[c] : fmax(hi[c], h[c]);
    }
}

static attest_status bound_rows(job *j, attest_judge_head *head, size_t variant, size_t first,
                                size_t last, attest_error *error)
{
    size_t values = j->problem.value_dim;
    attest_judge_interval_run run ATTEST_CLEARED_BY(attest_judge_interval_run_clear) = {0};
    double *l ATTEST_FREED = attest_memory_alloc(values, 2 * sizeof *l), *h;

    if (!l)
        return attest_memory_fail(error);
    h = l + values;
    ATTEST_TRY(attest_judge_interval_run_init(&run, &j->problem, &j->model->variant[variant],
                                              &j->model->schedule[j->schedule], error));
    for (size_t i = first; i < last; i++) {
        attest_judge_interval_run_row(l, h, &run, head, i);
        widen(element(j, 1, head, i), element(j, 2, head, i), l, h, values, variant == 0);
    }
    return ATTEST_OK;
}

static attest_status run_chunk(job *j, size_t item, attest_error *error)
{
    const attest_judge_problem *q = &j->problem;
    size_t index = item / j->chunks, first = item % j->chunks * ROWS, last = first + ROWS;
    attest_judge_head head ATTEST_CLEARED_BY(attest_judge_head_clear);

    ATTEST_TRY(attest_judge_head_init(&head, q, error));

    if (last > q->queries)
        last = q->queries;
    ATTEST_TRY(attest_judge_head_load(&head, index / q->heads, index % q->heads, error));
    if (j->values)
        ATTEST_TRY(run_rows(j, &head, first, last, error));
    for (size_t v = 0; j->bounds && v < j->model->variants; v++)
        ATTEST_TRY(bound_rows(j, &head, v, first, last, error));
    atomic_fetch_add(&j->results->done, last - first);
    return ATTEST_OK;
}

static bool work(void *context, size_t item)
{
    job *j = context;
    const attest_judge_problem *q = &j->problem;
    attest_error error = {0};

    if (run_chunk(j, item, &error) != ATTEST_OK) {
        if (!atomic_flag_test_and_set(&j->results->has_error))
            j->results->error = error;
        return false;
    }
    return attest_judge_cancel_check(&j->cancel, "rows", atomic_load(&j->results->done),
                                     q->batch * q->heads * q->queries);
}

/* Loads every head once, so that the first bad number of the input is reported, whichever
 * worker would meet one first. */
static attest_status check_heads(job *j, attest_error *error)
{
    const attest_judge_problem *q = &j->problem;
    attest_judge_instance x ATTEST_CLEARED_BY(attest_judge_instance_clear);
    attest_judge_head head ATTEST_CLEARED_BY(attest_judge_head_clear) = {0};
    attest_judge_recipe recipe;

    attest_judge_recipe_from_schedule(&recipe, j->model->variant,
                                      &j->model->schedule[j->schedule]);
    ATTEST_TRY(attest_judge_instance_init(&x, q, j->model->variant, &recipe, error));
    ATTEST_TRY(attest_judge_head_init(&head, q, error));
    for (size_t h = 0; h < q->batch * q->heads; h++) {
        ATTEST_TRY(attest_judge_head_load(&head, h / q->heads, h % q->heads, error));
        ATTEST_TRY(attest_judge_instance_check(&x, &head, error));
    }
    return ATTEST_OK;
}

static attest_status run_all(job *j, attest_error *error)
{
    const attest_judge_problem *q = &j->problem;
    size_t jobs = j->options->jobs > 0 ? j->options->jobs : 1;
    attest_status status;

    j->results = attest_shared_alloc(1, j->bytes);
    if (!j->results)
        return attest_memory_fail(error);
    attest_judge_cancel_begin(&j->cancel, "rows", q->batch * q->heads * q->queries);
    status = attest_workers_run(work, j, q->batch * q->heads * j->chunks, jobs, error);
    status = attest_judge_cancel_end(&j->cancel, status, error);
    if (j->results->error.status != ATTEST_OK) {
        if (error)
            *error = j->results->error;
        status = j->results->error.status;
    }
    return status;
}

attest_status attest_judge_simulate_values(double *out, double *lo, double *hi,
                                           const attest_qkv *qkv,
                                           const attest_judge_model *model, size_t schedule,
                                           const attest_judge_options *options,
                                           attest_error *error)
{
    job j ATTEST_CLEARED_BY(job_clear) = {.model = model,
                                          .schedule = schedule,
                                          .values = out != NULL,
                                          .bounds = lo || hi,
                                          .options = options};
    double *to[3] = {out, lo, hi};

    attest_judge_cancel_init(&j.cancel, options);
    if (schedule >= model->schedules)
        return attest_error_set(error, ATTEST_USAGE,
                                "the model has %zu schedules, none with the number %zu",
                                model->schedules, schedule);
    ATTEST_TRY(attest_judge_problem_init(&j.problem, qkv, error));
    j.chunks = (j.problem.queries + ROWS - 1) / ROWS;
    j.elements = j.problem.batch * j.problem.heads * j.problem.queries * j.problem.value_dim;
    if (j.elements > (SIZE_MAX - sizeof(results)) / (3 * sizeof(double)))
        return attest_memory_fail(error);
    j.bytes = sizeof(results) + (j.bounds ? 3 : 1) * j.elements * sizeof(double);
    ATTEST_TRY(check_heads(&j, error));
    ATTEST_TRY(run_all(&j, error));
    for (size_t k = 0; k < 3; k++)
        if (to[k])
            memcpy(to[k], j.results->value + k * j.elements, j.elements * sizeof(double));
    return ATTEST_OK;
}

attest_status attest_judge_simulate(double *out, double *lo, double *hi, const attest_qkv *qkv,
                                    const attest_judge_model *model, size_t schedule,
                                    const attest_judge_options *options, attest_error *error)
{
    attest_judge_quantised quantised ATTEST_CLEARED_BY(attest_judge_quantised_clear);

    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    return attest_judge_simulate_values(out, lo, hi, &quantised.qkv, model, schedule, options,
                                        error);
}
