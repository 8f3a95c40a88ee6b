/* bound_head.c -- an a priori bound on the error of a recorded head in a simulated
 * arithmetic. */
#include "audit/bound_setup.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/term.h"
#include "number/scope.h"

/* Takes the next count quantities of the block. */
static quantities take(double **next, size_t count)
{
    quantities q = {*next, *next + count, *next + 2 * count};

    *next += 3 * count;
    return q;
}

/* Step 1: an exact input (a double), rounded once to the format. */
static void set_input(quantities q, double x, const attest_audit_model *model)
{
    *q.value = x;
    *q.slip = 0;
    *q.error = fabs(x) <= model->most ? (fabs(x) + model->tiny) * OUTWARD : INFINITY;
}

static void set_inputs(quantities to, const double *x, size_t count,
                       const attest_audit_model *model)
{
    for (size_t i = 0; i < count; i++)
        set_input(quantities_at(&to, i), x[i], model);
}

/* Sets the scale: a double with an error of at most two ulps, rounded once to the format. */
static void set_scale(attest_audit_head_bound *x)
{
    ARB(scale);
    double value;

    attest_judge_problem_get_scale(scale, x->problem, 128);
    value = arf_get_d(arb_midref(scale), ARF_RND_NEAR);
    set_input(x->scale, value, &x->model);
    *x->scale.slip = value * UNIT;
    *x->scale.error += *x->scale.slip;
}

attest_status attest_audit_head_bound_init(attest_audit_head_bound *r,
                                           const attest_simulated_arithmetic *arithmetic,
                                           const attest_judge_problem *problem,
                                           attest_error *error)
{
    const attest_judge_problem *x = problem;
    size_t keys = x->keys + 1; /* and a sink */
    size_t count =
        3 * (x->queries * x->dim + keys * (x->dim + x->value_dim + 1) + 2 * x->value_dim + 2) +
        2 * keys;
    double *next;

    *r = (attest_audit_head_bound){.problem = problem};
    attest_audit_model_init(&r->model, arithmetic);
    attest_audit_model_cap(&r->model, arithmetic);
    r->block = next = attest_memory_alloc(count, sizeof *next);
    r->number = attest_memory_alloc(2 * keys, sizeof *r->number);
    if (!r->block || !r->number)
        return attest_memory_fail(error);
    r->query = take(&next, x->queries * x->dim);
    r->key = take(&next, keys * x->dim);
    r->value = take(&next, keys * x->value_dim);
    r->scale = take(&next, 1);
    r->sink = take(&next, 1);
    r->work = (bound){.model = &r->model, .local = r->number + keys};
    r->work.score = take(&next, keys);
    r->work.mean = take(&next, x->value_dim);
    r->work.mixed = take(&next, x->value_dim);
    r->work.weight = next;
    r->work.spread = next + keys;
    for (size_t j = 0; j < keys; j++)
        r->work.local[j] = (uint32_t)j + 1;
    set_scale(r);
    return ATTEST_OK;
}

void attest_audit_head_bound_clear(attest_audit_head_bound *r)
{
    free(r->block);
    free(r->number);
}

void attest_audit_head_bound_load(attest_audit_head_bound *r, const attest_judge_head *head)
{
    const attest_judge_problem *x = r->problem;
    const attest_audit_model *model = &r->model;
    size_t sink = x->keys * x->value_dim;

    set_inputs(r->query, head->q, x->queries * x->dim, model);
    set_inputs(r->key, head->k, x->keys * x->dim, model);
    set_inputs(r->value, head->v, x->keys * x->value_dim, model);
    for (size_t c = 0; c < x->value_dim; c++) /* the value of a sink is 0, without error */
        r->value.value[sink + c] = r->value.slip[sink + c] = r->value.error[sink + c] = 0;
    set_input(r->sink, head->sink ? head->sink_logit : 0, model);
}

/* Adds a number of the mask to the score. */
static void add_bias(quantities score, double bias, const attest_audit_model *model)
{
    double size = fabs(*score.value) + *score.slip + fabs(bias), error;
    double other = (fabs(bias) + model->tiny) * OUTWARD;

    error = *score.error + other;
    error += size + model->u * error + model->tiny;
    *score.slip = (*score.slip + UNIT * size) * OUTWARD;
    *score.value += bias;
    *score.error =
        (size + ATTEST_TERM(bias_limit, model->u * error)) * OUTWARD <= model->most &&
                fabs(bias) <= model->most
            ? error * OUTWARD
            : INFINITY;
}

/* Bounds the scores of the keys that the row sees, and returns how many. */
static size_t bound_scores(attest_audit_head_bound *r, const attest_judge_row *row, size_t i)
{
    const attest_judge_problem *x = r->problem;
    bool scales = x->rsqrt || !fmpq_is_one(x->scale);
    size_t count = 0;

    for (size_t j = row->first; j < row->last; j++) {
        double bias = row->bias ? row->bias[j - row->first] : 0;
        quantities score = quantities_at(&r->work.score, count);

        if (!(bias > -(double)INFINITY))
            continue;
        attest_audit_bound_score(count, quantities_at(&r->key, j * x->dim),
                                 quantities_at(&r->query, i * x->dim), x->dim, &r->work);
        if (scales) /* a product of one term */
            attest_audit_bound_score(count, r->scale, score, 1, &r->work);
        if (row->bias)
            add_bias(score, bias, &r->model);
        r->number[count++] = (uint32_t)j;
    }
    return count;
}

void attest_audit_head_bound_run(double *entry, attest_audit_head_bound *r,
                                 attest_judge_head *head, size_t i)
{
    const attest_judge_problem *x = r->problem;
    double variation;
    attest_judge_row row;
    size_t count;

    attest_judge_head_get_row(&row, head, i);
    count = bound_scores(r, &row, i);
    if (head->sink) {
        quantities score = quantities_at(&r->work.score, count);

        *score.value = *r->sink.value;
        *score.slip = *r->sink.slip;
        *score.error = *r->sink.error;
        r->number[count++] = (uint32_t)x->keys;
    }
    attest_audit_bound_mean(&variation, &r->value, r->number, count, x->value_dim, &r->work);
    for (size_t c = 0; c < x->value_dim; c++) {
        double error = r->work.mean.error[c];

        entry[c] = x->capped || isnan(error) ? INFINITY : error;
    }
}
