/* range_bound.c -- what the bound of a model excludes, row by row. */
#include "judge/range_bound.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/term.h"
#include "judge/inputs.h"
#include "number/scope.h"

enum { BITS = 128 };

#define LOG_2 0x1.62e42fefa39efp-1  /* log 2, rounded down */
#define LOG2_E 0x1.71547652b82fep+0 /* log2 e, to nearest */

attest_status attest_judge_range_bound_init(attest_judge_range_bound *bound,
                                            const attest_judge_problem *problem,
                                            const attest_judge_model *model,
                                            attest_error *error)
{
    bool *left_out ATTEST_FREED = attest_memory_alloc(model->variants, sizeof *left_out);
    size_t rules;

    memset(bound, 0, sizeof *bound);
    bound->rule = attest_memory_alloc(model->variants, sizeof *bound->rule);
    bound->result =
        attest_memory_alloc(problem->value_dim, 4 * ATTEST_JUDGE_BLOCK * sizeof(double));
    if (!left_out || !bound->rule || !bound->result)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_inputs_check(left_out, problem, model, error));
    rules = attest_judge_inputs_set_rules(bound->rule, left_out, problem, model);
    return attest_judge_head_bound_init(&bound->state, problem, bound->rule, rules, error);
}

void attest_judge_range_bound_clear(attest_judge_range_bound *bound)
{
    attest_judge_head_bound_clear(&bound->state);
    free(bound->rule);
    free(bound->result);
}

/* What visiting a row adds to. */
typedef struct visit {
    attest_judge_ranges *r;
    bool *may;
} visit;

/* threshold = log2(P) - offset - log2(1 + error): P is reached, and not passed. */
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

/* The thresholds in exact arithmetic; of several variants, the least. */
static void set_exact(attest_judge_ranges *r, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    ARB(limit);

    set_threshold(limit, rule->p.limit, v);
    if (r->limit == (double)INFINITY || arb_lt(limit, r->threshold)) {
        arb_set(r->threshold, limit);
        set_threshold(r->threshold_never, rule->p.hosted.most, v);
        r->limit = rule->p.limit;
        r->largest = rule->p.hosted.most;
        r->limit_included =
            v->cast && attest_judge_arithmetic_includes_limit(&rule->p.hosted.format);
    }
}

/* How far a kernel's largest score can be above top, whose rounding is relative to top. */
static double top_rounding(const attest_judge_work *x)
{
    return fmax(0x1p-40, fabs(x->top) * 0x1p-53);
}

/* What no exponential of the row is below, as an exponent of e: no reference is above top. */
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

/* Thresholds and offsets of a row whose scores are known. Logarithms, below 2^11, and the
 * operations of doubles are right to 2^-41. */
static void set_safe(attest_judge_ranges *r, const attest_judge_work *x,
                     const attest_judge_rule *rule, double depth)
{
    const attest_judge_variant *v = rule->variant;
    double limit = log2(rule->p.limit) - ATTEST_TERM(range_evaluation, 0x1p-40);
    double room = limit - (double)v->offset; /* in units of log2 */
    double slack = ATTEST_TERM(range_slack, x->argument_slack) * LOG2_E * (1 + 0x1p-40), far;
    double grown = 1 + ATTEST_TERM(range_roundings, 64 * rule->work.u);
    double low = (double)INFINITY, offset;
    const double moved = 0x1p-9; /* another offset, up to 1000, is rounded otherwise */

    r->threshold_proved = fmin(r->threshold_proved, (room - slack) / grown);
    for (size_t j = 0; j < x->count; j++)
        if (x->t[j] > (double)-INFINITY)
            low = fmin(low, x->t[j] - x->delta[j]);
    far = (x->top - low + top_rounding(x)) * LOG2_E *
          (1 + ATTEST_TERM(range_far, 0x1p-20)); /* what references can be apart */
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
                  x->weight_reason == ATTEST_JUDGE_SCORES_OVERFLOW; /* or references do */

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
    if (rule->before) /* a weight is divided by no more than the row sum */
        depth += log(fmax(x->most_sum, 1)) + fabs(offset) * LOG_2 + 1;
    least = depth < 700 ? attest_judge_exp_down(-depth) : 0;
    r->most_weight = fmax(r->most_weight, x->most_weight);
    r->least_weight = fmin(r->least_weight, ldexp(least, (int)offset));
    set_safe(r, x, rule, depth);
    may[ATTEST_JUDGE_WEIGHT_OVERFLOWS] |= !(x->most_weight < rule->p.limit);
    may[ATTEST_JUDGE_WEIGHT_ABOVE] |= !(x->most_weight <= rule->p.hosted.most);
    may[ATTEST_JUDGE_SUM_LEAVES] |=
        !(x->most_sum < rule->sum.limit) || x->weight_reason == ATTEST_JUDGE_SINK_OVERFLOWS;
    may[ATTEST_JUDGE_PRODUCT_LEAVES] |= !(x->most_product < rule->pv.limit) ||
                                        x->weight_reason == ATTEST_JUDGE_PRODUCT_OVERFLOWS;
    may[ATTEST_JUDGE_OUTPUT_LEAVES] |= x->unbounded != ATTEST_JUDGE_BOUNDED;
    may[ATTEST_JUDGE_EXP_UNDERFLOWS] |= !(ldexp(least, (int)fmin(offset, 0)) >= 0x1p-125);
    may[ATTEST_JUDGE_WEIGHT_VANISHES] |=
        rule->variant->cast && !(ldexp(least, (int)offset) > rule->p.quantum / 2);
}

void attest_judge_range_bound_thresholds(attest_judge_ranges *ranges,
                                         const attest_judge_range_bound *bound)
{
    for (size_t i = 0; i < bound->state.rules; i++)
        set_exact(ranges, &bound->rule[i]);
}

attest_status attest_judge_range_bound_head(attest_judge_ranges *ranges,
                                            bool may[ATTEST_JUDGE_EVENTS],
                                            attest_judge_range_bound *bound, size_t batch,
                                            size_t head, attest_error *error)
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
