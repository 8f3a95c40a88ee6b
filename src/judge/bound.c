/* bound.c -- attest_judge_bound: all rows of a problem, shared among processes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "judge/head_bound.h"
#include "judge/rule.h"
#include "judge/cancel.h"
#include "judge/quantise.h"
#include "judge/simulate.h"

/* The job of the workers. They share the results, lo hi exact error one after another for every
 * row, and for every block of rows the reason why an element has no bound. */
typedef struct bound_job {
    const attest_judge_problem *problem;
    attest_judge_head_bound state; /* each worker has its own after the fork */
    const attest_judge_options *options;
    size_t blocks; /* of a head */
    double *result;
    unsigned char *reason;
    attest_judge_cancel cancel;
    double *scheduled; /* NULL, or bounds of the schedules: lo of every element, then hi */
} bound_job;

static void job_clear(bound_job *job)
{
    attest_judge_head_bound_clear(&job->state);
    free(job->scheduled);
}

static bool bound_block(void *context, size_t i)
{
    bound_job *job = context;
    const attest_judge_problem *x = job->problem;
    size_t head = i / job->blocks, first = i % job->blocks * ATTEST_JUDGE_BLOCK;
    attest_error error;

    if (attest_judge_head_bound_load(&job->state, head / x->heads, head % x->heads, &error) !=
        ATTEST_OK)
        return false; /* impossible after attest_judge_inputs_check */
    job->reason[i] = (unsigned char)attest_judge_head_bound_rows(
        job->result + (head * x->queries + first) * 4 * x->value_dim, &job->state, first,
        x->queries - first < ATTEST_JUDGE_BLOCK ? x->queries - first : ATTEST_JUDGE_BLOCK);
    return attest_judge_cancel_check(&job->cancel, "blocks of rows", i,
                                     job->blocks * x->batch * x->heads);
}

/* A bound on |returned - exact|; infinite where the exact value is not known. */
static double distance(double lo, double hi, double exact, double error)
{
    double slack = ATTEST_TERM(exact_distance, error);
    double up = hi - exact + slack, down = exact - lo + slack;

    if (!(error < (double)INFINITY))
        return (double)INFINITY;
    return (up > down ? up : down) * (1 + 0x1p-50);
}

static void store(attest_judge_bounds *to, const bound_job *job)
{
    const attest_judge_problem *x = job->problem;
    size_t columns = x->value_dim, rows = x->batch * x->heads * x->queries;

    for (size_t i = 0; i < rows * columns; i++) {
        const double *row = job->result + i / columns * 4 * columns + i % columns;
        double lo = row[0], hi = row[columns], exact = row[2 * columns],
               error = row[3 * columns];

        if (job->scheduled) { /* the intersection; NaN stays */
            lo = lo < job->scheduled[i] ? job->scheduled[i] : lo;
            hi = hi > job->scheduled[rows * columns + i] ? job->scheduled[rows * columns + i]
                                                         : hi;
        }
        if (to->lo)
            to->lo[i] = lo;
        if (to->hi)
            to->hi[i] = hi;
        if (to->exact)
            to->exact[i] = exact;
        if (to->error)
            to->error[i] = error;
        if (to->bound)
            to->bound[i] = distance(lo, hi, exact, error);
    }
    to->unbounded = NULL;
    for (size_t i = 0; i < job->blocks * x->batch * x->heads && !to->unbounded; i++)
        to->unbounded = attest_judge_reason_text(job->reason[i]);
}

static attest_status run(attest_judge_bounds *bounds, bound_job *job, attest_error *error)
{
    const attest_judge_problem *x = job->problem;
    size_t rows = x->batch * x->heads * x->queries, items = job->blocks * x->batch * x->heads;
    size_t jobs = job->options->jobs ? job->options->jobs : 1;
    size_t row_size = 4 * x->value_dim * sizeof *job->result;
    attest_status status;

    jobs = jobs < items ? jobs : items;
    job->result = attest_workers_alloc(rows, row_size, jobs);
    job->reason = attest_workers_alloc(items, 1, jobs);
    attest_judge_cancel_begin(&job->cancel, "blocks of rows", items);
    status = job->result && job->reason
                 ? attest_workers_run(bound_block, job, items, jobs, error)
                 : attest_memory_fail(error);
    status = attest_judge_cancel_end(&job->cancel, status, error);
    if (status == ATTEST_OK)
        store(bounds, job);
    attest_workers_free(job->result, rows, row_size, jobs);
    attest_workers_free(job->reason, items, 1, jobs);
    return status;
}

static attest_status bound_variants(attest_judge_bounds *bounds, bound_job *job,
                                    const attest_judge_model *model, attest_error *error)
{
    bool *left_out ATTEST_FREED = attest_memory_alloc(model->variants, sizeof *left_out);
    attest_judge_rule *rule ATTEST_FREED = attest_memory_alloc(model->variants, sizeof *rule);
    size_t rules;

    if (!left_out || !rule)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_inputs_check(left_out, job->problem, model, error));
    rules = attest_judge_inputs_set_rules(rule, left_out, job->problem, model);
    ATTEST_TRY(attest_judge_head_bound_init(&job->state, job->problem, rule, rules, error));
    return run(bounds, job, error);
}

/* to = the hull of the bounds of all schedules, lo and then hi of count elements; other: space
 * for as much. */
static attest_status run_schedules(double *to, double *other, size_t count,
                                   const attest_qkv *qkv, const attest_judge_model *model,
                                   const attest_judge_options *options, attest_error *error)
{
    for (size_t s = 0; s < model->schedules; s++) {
        double *result = s == 0 ? to : other;

        ATTEST_TRY(attest_judge_simulate_values(NULL, result, result + count, qkv, model, s,
                                                options, error));
        for (size_t i = 0; i < count && s > 0; i++) {
            to[i] = fmin(to[i], other[i]);
            to[count + i] = fmax(to[count + i], other[count + i]);
        }
    }
    return ATTEST_OK;
}

/* A kernel with a schedule is also a kernel of the variant: both bounds hold. Schedules belong
 * to one variant; a model with several variants is bounded by these alone. */
static attest_status bound_schedules(attest_judge_bounds *bounds, bound_job *job,
                                     const attest_judge_model *model, attest_error *error)
{
    const attest_judge_problem *x = job->problem;
    size_t count = x->batch * x->heads * x->queries * x->value_dim;
    double *other ATTEST_FREED = NULL;

    if (model->schedules > 0 && model->variants == 1) {
        job->scheduled = attest_memory_alloc(count, 2 * sizeof *job->scheduled);
        other = attest_memory_alloc(model->schedules > 1 ? count : 1, 2 * sizeof *other);
        if (!job->scheduled || !other)
            return attest_memory_fail(error);
        ATTEST_TRY(
            run_schedules(job->scheduled, other, count, &x->qkv, model, job->options, error));
    }
    return bound_variants(bounds, job, model, error);
}

static attest_status bound_values(attest_judge_bounds *bounds, const attest_qkv *qkv,
                                  const attest_judge_model *model,
                                  const attest_judge_options *options, attest_error *error)
{
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear);
    bound_job job ATTEST_CLEARED_BY(job_clear) = {.problem = &problem, .options = options};

    attest_judge_cancel_init(&job.cancel, options);
    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    job.blocks = (problem.queries + ATTEST_JUDGE_BLOCK - 1) / ATTEST_JUDGE_BLOCK;
    return bound_schedules(bounds, &job, model, error);
}

static void model_free(attest_judge_model **model)
{
    attest_judge_model_free(*model);
}

/* bounds->exact, error and bound = those of the original inputs, by a model that accepts all of
 * them; lo and hi, which bound the outputs of kernels, stay. */
static attest_status compare_with_inputs(attest_judge_bounds *bounds, size_t count,
                                         const attest_qkv *qkv,
                                         const attest_judge_options *options,
                                         attest_error *error)
{
    attest_judge_bounds exact = {.exact = bounds->exact, .error = bounds->error};
    attest_judge_model *any ATTEST_CLEARED_BY(model_free) = NULL;

    ATTEST_TRY(attest_judge_model_load(&any, "fp64-any", error));
    ATTEST_TRY(bound_values(&exact, qkv, any, options, error));
    for (size_t i = 0; i < count; i++)
        bounds->bound[i] =
            distance(bounds->lo[i], bounds->hi[i], bounds->exact[i], bounds->error[i]);
    return ATTEST_OK;
}

/* The same for a kernel that quantises its inputs; all five arrays are there. */
static attest_status bound_quantised(attest_judge_bounds *bounds, size_t count,
                                     const attest_qkv *qkv, const attest_judge_model *model,
                                     const attest_judge_options *options, attest_error *error)
{
    attest_judge_quantised quantised;
    attest_status status;

    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    status = bound_values(bounds, &quantised.qkv, model, options, error);
    attest_judge_quantised_clear(&quantised);
    ATTEST_TRY(status);
    return model->quantise.of_quantised
               ? ATTEST_OK
               : compare_with_inputs(bounds, count, qkv, options, error);
}

attest_status attest_judge_bound(attest_judge_bounds *bounds, const attest_qkv *qkv,
                                 const attest_judge_model *model,
                                 const attest_judge_options *options, attest_error *error)
{
    size_t count = qkv->q.shape[0] * qkv->q.shape[1] * qkv->q.shape[2] * qkv->v.shape[3];
    attest_judge_bounds all = *bounds;
    double **array[] = {&all.lo, &all.hi, &all.exact, &all.error, &all.bound};
    double *room ATTEST_FREED = NULL;
    attest_status status;

    if (!attest_judge_model_quantises(model))
        return bound_values(bounds, qkv, model, options, error);
    room = attest_memory_alloc(count, sizeof array / sizeof *array * sizeof *room);
    if (!room)
        return attest_memory_fail(error);
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        *array[i] = *array[i] ? *array[i] : room + i * count;
    status = bound_quantised(&all, count, qkv, model, options, error);
    bounds->unbounded = all.unbounded;
    return status;
}
