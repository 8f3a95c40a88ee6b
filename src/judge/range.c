/* range.c -- what leaves the range of a format: kernels that are run, and what is proved. */
#include "judge/range.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "judge/quantise.h"
#include "judge/range_bound.h"
#include "judge/interval_run.h"
#include "judge/simulate.h"

/* Kernels that are drawn and run where a model has no schedules. */
enum { DRAWN = 12 };

const char *attest_judge_answer_name(attest_judge_answer answer)
{
    static const char *const name[] = {"no", "yes", "undecided"};

    return name[answer];
}

static const char *const words[ATTEST_JUDGE_EVENTS][2] = {
    [ATTEST_JUDGE_SCORE_OVERFLOWS] = {"score-overflow",
                                      "a score overflows its accumulator or its store"},
    [ATTEST_JUDGE_WEIGHT_OVERFLOWS] = {"weight-overflow",
                                       "a weight overflows the format of P, or is saturated"},
    [ATTEST_JUDGE_WEIGHT_ABOVE] = {"weight-above-largest",
                                   "a weight is above the largest number of P, to which it "
                                   "still rounds"},
    [ATTEST_JUDGE_SUM_LEAVES] = {"sum-overflow", "the row sum overflows"},
    [ATTEST_JUDGE_PRODUCT_LEAVES] = {"product-overflow", "the product with V overflows"},
    [ATTEST_JUDGE_OUTPUT_LEAVES] = {"output-overflow",
                                    "an output overflows its format, or is saturated"},
    [ATTEST_JUDGE_EXP_UNDERFLOWS] = {"exp-flush",
                                     "an exponential is below 2^-126, and may be flushed"},
    [ATTEST_JUDGE_WEIGHT_VANISHES] = {"weight-vanishes", "a weight is rounded to 0"},
};

const char *attest_judge_event_name(attest_judge_event event)
{
    return words[event][0];
}

const char *attest_judge_event_text(attest_judge_event event)
{
    return words[event][1];
}

void attest_judge_ranges_init(attest_judge_ranges *ranges)
{
    *ranges = (attest_judge_ranges){.least_weight = (double)INFINITY,
                                    .threshold_proved = (double)INFINITY,
                                    .any_threshold = true,
                                    .limit = (double)INFINITY,
                                    .smallest_offset = -(double)INFINITY,
                                    .largest_offset = (double)INFINITY};
    arb_init(ranges->threshold);
    arb_init(ranges->threshold_never);
}

void attest_judge_ranges_clear(attest_judge_ranges *ranges)
{
    arb_clear(ranges->threshold);
    arb_clear(ranges->threshold_never);
}

/* ---- kernels that are run ---- */

/* Takes over what a kernel did that had not been seen before. */
static void take(attest_judge_ranges *r, const attest_judge_watch *watch,
                 const attest_judge_happening *kernel, const attest_judge_head *head)
{
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        if (watch->count[e] > 0 && r->event[e].answer != ATTEST_JUDGE_YES) {
            attest_judge_happening *x = &r->event[e];

            *x = *kernel;
            x->answer = ATTEST_JUDGE_YES;
            x->count = watch->count[e];
            x->batch = head->batch;
            x->head = head->head;
            x->row = watch->first_row[e];
            x->key = watch->first_key[e];
            x->value = watch->value[e];
        }
}

/* Runs a kernel on a head. A model that contradicts itself has no kernels. */
static attest_status run_kernel(attest_judge_ranges *r, attest_judge_head *head,
                                const attest_judge_variant *variant,
                                const attest_judge_recipe *recipe,
                                const attest_judge_happening *kernel, attest_error *error)
{
    const attest_judge_problem *q = head->problem;
    attest_judge_instance x ATTEST_CLEARED_BY(attest_judge_instance_clear);
    double *out ATTEST_FREED = NULL;
    attest_judge_watch watch = {0};

    ATTEST_TRY(attest_judge_instance_init(&x, q, variant, recipe, error));
    out = attest_memory_alloc(q->value_dim, sizeof *out);
    if (!out)
        return attest_memory_fail(error);
    x.watch = &watch;
    for (size_t i = 0; i < q->queries; i++)
        ATTEST_TRY(attest_judge_instance_run(out, &x, head, i, error));
    take(r, &watch, kernel, head);
    return ATTEST_OK;
}

static attest_status run_schedules(attest_judge_ranges *r, attest_judge_head *head,
                                   const attest_judge_model *model, attest_error *error)
{
    for (size_t s = 0; s < model->schedules; s++) {
        attest_judge_happening kernel = {.schedule = s};
        attest_judge_recipe recipe;

        attest_judge_recipe_from_schedule(&recipe, model->variant, &model->schedule[s]);
        ATTEST_TRY(run_kernel(r, head, model->variant, &recipe, &kernel, error));
    }
    return ATTEST_OK;
}

static attest_status run_drawn(attest_judge_ranges *r, attest_judge_head *head,
                               const attest_judge_model *model, attest_error *error)
{
    for (size_t i = 0; i < DRAWN; i++) {
        attest_judge_happening kernel = {
            .drawn = true, .variant = i % model->variants, .seed = i};
        const attest_judge_variant *variant = &model->variant[kernel.variant];
        attest_judge_recipe recipe;
        attest_status status = attest_judge_recipe_draw(&recipe, variant, i, error);

        if (status == ATTEST_OK)
            status = run_kernel(r, head, variant, &recipe, &kernel, error);
        if (status != ATTEST_OK && status != ATTEST_USAGE)
            return status;
    }
    return ATTEST_OK;
}

/* ---- proofs ---- */

/* may[e] = whether some exp of the model lets a schedule do it: 0 is a proof. */
static attest_status replay_head(size_t may[ATTEST_JUDGE_EVENTS], attest_judge_head *head,
                                 const attest_judge_model *model, attest_error *error)
{
    const attest_judge_problem *q = head->problem;
    double *lo ATTEST_FREED = attest_memory_alloc(q->value_dim, 2 * sizeof *lo);

    if (!lo)
        return attest_memory_fail(error);
    for (size_t s = 0; s < model->schedules; s++) {
        attest_judge_interval_run replay ATTEST_CLEARED_BY(attest_judge_interval_run_clear);
        attest_judge_watch watch = {0};

        ATTEST_TRY(attest_judge_interval_run_init(&replay, q, model->variant,
                                                  &model->schedule[s], error));
        replay.x.watch = &watch;
        for (size_t i = 0; i < q->queries; i++)
            attest_judge_interval_run_row(lo, lo + q->value_dim, &replay, head, i);
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
            may[e] += watch.count[e];
    }
    return ATTEST_OK;
}

/* The events of a head. may: what the bound does not exclude. */
static attest_status decide_head(attest_judge_ranges *r, attest_judge_head *head,
                                 const attest_judge_model *model,
                                 const bool may[ATTEST_JUDGE_EVENTS], attest_error *error)
{
    size_t replayed[ATTEST_JUDGE_EVENTS] = {0};
    bool schedules = model->schedules > 0;

    ATTEST_TRY(schedules ? run_schedules(r, head, model, error)
                         : run_drawn(r, head, model, error));
    if (schedules)
        ATTEST_TRY(replay_head(replayed, head, model, error));
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        if (may[e] && (!schedules || replayed[e] > 0) && r->event[e].answer == ATTEST_JUDGE_NO)
            r->event[e].answer = ATTEST_JUDGE_OPEN;
    return ATTEST_OK;
}

/* What the workers share: what was found of every head, its thresholds apart. */
typedef struct heads {
    const attest_judge_problem *problem;
    const attest_judge_model *model;
    attest_judge_range_bound bound; /* each worker has its own after the fork */
    attest_judge_ranges *found;
    atomic_size_t *failed; /* 1 + a head that could not be decided; 0: none */
} heads;

static void heads_clear(heads *x)
{
    attest_judge_range_bound_clear(&x->bound);
}

static attest_status decide_one(heads *x, size_t h, attest_error *error)
{
    bool may[ATTEST_JUDGE_EVENTS] = {false};
    attest_judge_ranges *r = &x->found[h];

    attest_judge_ranges_init(r);
    attest_judge_ranges_clear(r); /* a worker's thresholds are its own */
    ATTEST_TRY(attest_judge_range_bound_head(r, may, &x->bound, h / x->problem->heads,
                                             h % x->problem->heads, error));
    return decide_head(r, &x->bound.state.head, x->model, may, error);
}

static bool work(void *context, size_t h)
{
    heads *x = context;
    attest_error error = {0};
    size_t none = 0;

    if (decide_one(x, h, &error) == ATTEST_OK)
        return true;
    atomic_compare_exchange_strong(x->failed, &none, h + 1);
    return false;
}

/* Of two findings the worse one; the first kernel that does it is the one that is shown. */
static void merge(attest_judge_ranges *to, const attest_judge_ranges *from)
{
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        if (to->event[e].answer == ATTEST_JUDGE_NO ||
            (to->event[e].answer == ATTEST_JUDGE_OPEN &&
             from->event[e].answer == ATTEST_JUDGE_YES))
            to->event[e] = from->event[e];
    to->most_weight = fmax(to->most_weight, from->most_weight);
    to->least_weight = fmin(to->least_weight, from->least_weight);
    to->threshold_proved = fmin(to->threshold_proved, from->threshold_proved);
    to->any_threshold = to->any_threshold && from->any_threshold;
    to->smallest_offset = fmax(to->smallest_offset, from->smallest_offset);
    to->largest_offset = fmin(to->largest_offset, from->largest_offset);
}

/* All heads; one that fails in a worker is run again here, for what is wrong with it. */
static attest_status run_heads(attest_judge_ranges *r, heads *x, size_t jobs,
                               attest_error *error)
{
    size_t count = x->problem->batch * x->problem->heads, bad;
    attest_status status;

    jobs = jobs < 1 ? 1 : jobs < count ? jobs : count;
    x->found = attest_workers_alloc(count, sizeof *x->found, jobs);
    x->failed = attest_workers_alloc(1, sizeof *x->failed, jobs);
    status = x->found && x->failed ? attest_workers_run(work, x, count, jobs, error)
                                   : attest_memory_fail(error);
    bad = x->failed ? atomic_load(x->failed) : 0;
    if (bad > 0 && decide_one(x, bad - 1, error) != ATTEST_OK)
        status = error->status;
    for (size_t h = 0; status == ATTEST_OK && h < count; h++)
        merge(r, &x->found[h]);
    attest_workers_free(x->found, count, sizeof *x->found, jobs);
    attest_workers_free(x->failed, 1, sizeof *x->failed, jobs);
    return status;
}

static attest_status decide(attest_judge_ranges *r, const attest_judge_problem *x,
                            const attest_judge_model *model, size_t jobs, attest_error *error)
{
    heads all ATTEST_CLEARED_BY(heads_clear) = {.problem = x, .model = model};

    ATTEST_TRY(attest_judge_range_bound_init(&all.bound, x, model, error));
    attest_judge_range_bound_thresholds(r, &all.bound);
    return run_heads(r, &all, jobs, error);
}

attest_status attest_judge_ranges_add(attest_judge_ranges *ranges, const attest_qkv *qkv,
                                      const attest_judge_model *model, size_t jobs,
                                      attest_error *error)
{
    attest_judge_quantised quantised ATTEST_CLEARED_BY(attest_judge_quantised_clear) = {0};
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};

    if (model->variant->p_scheme.name[0])
        return attest_error_set(
            error, ATTEST_USAGE,
            "quantise.p: scales follow the largest weight of a group, so no "
            "threshold or offset is the limit of quantised weights; ask for "
            "the tolerance of this model, or for the range without it");
    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    ATTEST_TRY(attest_judge_problem_init(&problem, &quantised.qkv, error));
    return decide(ranges, &problem, model, jobs, error);
}
