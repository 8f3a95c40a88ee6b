/* judgement.c -- an output judged: verdicts, schedules, and faults that explain it. */
#include "judge/judgement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/model.h"
#include "judge/problem.h"

/* What a judgement is made of. */
typedef struct judging {
    const double *output;
    const attest_judge_bounds *bounds;
    attest_judge_bounds *other; /* room */
    const attest_qkv *qkv;
    const attest_judge_model *model;
    const attest_judge_options *options;
    size_t shape[4], elements;
} judging;

attest_judge_counts attest_judgement_total(const attest_judgement *layer, size_t count)
{
    attest_judge_counts total = {0};

    for (size_t i = 0; i < count; i++) {
        const attest_judge_counts *all = &layer[i].summary.all;

        total.within += all->within;
        total.wrong += all->wrong;
        total.undecided += all->undecided;
        total.uncast += all->uncast;
        total.max_ratio = all->max_ratio > total.max_ratio ? all->max_ratio : total.max_ratio;
    }
    return total;
}

const attest_judgement *attest_judgement_worst(const attest_judgement *layer, size_t count)
{
    const attest_judgement *worst = NULL;

    for (size_t i = 0; i < count; i++) {
        const attest_judge_worst *this = &layer[i].summary.worst;
        bool wrong = this->verdict == ATTEST_JUDGE_WRONG;

        if (!layer[i].summary.has_worst)
            continue;
        if (!worst || (wrong && worst->summary.worst.verdict != ATTEST_JUDGE_WRONG) ||
            (wrong == (worst->summary.worst.verdict == ATTEST_JUDGE_WRONG) &&
             this->ratio > worst->summary.worst.ratio))
            worst = &layer[i];
    }
    return worst;
}

/* other = the bounds of one schedule. A difference is rounded to nearest: one step further, and
 * with the error of the exact value, it is no smaller than it should be. */
static attest_status set_schedule(const judging *x, size_t schedule, attest_error *error)
{
    attest_judge_bounds *to = x->other;

    ATTEST_TRY(attest_judge_simulate(NULL, to->lo, to->hi, x->qkv, x->model, schedule,
                                     x->options, error));
    memcpy(to->exact, x->bounds->exact, x->elements * sizeof *to->exact);
    memcpy(to->error, x->bounds->error, x->elements * sizeof *to->error);
    for (size_t i = 0; i < x->elements; i++) {
        double far = fmax(to->hi[i] - to->exact[i], to->exact[i] - to->lo[i]);

        to->bound[i] =
            to->error[i] < (double)INFINITY
                ? nextafter(nextafter(far, (double)INFINITY) + to->error[i], (double)INFINITY)
                : (double)INFINITY;
    }
    return ATTEST_OK;
}

static bool is_better(const attest_judge_counts *a, const attest_judge_counts *b)
{
    return a->wrong != b->wrong ? a->wrong < b->wrong : a->undecided < b->undecided;
}

/* The kernel is one of the schedules, the same for the whole tensor: what lies between the
 * bounds of all of them must lie between those of one. The summary becomes that of the schedule
 * which explains the most. */
static attest_status try_schedules(attest_judgement *layer, const judging *x,
                                   attest_error *error)
{
    for (size_t s = 0; s < x->model->schedules; s++) {
        attest_judge_summary summary, worse;

        ATTEST_TRY(set_schedule(x, s, error));
        ATTEST_TRY(attest_judge_summary_init(&summary, x->output, x->other, x->shape, x->model,
                                             error));
        worse = summary;
        if (!layer->by_schedule || is_better(&summary.all, &layer->summary.all)) {
            worse = layer->summary;
            layer->summary = summary;
            layer->by_schedule = true;
            layer->schedule = s;
        }
        attest_judge_summary_clear(&worse);
    }
    return ATTEST_OK;
}

/* A wrong output that a kernel of the model with this fault returns says what may be wrong. */
static attest_status try_fault(attest_judgement *layer, attest_judge_fault fault,
                               const judging *x, attest_error *error)
{
    attest_judge_faulty faulty ATTEST_CLEARED_BY(attest_judge_faulty_clear);
    attest_judge_summary summary ATTEST_CLEARED_BY(attest_judge_summary_clear) = {0};
    bool applies;

    ATTEST_TRY(attest_judge_faulty_init(&faulty, &applies, fault, x->qkv,
                                        attest_judge_model_get_tile(x->model), error));
    if (!applies)
        return ATTEST_OK;
    ATTEST_TRY(
        attest_judge_faulty_bound(x->other, &faulty, x->bounds, x->model, x->options, error));
    ATTEST_TRY(
        attest_judge_summary_init(&summary, x->output, x->other, x->shape, x->model, error));
    layer->fault[fault] = attest_judge_counts_verdict(&summary.all) == ATTEST_JUDGE_WITHIN;
    return ATTEST_OK;
}

/* The shape of the output of a problem whose tensors fit each other. */
static void get_shape(size_t shape[4], const attest_qkv *qkv)
{
    memcpy(shape, qkv->q.shape, 3 * sizeof *shape);
    shape[3] = qkv->v.shape[3];
}

attest_status attest_judgement_set(attest_judgement *judgement, const double *output,
                                   const attest_judge_bounds *bounds,
                                   attest_judge_bounds *other, const attest_qkv *qkv,
                                   const attest_judge_model *model,
                                   const attest_judge_options *options, attest_error *error)
{
    judging x = {output, bounds, other, qkv, model, options, {0}, 0};

    get_shape(x.shape, qkv);
    x.elements = x.shape[0] * x.shape[1] * x.shape[2] * x.shape[3];
    judgement->unbounded = bounds->unbounded;
    ATTEST_TRY(
        attest_judge_summary_init(&judgement->summary, output, bounds, x.shape, model, error));
    if (model->schedules > 1 && judgement->summary.all.wrong == 0)
        ATTEST_TRY(try_schedules(judgement, &x, error));
    if (judgement->summary.has_worst) {
        size_t at[4];

        attest_judgement_get_place(at, x.shape, judgement->summary.worst.place);
        ATTEST_TRY(attest_judge_terms_find(&judgement->terms, at, qkv, model, error));
    }
    for (int i = 0; judgement->summary.all.wrong && i < ATTEST_JUDGE_FAULTS; i++)
        ATTEST_TRY(try_fault(judgement, (attest_judge_fault)i, &x, error));
    return ATTEST_OK;
}

void attest_judgement_clear(attest_judgement *judgement)
{
    attest_judge_summary_clear(&judgement->summary);
}
