/* parallel_rows.c -- bounds and simulated outputs of the rows of a plain problem, or of those
 * that are selected, shared among processes. */
#include "judge/parallel_rows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "judge/head_bound.h"
#include "judge/interval_run.h"
#include "judge/quantise.h"
#include "judge/rows.h"
#include "judge/simulate.h"

/* ---- progress reports to the caller, and its requests to cancel ---- */

/* Polling may be expensive: a caller in Python takes the lock of its interpreter. */
#define SECONDS_BETWEEN_POLLS 0.04

bool attest_judge_caller_report(attest_judge_caller *caller, const char *what, size_t done,
                                size_t total)
{
    attest_judge_caller *x = caller;
    const attest_judge_options *options = x->options;

    if (getpid() != x->process)
        return true;
    attest_progress_report(&options->progress, what, done, total, NULL);
    if (options->proceed && !x->stopped &&
        attest_clock_seconds() - x->polled >= SECONDS_BETWEEN_POLLS) {
        x->stopped = !options->proceed(options->proceed_context);
        x->polled = attest_clock_seconds();
    }
    return !x->stopped;
}

attest_status attest_judge_caller_run(attest_judge_caller *caller,
                                      bool (*item)(void *context, size_t i), void *context,
                                      size_t items, size_t jobs, const char *what, size_t total,
                                      attest_error *error)
{
    attest_judge_caller *x = caller;
    attest_status status;

    x->process = getpid();
    x->polled = attest_clock_seconds();
    attest_progress_report(&x->options->progress, what, 0, total, NULL);
    status = attest_workers_run(item, context, items, jobs, error);
    attest_progress_end(&x->options->progress);
    return x->stopped ? attest_error_set(error, ATTEST_STOPPED, "the work was stopped")
                      : status;
}

/* ---- the rows that are computed ---- */

/* The rows of one head that a worker computes at a time. */
typedef struct row_block {
    size_t head;         /* batch * heads + head */
    size_t first, count; /* places in the results */
} row_block;

/* The rows with results of a plain problem, in blocks. */
typedef struct row_list {
    attest_judge_rows rows;
    row_block *block;
    size_t blocks;
} row_list;

static void row_list_clear(row_list *list)
{
    attest_judge_rows_clear(&list->rows);
    free(list->block);
}

/* The number of the row whose results are at this place. */
static size_t get_number(const row_list *list, size_t place)
{
    return list->rows.selected ? list->rows.selected[place] : place;
}

/* Its row in its head. */
static size_t get_row(const row_list *list, size_t place)
{
    return get_number(list, place) % list->rows.queries;
}

/* Divides the rows into blocks of at most `most` rows of one head. The list was zeroed; clear
 * it in any case. */
static attest_status row_list_init(row_list *list, const attest_judge_problem *problem,
                                   const attest_judge_options *options, size_t most,
                                   attest_error *error)
{
    size_t heads = problem->batch * problem->heads, count;

    ATTEST_TRY(attest_judge_rows_init(&list->rows, &problem->qkv, options, error));
    count = list->rows.count;
    list->block = attest_memory_alloc(count / most + (heads < count ? heads : count) + 1,
                                      sizeof *list->block);
    if (!list->block)
        return attest_memory_fail(error);
    for (size_t i = 0; i < count; i++) {
        size_t head = get_number(list, i) / list->rows.queries;
        row_block *last = list->blocks ? &list->block[list->blocks - 1] : NULL;

        if (last && last->head == head && last->count < most)
            last->count++;
        else
            list->block[list->blocks++] = (row_block){head, i, 1};
    }
    return ATTEST_OK;
}

/* ---- the outputs of a schedule, and bounds on them ---- */

/* The rows of one work item: enough to make loading their head cheap in comparison. */
enum { ROWS = 64 };

/* The memory that the workers share: results, progress, and the first error. */
typedef struct results {
    atomic_size_t done;
    atomic_flag has_error;
    attest_error error;
    double value[];
} results;

/* The job of the workers. */
typedef struct simulation {
    attest_judge_problem problem;
    const attest_judge_model *model;
    size_t schedule;
    row_list rows;
    bool values, bounds;    /* which results are needed */
    size_t elements, bytes; /* bytes: of results */
    results *results;
    attest_judge_caller caller;
} simulation;

static void simulation_clear(simulation *j)
{
    attest_shared_free(j->results, 1, j->bytes);
    row_list_clear(&j->rows);
    attest_judge_problem_clear(&j->problem);
}

/* A result of the row at this place: its output, lo or hi. */
static double *element(const simulation *j, size_t kind, size_t place)
{
    return j->results->value + kind * j->elements + place * j->problem.value_dim;
}

static attest_status simulate_block(simulation *j, attest_judge_head *head,
                                    const row_block *block, attest_error *error)
{
    const attest_judge_variant *variant = j->model->variant;
    attest_judge_instance x ATTEST_CLEARED_BY(attest_judge_instance_clear);
    attest_judge_recipe recipe;

    attest_judge_recipe_from_schedule(&recipe, variant, &j->model->schedule[j->schedule]);
    ATTEST_TRY(attest_judge_instance_init(&x, &j->problem, variant, &recipe, error));
    for (size_t i = block->first; i < block->first + block->count; i++)
        ATTEST_TRY(
            attest_judge_instance_run(element(j, 0, i), &x, head, get_row(&j->rows, i), error));
    return ATTEST_OK;
}

/* Bounds on the same rows. A model with schedules has one variant. */
static attest_status enclose_block(simulation *j, attest_judge_head *head,
                                   const row_block *block, attest_error *error)
{
    attest_judge_interval_run run ATTEST_CLEARED_BY(attest_judge_interval_run_clear) = {0};

    ATTEST_TRY(attest_judge_interval_run_init(&run, &j->problem, j->model->variant,
                                              &j->model->schedule[j->schedule], error));
    for (size_t i = block->first; i < block->first + block->count; i++)
        attest_judge_interval_run_row(element(j, 1, i), element(j, 2, i), &run, head,
                                      get_row(&j->rows, i));
    return ATTEST_OK;
}

static attest_status run_block(simulation *j, const row_block *block, attest_error *error)
{
    const attest_judge_problem *q = &j->problem;
    attest_judge_head head ATTEST_CLEARED_BY(attest_judge_head_clear);

    ATTEST_TRY(attest_judge_head_init(&head, q, error));
    ATTEST_TRY(
        attest_judge_head_load(&head, block->head / q->heads, block->head % q->heads, error));
    if (j->values)
        ATTEST_TRY(simulate_block(j, &head, block, error));
    if (j->bounds)
        ATTEST_TRY(enclose_block(j, &head, block, error));
    atomic_fetch_add(&j->results->done, block->count);
    return ATTEST_OK;
}

static bool simulate_item(void *context, size_t item)
{
    simulation *j = context;
    attest_error error = {0};

    if (run_block(j, &j->rows.block[item], &error) != ATTEST_OK) {
        if (!atomic_flag_test_and_set(&j->results->has_error))
            j->results->error = error;
        return false;
    }
    return attest_judge_caller_report(&j->caller, "rows", atomic_load(&j->results->done),
                                      j->rows.rows.count);
}

/* Loads every head once, so that the first bad number of the input is reported, whichever
 * worker would meet one first. */
static attest_status check_heads(simulation *j, attest_error *error)
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

static attest_status simulate_rows(simulation *j, attest_error *error)
{
    size_t jobs = j->caller.options->jobs ? j->caller.options->jobs : 1;
    attest_status status;

    if (j->rows.rows.count == 0)
        return ATTEST_OK;
    j->results = attest_shared_alloc(1, j->bytes);
    if (!j->results)
        return attest_memory_fail(error);
    status = attest_judge_caller_run(&j->caller, simulate_item, j, j->rows.blocks, jobs, "rows",
                                     j->rows.rows.count, error);
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
    simulation j ATTEST_CLEARED_BY(simulation_clear) = {.model = model,
                                                        .schedule = schedule,
                                                        .values = out != NULL,
                                                        .bounds = lo || hi,
                                                        .caller = {.options = options}};
    double *to[3] = {out, lo, hi};

    if (schedule >= model->schedules)
        return attest_error_set(error, ATTEST_USAGE,
                                "the model has %zu schedules, none with the number %zu",
                                model->schedules, schedule);
    ATTEST_TRY(attest_judge_problem_init(&j.problem, qkv, error));
    ATTEST_TRY(row_list_init(&j.rows, &j.problem, options, ROWS, error));
    j.elements = j.rows.rows.count * j.problem.value_dim;
    if (j.elements > (SIZE_MAX - sizeof(results)) / (3 * sizeof(double)))
        return attest_memory_fail(error);
    j.bytes = sizeof(results) + (j.bounds ? 3 : 1) * j.elements * sizeof(double);
    ATTEST_TRY(check_heads(&j, error));
    ATTEST_TRY(simulate_rows(&j, error));
    for (size_t k = 0; k < 3 && j.results; k++)
        if (to[k])
            memcpy(to[k], element(&j, k, 0), j.elements * sizeof(double));
    return ATTEST_OK;
}

/* ---- bounds of a model ---- */

/* The job of the workers. They share the results, lo hi exact error one after another for every
 * row, and for every block of rows the reason why an element has no bound. */
typedef struct bound_job {
    const attest_judge_problem *problem;
    attest_judge_head_bound state; /* each worker has its own after the fork */
    row_list rows;
    double *result;
    unsigned char *reason;
    attest_judge_caller caller;
    double *scheduled; /* NULL, or bounds of the schedules: lo of every element, then hi */
} bound_job;

static void job_clear(bound_job *job)
{
    attest_judge_head_bound_clear(&job->state);
    row_list_clear(&job->rows);
    free(job->scheduled);
}

static bool bound_block(void *context, size_t i)
{
    bound_job *job = context;
    const attest_judge_problem *x = job->problem;
    const row_block *block = &job->rows.block[i];
    size_t row[ATTEST_JUDGE_BLOCK];
    attest_error error;

    if (attest_judge_head_bound_load(&job->state, block->head / x->heads,
                                     block->head % x->heads, &error) != ATTEST_OK)
        return false; /* impossible: attest_judge_rules_alloc has read all heads */
    for (size_t k = 0; k < block->count; k++)
        row[k] = get_row(&job->rows, block->first + k);
    job->reason[i] = (unsigned char)attest_judge_head_bound_block(
        job->result + block->first * 4 * x->value_dim, &job->state, row, block->count);
    return attest_judge_caller_report(&job->caller, "blocks of rows", i, job->rows.blocks);
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
    size_t columns = job->problem->value_dim, rows = job->rows.rows.count;

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
    for (size_t i = 0; i < job->rows.blocks && !to->unbounded; i++)
        to->unbounded = attest_judge_reason_text(job->reason[i]);
}

static attest_status bound_rows(attest_judge_bounds *bounds, bound_job *job,
                                attest_error *error)
{
    size_t rows = job->rows.rows.count, items = job->rows.blocks;
    size_t jobs = job->caller.options->jobs ? job->caller.options->jobs : 1;
    size_t row_size = 4 * job->problem->value_dim * sizeof *job->result;

    bounds->unbounded = NULL;
    if (rows == 0)
        return ATTEST_OK;
    jobs = jobs < items ? jobs : items;
    attest_workers_block result ATTEST_CLEARED_BY(attest_workers_block_clear) = {
        attest_workers_alloc(rows, row_size, jobs), rows, row_size, jobs};
    ATTEST_WORKERS(unsigned char, reason, items, jobs);
    if (!result.address || !reason)
        return attest_memory_fail(error);
    job->result = result.address;
    job->reason = reason;
    ATTEST_TRY(attest_judge_caller_run(&job->caller, bound_block, job, items, jobs,
                                       "blocks of rows", items, error));
    store(bounds, job);
    return ATTEST_OK;
}

static attest_status bound_variants(attest_judge_bounds *bounds, bound_job *job,
                                    const attest_judge_model *model, attest_error *error)
{
    attest_judge_rule *rule ATTEST_FREED = NULL;
    size_t rules;

    ATTEST_TRY(attest_judge_rules_alloc(&rule, &rules, job->problem, model, error));
    ATTEST_TRY(attest_judge_head_bound_init(&job->state, job->problem, rule, rules, error));
    return bound_rows(bounds, job, error);
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

/* A kernel with a schedule is also a kernel of the variant: both bounds hold. */
static attest_status bound_schedules(attest_judge_bounds *bounds, bound_job *job,
                                     const attest_judge_model *model, attest_error *error)
{
    const attest_judge_problem *x = job->problem;
    size_t count = job->rows.rows.count * x->value_dim;
    double *other ATTEST_FREED = NULL;

    if (model->schedules > 0) {
        job->scheduled = attest_memory_alloc(count ? count : 1, 2 * sizeof *job->scheduled);
        other =
            attest_memory_alloc(model->schedules > 1 && count ? count : 1, 2 * sizeof *other);
        if (!job->scheduled || !other)
            return attest_memory_fail(error);
        ATTEST_TRY(run_schedules(job->scheduled, other, count, &x->qkv, model,
                                 job->caller.options, error));
    }
    return bound_variants(bounds, job, model, error);
}

static attest_status bound_values(attest_judge_bounds *bounds, const attest_qkv *qkv,
                                  const attest_judge_model *model,
                                  const attest_judge_options *options, attest_error *error)
{
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear);
    bound_job job ATTEST_CLEARED_BY(job_clear) = {.problem = &problem,
                                                  .caller = {.options = options}};

    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    ATTEST_TRY(row_list_init(&job.rows, &problem, options, ATTEST_JUDGE_BLOCK, error));
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

attest_status attest_judge_bound_plain(attest_judge_bounds *bounds, size_t rows,
                                       const attest_qkv *qkv, const attest_judge_model *model,
                                       const attest_judge_options *options, attest_error *error)
{
    size_t count = rows * qkv->v.shape[3];
    attest_judge_bounds all = *bounds;
    double **array[] = {&all.lo, &all.hi, &all.exact, &all.error, &all.bound};
    double *room ATTEST_FREED = NULL;
    attest_status status;

    if (!attest_judge_model_quantises(model))
        return bound_values(bounds, qkv, model, options, error);
    room = attest_memory_alloc(count ? count : 1, sizeof array / sizeof *array * sizeof *room);
    if (!room)
        return attest_memory_fail(error);
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        *array[i] = *array[i] ? *array[i] : room + i * count;
    status = bound_quantised(&all, count, qkv, model, options, error);
    bounds->unbounded = all.unbounded;
    return status;
}

attest_status attest_judge_simulate_plain(double *out, double *lo, double *hi,
                                          const attest_qkv *qkv,
                                          const attest_judge_model *model, size_t schedule,
                                          const attest_judge_options *options,
                                          attest_error *error)
{
    attest_judge_quantised quantised ATTEST_CLEARED_BY(attest_judge_quantised_clear);

    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    return attest_judge_simulate_values(out, lo, hi, &quantised.qkv, model, schedule, options,
                                        error);
}
