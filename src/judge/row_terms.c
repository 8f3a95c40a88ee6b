/* row_terms.c -- how much each stage contributes to the bound of an element. */
#include "judge/row.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/head_bound.h"
#include "judge/loops.h"
#include "judge/quantise.h"
#include "judge/rule.h"

/* The element whose row is visited, and its terms. */
typedef struct visit {
    attest_judge_terms *terms;
    size_t column;
} visit;

const char *attest_judge_stage_name(attest_judge_stage term)
{
    static const char *const text[ATTEST_JUDGE_STAGES] = {
        "scores", "scaling", "weights", "casts", "product", "row_sum", "division", "output"};

    return text[term];
}

/* The error of a score before it is scaled, in units of scaled scores. */
static double score_part(const attest_judge_work *x, const attest_judge_rule *rule, size_t j)
{
    double size[JUDGE_LOOPS_PAD] = {x->size[j]}, most[JUDGE_LOOPS_PAD], e[JUDGE_LOOPS_PAD];
    const attest_judge_dot *dot = &rule->variant->score;
    double blocks = dot->block ? ceil((double)x->dim / (double)dot->block) : 0;
    attest_judge_sum_error sum;

    attest_judge_sum_error_init(&sum, dot, &rule->score, (double)x->dim, blocks, x->raised, 0);
    for (size_t i = 0; i < JUDGE_LOOPS_PAD; i++) {
        size[i] = size[0];
        most[i] = (size[0] + fabs(x->s[j])) / 2;
    }
    attest_judge_loops()->sum_errors(e, size, most, &sum, JUDGE_LOOPS_PAD);
    return fmin(e[0] * rule->scale, x->delta[j]);
}

/* (1) to (4): the contributions of the keys to sum w (v - center), over the sum of the weights.
 * */
static void add_keys(double part[ATTEST_JUDGE_STAGES], const attest_judge_work *x,
                     const attest_judge_rule *rule, size_t column)
{
    bool known = attest_judge_row_is_known(x, rule);
    double moved = 0, center = x->center[column];

    for (size_t j = 0; j < x->count; j++) {
        double v = x->v[j * x->stride + column], w = x->w[j] / x->sum * fabs(v - center), score;

        if (!(x->high[j] > 0))
            continue;
        score = score_part(x, rule, j);
        part[ATTEST_JUDGE_STAGE_SCORES] += w * score;
        part[ATTEST_JUDGE_STAGE_SCALING] += w * (x->delta[j] - score);
        part[ATTEST_JUDGE_STAGE_WEIGHTS] += w * fmax(x->g[j] - x->delta[j], 0);
        part[ATTEST_JUDGE_STAGE_CASTS] +=
            (known ? x->spread[j] : x->cast[j]) / x->sum * fabs(v);
        moved += known ? x->offset[j] / x->sum * v : 0;
    }
    part[ATTEST_JUDGE_STAGE_CASTS] += fabs(moved);
}

static void set_terms(void *context, const attest_judge_work *work,
                      const attest_judge_rule *rule)
{
    const visit *to = context;
    double part[ATTEST_JUDGE_STAGES] = {0}, center = fabs(work->center[to->column]);
    double all = 0, before = 0;

    if (work->unbounded)
        return;
    add_keys(part, work, rule, to->column);
    part[ATTEST_JUDGE_STAGE_PRODUCT] = work->product[to->column] / work->sum;
    part[ATTEST_JUDGE_STAGE_ROW_SUM] =
        center * fmax(1 / work->ratio_low - 1, 1 - 1 / work->ratio_high);
    part[ATTEST_JUDGE_STAGE_DIVISION] =
        center * (rule->final + (rule->descaled ? rule->work.u : 0)) + rule->tiny;
    for (int i = 0; i < ATTEST_JUDGE_STAGE_OUTPUT; i++)
        part[i] *= rule->value_factor;
    center *= rule->value_factor;
    part[ATTEST_JUDGE_STAGE_OUTPUT] = fmax(center * rule->output.u, rule->output.quantum / 2) *
                                      (1 + rule->variant->output_any);
    for (int i = 0; i < ATTEST_JUDGE_STAGES; i++) {
        all += part[i];
        before += to->terms->part[i];
    }
    for (int i = 0; i < ATTEST_JUDGE_STAGES && (!to->terms->set || all > before); i++)
        to->terms->part[i] = part[i];
    to->terms->set = true;
}

static attest_status visit_row(visit *to, const size_t at[4],
                               const attest_judge_problem *problem, attest_judge_rule *rule,
                               size_t rules, attest_error *error)
{
    double *row ATTEST_FREED = attest_memory_alloc(problem->value_dim, 4 * sizeof *row);
    attest_judge_head_bound bound ATTEST_CLEARED_BY(attest_judge_head_bound_clear) = {0};

    if (!row)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_head_bound_init(&bound, problem, rule, rules, error));
    bound.visit = set_terms;
    bound.context = to;
    ATTEST_TRY(attest_judge_head_bound_load(&bound, at[0], at[1], error));
    attest_judge_head_bound_rows(row, &bound, at[2], 1);
    return ATTEST_OK;
}

static attest_status find(visit *to, const size_t at[4], const attest_qkv *qkv,
                          const attest_judge_model *model, attest_error *error)
{
    bool *left_out ATTEST_FREED = attest_memory_alloc(model->variants, sizeof *left_out);
    attest_judge_rule *rule ATTEST_FREED = attest_memory_alloc(model->variants, sizeof *rule);
    attest_judge_problem problem ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    size_t rules;

    if (!left_out || !rule)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    ATTEST_TRY(attest_judge_inputs_check(left_out, &problem, model, error));
    rules = attest_judge_inputs_set_rules(rule, left_out, &problem, model);
    return visit_row(to, at, &problem, rule, rules, error);
}

attest_status attest_judge_terms_find(attest_judge_terms *terms, const size_t at[4],
                                      const attest_qkv *qkv, const attest_judge_model *model,
                                      attest_error *error)
{
    attest_judge_quantised quantised ATTEST_CLEARED_BY(attest_judge_quantised_clear) = {0};
    visit to = {terms, at[3]};

    *terms = (attest_judge_terms){0};
    if (!attest_judge_model_quantises(model))
        return find(&to, at, qkv, model, error);
    ATTEST_TRY(attest_judge_quantised_init(&quantised, qkv, model, error));
    return find(&to, at, &quantised.qkv, model, error);
}
