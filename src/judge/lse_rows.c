/* lse_rows.c -- attest_judge_lse_bound: the log-sum-exps of all rows of a problem. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "judge/lse.h"
#include "judge/parallel_rows.h"
#include "judge/quantise.h"
#include "judge/rows.h"

/* The job of the workers. They share the results, one for every row. */
typedef struct lse_job {
    const attest_judge_problem *problem;
    attest_judge_head_bound state; /* each worker has its own after the fork */
    size_t blocks;                 /* of a head */
    attest_judge_lse *result;
    unsigned char *empty;
    attest_judge_caller caller;
    /* the block that is visited */
    attest_judge_lse *block;
    const attest_judge_work *first_work;
} lse_job;

static void job_clear(lse_job *job)
{
    attest_judge_head_bound_clear(&job->state);
}

/* Widens the result of a row by that of another variant. */
static void merge(attest_judge_lse *to, const attest_judge_lse *other)
{
    to->lo = fmin(to->lo, other->lo);
    to->hi = fmax(to->hi, other->hi);
    to->reason = to->reason ? to->reason : other->reason;
    if (other->error < to->error) {
        to->exact = other->exact;
        to->error = other->error;
    }
}

/* The bounds of a row for one variant; blocks have a place for each of their rows that sees a
 * key, in order. */
static void visit(void *context, const attest_judge_work *work, const attest_judge_rule *rule)
{
    lse_job *job = context;
    attest_judge_lse *to = &job->block[work - job->first_work], lse;
    bool first = rule == job->state.rule;

    if (!first && attest_judge_rule_compare(rule - 1, rule) == ATTEST_JUDGE_SHARE_WEIGHTS)
        return;
    attest_judge_lse_bound_row(&lse, work, rule);
    if (first)
        *to = lse;
    else
        merge(to, &lse);
}

void attest_judge_lse_set_empty(attest_judge_lse *lse, attest_judge_lse_empty empty)
{
    static const double value[] = {[ATTEST_JUDGE_LSE_EMPTY_NEGATIVE] = -INFINITY,
                                   [ATTEST_JUDGE_LSE_EMPTY_POSITIVE] = INFINITY,
                                   [ATTEST_JUDGE_LSE_EMPTY_ZERO] = 0,
                                   [ATTEST_JUDGE_LSE_EMPTY_NAN] = NAN};

    *lse = (attest_judge_lse){.reason = ATTEST_JUDGE_BOUNDED};
    if (empty == ATTEST_JUDGE_LSE_EMPTY_ANY) {
        lse->lo = lse->exact = (double)-INFINITY;
        lse->hi = (double)INFINITY;
    } else
        lse->lo = lse->hi = lse->exact = value[empty];
}

/* A row without keys: the value of an empty sum, or the sink alone. Variants that differ in
 * the former allow any value. */
static void set_row_without_keys(lse_job *job, attest_judge_lse *to, unsigned char *empty)
{
    const attest_judge_head_bound *x = &job->state;
    const attest_judge_lse_model *first = &x->rule->variant->lse;
    bool same = true;

    if (x->head.sink && !first->without_sink) {
        for (size_t r = 0; r < x->rules; r++) {
            attest_judge_lse lse;

            attest_judge_lse_bound_sink(&lse, x->head.sink_logit, &x->rule[r]);
            if (r == 0)
                *to = lse;
            else
                merge(to, &lse);
        }
        return;
    }
    for (size_t r = 1; r < x->rules; r++)
        same = same && x->rule[r].variant->lse.empty == first->empty;
    attest_judge_lse_set_empty(to, same ? first->empty : ATTEST_JUDGE_LSE_EMPTY_ANY);
    *empty = 1;
}

static bool sees_key(attest_judge_head *head, size_t i)
{
    attest_judge_row row;
    bool sees = false;

    attest_judge_head_get_row(&row, head, i);
    for (size_t j = row.first; j < row.last && !sees; j++)
        sees = !row.bias || row.bias[j - row.first] > (double)-INFINITY;
    return sees;
}

static bool bound_block(void *context, size_t i)
{
    lse_job *job = context;
    const attest_judge_problem *x = job->problem;
    size_t head = i / job->blocks, first = i % job->blocks * ATTEST_JUDGE_BLOCK, rows, seen = 0;
    double outputs[ATTEST_JUDGE_BLOCK * 4]; /* of one column */
    attest_judge_lse block[ATTEST_JUDGE_BLOCK];
    attest_error error;

    if (attest_judge_head_bound_load(&job->state, head / x->heads, head % x->heads, &error) !=
        ATTEST_OK)
        return false; /* impossible: attest_judge_rules_alloc has read all heads */
    rows = x->queries - first < ATTEST_JUDGE_BLOCK ? x->queries - first : ATTEST_JUDGE_BLOCK;
    job->block = block;
    job->first_work = job->state.work;
    (void)attest_judge_head_bound_rows(outputs, &job->state, first, rows);
    for (size_t k = 0; k < rows; k++) {
        size_t row = head * x->queries + first + k;

        if (sees_key(&job->state.head, first + k))
            job->result[row] = block[seen++];
        else
            set_row_without_keys(job, &job->result[row], &job->empty[row]);
    }
    return attest_judge_caller_report(&job->caller, "blocks of rows", i,
                                      job->blocks * x->batch * x->heads);
}

static void store(attest_judge_lse_bounds *to, const lse_job *job, size_t rows)
{
    to->unbounded = NULL;
    for (size_t i = 0; i < rows; i++) {
        const attest_judge_lse *lse = &job->result[i];

        if (to->lo)
            to->lo[i] = lse->lo;
        if (to->hi)
            to->hi[i] = lse->hi;
        if (to->exact)
            to->exact[i] = lse->exact;
        if (to->error)
            to->error[i] = lse->error;
        if (to->bound)
            to->bound[i] = job->empty[i] ? 0 : attest_judge_lse_distance(lse);
        if (to->empty)
            to->empty[i] = job->empty[i];
        if (!to->unbounded)
            to->unbounded = attest_judge_reason_text(lse->reason);
    }
}

static attest_status bound_rows(attest_judge_lse_bounds *bounds, lse_job *job,
                                attest_error *error)
{
    const attest_judge_problem *x = job->problem;
    size_t heads = x->batch * x->heads, rows = heads * x->queries, items = job->blocks * heads;
    size_t jobs = job->caller.options->jobs ? job->caller.options->jobs : 1;

    jobs = jobs < items ? jobs : items;
    ATTEST_WORKERS(attest_judge_lse, result, rows, jobs);
    ATTEST_WORKERS(unsigned char, empty, rows, jobs);
    if (!result || !empty)
        return attest_memory_fail(error);
    job->result = result;
    job->empty = empty;
    job->state.visit = visit;
    job->state.context = job;
    ATTEST_TRY(attest_judge_caller_run(&job->caller, bound_block, job, items, jobs,
                                       "blocks of rows", items, error));
    store(bounds, job, rows);
    return ATTEST_OK;
}

static attest_status bound_model(attest_judge_lse_bounds *bounds, const attest_qkv *qkv,
                                 const attest_judge_model *model,
                                 const attest_judge_options *options, attest_error *error)
{
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    attest_judge_rule *rule ATTEST_FREED = NULL;
    lse_job job ATTEST_CLEARED_BY(job_clear) = {.problem = &problem,
                                                .caller = {.options = options}};
    attest_qkv one = *qkv;
    size_t rules;

    one.v.shape[3] = one.v.shape[3] > 1 ? 1 : one.v.shape[3]; /* V does not matter */
    ATTEST_TRY(attest_judge_problem_init(&problem, &one, error));
    job.blocks = (problem.queries + ATTEST_JUDGE_BLOCK - 1) / ATTEST_JUDGE_BLOCK;
    ATTEST_TRY(attest_judge_rules_alloc(&rule, &rules, &problem, model, error));
    ATTEST_TRY(attest_judge_head_bound_init(&job.state, &problem, rule, rules, error));
    return bound_rows(bounds, &job, error);
}

static attest_status bound_quantised(attest_judge_lse_bounds *bounds, const attest_qkv *qkv,
                                     const attest_judge_model *model,
                                     const attest_judge_options *options, attest_error *error)
{
    attest_judge_quantised quantised;
    attest_status status;

    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    status = bound_model(bounds, &quantised.qkv, model, options, error);
    attest_judge_quantised_clear(&quantised);
    return status;
}

attest_status attest_judge_lse_model_init(attest_judge_model *copy,
                                          const attest_judge_model *model,
                                          const attest_judge_lse_options *how,
                                          attest_error *error)
{
    *copy = *model;
    copy->variant = attest_memory_alloc(model->variants, sizeof *copy->variant);
    if (!copy->variant)
        return attest_memory_fail(error);
    memcpy(copy->variant, model->variant, model->variants * sizeof *copy->variant);
    if (how && how->base)
        ATTEST_TRY(attest_judge_model_set_lse_base(copy, how->base, error));
    if (how && how->empty)
        ATTEST_TRY(attest_judge_model_set_lse_empty(copy, how->empty, error));
    return ATTEST_OK;
}

void attest_judge_lse_model_clear(attest_judge_model *copy)
{
    free(copy->variant);
    copy->variant = NULL;
}

attest_status attest_judge_lse_bound(attest_judge_lse_bounds *bounds, const attest_qkv *qkv,
                                     const attest_judge_model *model,
                                     const attest_judge_lse_options *how,
                                     const attest_judge_options *options, attest_error *error)
{
    attest_judge_model copy ATTEST_CLEARED_BY(attest_judge_lse_model_clear) = {0};

    if (attest_judge_qkv_is_unequal(qkv))
        return attest_error_set(error, ATTEST_USAGE,
                                "the log-sum-exp of packed, padded or paged sequences is not "
                                "judged; judge one sequence at a time");
    ATTEST_TRY(attest_judge_lse_model_init(&copy, model, how, error));
    return attest_judge_model_quantises(model)
               ? bound_quantised(bounds, qkv, &copy, options, error)
               : bound_model(bounds, qkv, &copy, options, error);
}
