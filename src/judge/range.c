/* range.c -- whether anything can overflow, saturate or vanish. */
#include "judge/range.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/term.h"
#include "base/workers.h"
#include "judge/head_bound.h"
#include "judge/interval_run.h"
#include "judge/quantise.h"
#include "judge/rows.h"
#include "judge/simulate.h"
#include "number/scope.h"

/* ---- the bound of a model, row by row ---- */

enum { BITS = 128 };

#define LOG_2 0x1.62e42fefa39efp-1  /* log 2, rounded down */
#define LOG2_E 0x1.71547652b82fep+0 /* log2 e, to nearest */

typedef struct range_bound {
    attest_judge_head_bound state;
    attest_judge_rule *rule;
    double *result; /* for a block of rows */
} range_bound;

/* Also checks that some variant accepts the inputs. Status: FORMAT, NOMEM; clear bound in any
 * case. */
static attest_status range_bound_init(range_bound *bound, const attest_judge_problem *problem,
                                      const attest_judge_model *model, attest_error *error)
{
    size_t rules;

    memset(bound, 0, sizeof *bound);
    bound->result =
        attest_memory_alloc(problem->value_dim, 4 * ATTEST_JUDGE_BLOCK * sizeof(double));
    if (!bound->result)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_rules_alloc(&bound->rule, &rules, problem, model, error));
    return attest_judge_head_bound_init(&bound->state, problem, bound->rule, rules, error);
}

static void range_bound_clear(range_bound *bound)
{
    attest_judge_head_bound_clear(&bound->state);
    free(bound->rule);
    free(bound->result);
}

/* The results to which the visit of a row adds. */
typedef struct visit {
    attest_judge_ranges *r;
    bool *may;
} visit;

/* threshold = log2(P) - offset - log2(1 + error): the largest with which P is not exceeded. */
static void set_threshold(arb_t threshold, double p, const attest_judge_variant *v)
{
    ARB(x);

    arb_set_d(threshold, p);
    arb_set_d(x, v->exp_relative);
    arb_add_ui(x, x, 1, BITS);
    arb_div(threshold, threshold, x, BITS);
    arb_log(threshold, threshold, BITS);
    arb_const_log2(x, BITS);
    arb_div(threshold, threshold, x, BITS);
    arb_sub_si(threshold, threshold, v->offset, BITS);
}

/* Sets the thresholds in exact arithmetic; the least of several variants. */
static void set_exact(attest_judge_ranges *r, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    ARB(limit);

    set_threshold(limit, rule->p.limit, v);
    if (r->limit == (double)INFINITY || arb_lt(limit, r->threshold)) {
        arb_set(r->threshold, limit);
        set_threshold(r->threshold_never, rule->p.in_double.most, v);
        r->limit = rule->p.limit;
        r->largest = rule->p.in_double.most;
        r->limit_included =
            v->cast && attest_judge_arithmetic_includes_limit(&rule->p.in_double.format);
    }
}

/* Returns a bound on how far the largest score of a kernel is above top: its rounding. */
static double top_rounding(const attest_judge_work *x)
{
    return fmax(0x1p-40, fabs(x->top) * 0x1p-53);
}

/* A lower bound on the exponents of a row, in units of e: no reference is above top. */
static double deepest(const attest_judge_work *x)
{
    double most = 0;

    for (size_t j = 0; j < x->count; j++) {
        double depth = x->top - x->t[j] + ATTEST_TERM(range_depth, x->g[j]);

        if (x->t[j] > (double)-INFINITY && !(depth <= most))
            most = depth;
    }
    return most * ATTEST_JUDGE_UP + ATTEST_TERM(range_top, top_rounding(x));
}

/* Sets safe thresholds and offsets of a row with known scores. Logarithms, below 2^11, and
 * operations of doubles err by less than 2^-41. */
static void set_safe(attest_judge_ranges *r, const attest_judge_work *x,
                     const attest_judge_rule *rule, double depth)
{
    const attest_judge_variant *v = rule->variant;
    double limit = log2(rule->p.limit) - ATTEST_TERM(range_evaluation, 0x1p-40);
    double room = limit - (double)v->offset; /* in units of log2 */
    double slack = ATTEST_TERM(range_slack, x->argument_slack) * LOG2_E * (1 + 0x1p-40), far;
    double grown = 1 + ATTEST_TERM(range_roundings, 64 * rule->work.u);
    double low = (double)INFINITY, offset;
    const double moved = 0x1p-9; /* other offsets, up to 1000, are rounded differently */

    r->threshold_proved = fmin(r->threshold_proved, (room - slack) / grown);
    for (size_t j = 0; j < x->count; j++)
        if (x->t[j] > (double)-INFINITY)
            low = fmin(low, x->t[j] - x->delta[j]);
    far = (x->top - low + top_rounding(x)) * LOG2_E *
          (1 + ATTEST_TERM(range_far, 0x1p-20)); /* the largest distance of references */
    r->any_threshold = r->any_threshold && far + slack < room;
    offset = floor(limit - fmin(v->threshold, far) * grown - slack -
                   ATTEST_TERM(range_largest_moved, moved));
    r->largest_offset = fmin(r->largest_offset, offset);
    if (v->cast)
        r->smallest_offset =
            fmax(r->smallest_offset,
                 floor(log2(rule->p.quantum / 2) + depth * LOG2_E * (1 + 0x1p-40) +
                       ATTEST_TERM(range_smallest_moved, moved)) +
                     1);
}

static void visit_row(void *context, const attest_judge_work *x, const attest_judge_rule *rule)
{
    visit *v = context;
    attest_judge_ranges *r = v->r;
    double depth, least, offset = (double)rule->variant->offset;
    bool *may = v->may;
    bool scores = x->score_reason != ATTEST_JUDGE_BOUNDED ||
                  x->weight_reason == ATTEST_JUDGE_SCORES_OVERFLOW; /* or references overflow */

    if (scores || x->weight_reason == ATTEST_JUDGE_SCORES_UNCERTAIN) {
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
            may[e] = true;
        may[ATTEST_JUDGE_SCORE_OVERFLOWS] = scores;
        r->most_weight = (double)INFINITY;
        r->least_weight = 0;
        r->threshold_proved = -(double)INFINITY;
        r->any_threshold = false;
        r->smallest_offset = (double)INFINITY;
        return;
    }
    depth = deepest(x);
    if (rule->before) /* no weight is divided by more than the row sum */
        depth += log(fmax(x->most_sum, 1)) + fabs(offset) * LOG_2 + 1;
    least = depth < 700 ? attest_judge_exp_down(-depth) : 0;
    r->most_weight = fmax(r->most_weight, x->most_weight);
    r->least_weight = fmin(r->least_weight, ldexp(least, (int)offset));
    set_safe(r, x, rule, depth);
    may[ATTEST_JUDGE_WEIGHT_OVERFLOWS] |= !(x->most_weight < rule->p.limit);
    may[ATTEST_JUDGE_WEIGHT_ABOVE] |= !(x->most_weight <= rule->p.in_double.most);
    may[ATTEST_JUDGE_SUM_LEAVES] |=
        !(x->most_sum < rule->sum.limit) || x->weight_reason == ATTEST_JUDGE_SINK_OVERFLOWS;
    may[ATTEST_JUDGE_PRODUCT_LEAVES] |= !(x->most_product < rule->pv.limit) ||
                                        x->weight_reason == ATTEST_JUDGE_PRODUCT_OVERFLOWS;
    may[ATTEST_JUDGE_OUTPUT_LEAVES] |= x->unbounded != ATTEST_JUDGE_BOUNDED;
    may[ATTEST_JUDGE_EXP_UNDERFLOWS] |= !(ldexp(least, (int)fmin(offset, 0)) >= 0x1p-125);
    may[ATTEST_JUDGE_WEIGHT_VANISHES] |=
        rule->variant->cast && !(ldexp(least, (int)offset) > rule->p.quantum / 2);
}

/* Loads the head in bound->state. Sets may[e] where the bound does not exclude an event, and
 * the numbers of ranges, except for the thresholds above, to those of the worst row so far. */
static attest_status range_bound_head(attest_judge_ranges *ranges,
                                      bool may[ATTEST_JUDGE_EVENTS], range_bound *bound,
                                      size_t batch, size_t head, attest_error *error)
{
    attest_judge_head_bound *state = &bound->state;
    visit context = {ranges, may};
    size_t rows;

    ATTEST_TRY(attest_judge_head_bound_load(state, batch, head, error));
    rows = state->head.problem->queries;
    state->visit = visit_row;
    state->context = &context;
    for (size_t i = 0; i < rows; i += ATTEST_JUDGE_BLOCK)
        attest_judge_head_bound_rows(bound->result, state, i,
                                     rows - i < ATTEST_JUDGE_BLOCK ? rows - i
                                                                   : ATTEST_JUDGE_BLOCK);
    state->visit = NULL;
    return ATTEST_OK;
}

/* ---- answers ---- */

/* The number of kernels that are drawn and run if a model has no schedules. */
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

/* Records events of a kernel that were not seen before. */
static void take(attest_judge_ranges *r, const attest_judge_watch *watch,
                 const attest_judge_event_result *kernel, const attest_judge_head *head)
{
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        if (watch->count[e] > 0 && r->event[e].answer != ATTEST_JUDGE_YES) {
            attest_judge_event_result *x = &r->event[e];

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
                                const attest_judge_event_result *kernel, attest_error *error)
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
        attest_judge_event_result kernel = {.schedule = s};
        attest_judge_recipe recipe;

        attest_judge_recipe_from_schedule(&recipe, model->variant, &model->schedule[s]);
        ATTEST_TRY(run_kernel(r, head, model->variant, &recipe, &kernel, error));
    }
    return ATTEST_OK;
}

static attest_status draw_and_run(attest_judge_ranges *r, attest_judge_head *head,
                                  const attest_judge_model *model, size_t seed,
                                  attest_error *error)
{
    attest_judge_event_result kernel = {
        .drawn = true, .variant = seed % model->variants, .seed = seed};
    const attest_judge_variant *variant = &model->variant[kernel.variant];
    attest_judge_recipe recipe;

    ATTEST_TRY(attest_judge_recipe_draw(&recipe, variant, seed, error));
    return run_kernel(r, head, variant, &recipe, &kernel, error);
}

static attest_status run_drawn(attest_judge_ranges *r, attest_judge_head *head,
                               const attest_judge_model *model, attest_error *error)
{
    for (size_t i = 0; i < DRAWN; i++) {
        attest_status status = draw_and_run(r, head, model, i, error);

        if (status != ATTEST_USAGE)
            ATTEST_TRY(status);
    }
    return ATTEST_OK;
}

/* ---- proofs ---- */

/* may[e] = whether the event is possible for some exp of the model in a schedule; 0 is a proof.
 * */
static attest_status bound_schedules_of_head(size_t may[ATTEST_JUDGE_EVENTS],
                                             attest_judge_head *head,
                                             const attest_judge_model *model,
                                             attest_error *error)
{
    const attest_judge_problem *q = head->problem;
    double *lo ATTEST_FREED = attest_memory_alloc(q->value_dim, 2 * sizeof *lo);

    if (!lo)
        return attest_memory_fail(error);
    for (size_t s = 0; s < model->schedules; s++) {
        attest_judge_interval_run run ATTEST_CLEARED_BY(attest_judge_interval_run_clear);
        attest_judge_watch watch = {0};

        ATTEST_TRY(attest_judge_interval_run_init(&run, q, model->variant, &model->schedule[s],
                                                  error));
        run.x.watch = &watch;
        for (size_t i = 0; i < q->queries; i++)
            attest_judge_interval_run_row(lo, lo + q->value_dim, &run, head, i);
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
            may[e] += watch.count[e];
    }
    return ATTEST_OK;
}

/* Decides the events of a head. may: those that the bound does not exclude. */
static attest_status decide_head(attest_judge_ranges *r, attest_judge_head *head,
                                 const attest_judge_model *model,
                                 const bool may[ATTEST_JUDGE_EVENTS], attest_error *error)
{
    size_t by_schedule[ATTEST_JUDGE_EVENTS] = {0};
    bool schedules = model->schedules > 0;

    ATTEST_TRY(schedules ? run_schedules(r, head, model, error)
                         : run_drawn(r, head, model, error));
    if (schedules)
        ATTEST_TRY(bound_schedules_of_head(by_schedule, head, model, error));
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        if (may[e] && (!schedules || by_schedule[e] > 0) &&
            r->event[e].answer == ATTEST_JUDGE_NO)
            r->event[e].answer = ATTEST_JUDGE_OPEN;
    return ATTEST_OK;
}

/* The job of the workers. They share the results of every head, except for the thresholds. */
typedef struct heads {
    const attest_judge_problem *problem;
    const attest_judge_model *model;
    size_t batch;      /* the entry of the batch that is entry 0 of the problem */
    range_bound bound; /* each worker has its own after the fork */
    attest_judge_ranges *found;
    atomic_size_t *failed; /* 1 + the number of a head that failed; 0: none */
} heads;

static void heads_clear(heads *x)
{
    range_bound_clear(&x->bound);
}

static attest_status decide_one(heads *x, size_t h, attest_error *error)
{
    bool may[ATTEST_JUDGE_EVENTS] = {false};
    attest_judge_ranges *r = &x->found[h];

    attest_judge_ranges_init(r);
    attest_judge_ranges_clear(r); /* each worker has its own thresholds */
    ATTEST_TRY(range_bound_head(r, may, &x->bound, h / x->problem->heads, h % x->problem->heads,
                                error));
    ATTEST_TRY(decide_head(r, &x->bound.state.head, x->model, may, error));
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        r->event[e].batch += x->batch;
    return ATTEST_OK;
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

/* Keeps the worse of two answers, with the first kernel that shows it. */
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

/* Runs all heads. A head that fails in a worker is run again here to report its error. */
static attest_status run_heads(attest_judge_ranges *r, heads *x, size_t jobs,
                               attest_error *error)
{
    size_t count = x->problem->batch * x->problem->heads, bad;
    attest_status status;

    jobs = jobs < 1 ? 1 : jobs < count ? jobs : count;
    ATTEST_WORKERS(attest_judge_ranges, found, count, jobs);
    ATTEST_WORKERS(atomic_size_t, failed, 1, jobs);
    if (!found || !failed)
        return attest_memory_fail(error);
    x->found = found;
    x->failed = failed;
    status = attest_workers_run(work, x, count, jobs, error);
    bad = atomic_load(failed);
    if (bad > 0)
        ATTEST_TRY(decide_one(x, bad - 1, error));
    ATTEST_TRY(status);
    for (size_t h = 0; h < count; h++)
        merge(r, &found[h]);
    return ATTEST_OK;
}

static attest_status decide(attest_judge_ranges *r, const attest_judge_problem *x, size_t batch,
                            const attest_judge_model *model, size_t jobs, attest_error *error)
{
    heads all ATTEST_CLEARED_BY(heads_clear) = {.problem = x, .model = model, .batch = batch};

    ATTEST_TRY(range_bound_init(&all.bound, x, model, error));
    for (size_t i = 0; i < all.bound.state.rules; i++)
        set_exact(r, &all.bound.rule[i]);
    return run_heads(r, &all, jobs, error);
}

/* Adds the results of a plain problem; batch: the number of its first entry. */
static attest_status add_plain(attest_judge_ranges *ranges, const attest_qkv *qkv, size_t batch,
                               const attest_judge_model *model, size_t jobs,
                               attest_error *error)
{
    attest_judge_quantised quantised ATTEST_CLEARED_BY(attest_judge_quantised_clear) = {0};
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};

    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    ATTEST_TRY(attest_judge_problem_init(&problem, &quantised.qkv, error));
    return decide(ranges, &problem, batch, model, jobs, error);
}

attest_status attest_judge_ranges_add(attest_judge_ranges *ranges, const attest_qkv *qkv,
                                      const attest_judge_model *model, size_t jobs,
                                      attest_error *error)
{
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    const attest_judge_options options = {.jobs = jobs};

    if (model->variant->p_scheme.name[0])
        return attest_error_set(
            error, ATTEST_USAGE,
            "quantise.p: the scales of quantised weights follow the largest "
            "weight of a group, so that no threshold or offset limits them; "
            "use attest tolerance, or a model without quantise.p");
    if (!attest_judge_qkv_is_unequal(qkv))
        return add_plain(ranges, qkv, 0, model, jobs, error);
    ATTEST_TRY(attest_judge_rows_init(&rows, qkv, &options, error));
    for (size_t b = 0; b < rows.batch; b++) {
        attest_qkv entry;
        size_t keys = attest_judge_rows_get_entry(&entry, qkv, &rows, b);

        if (keys > 0 && entry.q.shape[2] > 0)
            ATTEST_TRY(attest_judge_rows_prefix(
                error, add_plain(ranges, &entry, b, model, jobs, error), b));
    }
    return ATTEST_OK;
}
