/* outputs.c -- the outputs of attention at contexts, evaluated sequence by sequence. */
#include "certify/outputs.h"

#include <math.h>
#include <stdlib.h>

#include <attest/attention.h>
#include <attest/certify.h>

#include "attention/head_plan.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"

attest_status attest_outputs_init(attest_outputs *outputs, const attest_weights *weights,
                                  const attest_dataset *dataset,
                                  const attest_contexts *contexts, attest_error *error)
{
    size_t count = contexts->count;

    *outputs = (attest_outputs){
        .weights = weights, .dataset = dataset, .contexts = contexts, .work_left = INFINITY};
    outputs->exact = attest_memory_alloc(count, sizeof *outputs->exact);
    outputs->ball = attest_memory_alloc(count, sizeof *outputs->ball);
    outputs->bits = attest_memory_alloc(count, sizeof *outputs->bits);
    if (outputs->exact && outputs->ball && outputs->bits)
        return ATTEST_OK;
    attest_outputs_clear(outputs);
    return attest_memory_fail(error);
}

void attest_outputs_clear(attest_outputs *outputs)
{
    slong dim = (slong)outputs->dataset->dim;

    for (size_t p = 0; p < outputs->contexts->count; p++) {
        if (outputs->exact && outputs->exact[p])
            _fmpq_vec_clear(outputs->exact[p], dim);
        if (outputs->ball && outputs->ball[p])
            _arb_vec_clear(outputs->ball[p], dim);
    }
    free(outputs->exact);
    free(outputs->ball);
    free(outputs->bits);
    outputs->exact = NULL;
    outputs->ball = NULL;
    outputs->bits = NULL;
}

/* One sequence, evaluated: length * dim entries of one of the two kinds. */
typedef struct evaluated {
    size_t entries;
    fmpq *exact;
    arb_ptr ball;
} evaluated;

static void evaluated_clear(evaluated *values)
{
    if (values->exact)
        _fmpq_vec_clear(values->exact, (slong)values->entries);
    if (values->ball)
        _arb_vec_clear(values->ball, (slong)values->entries);
}

/* Charges the work of the sequences of all contexts, before the first is evaluated. */
static attest_status charge_all(attest_outputs *outputs, long bits, attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    double work = 0;

    for (size_t p = 0; p < contexts->count; p++) {
        ATTEST_SCOPED(attest_sequence, s);

        if (p > 0 && contexts->context[p - 1].sequence == contexts->context[p].sequence)
            continue;
        ATTEST_TRY(attest_dataset_get_sequence(&s, outputs->dataset,
                                               contexts->context[p].sequence, NULL, error));
        work += attest_work_estimate(outputs->weights, &s, s.length, bits);
    }
    return attest_work_charge(&outputs->work_left, work, error);
}

/* Charges the work of one sequence. */
static attest_status charge(attest_outputs *outputs, const attest_sequence *s, size_t queries,
                            long bits, attest_error *error)
{
    return attest_work_charge(&outputs->work_left,
                              attest_work_estimate(outputs->weights, s, queries, bits), error);
}

/* Exact for bits = 0, else in balls. charged: its work has been charged already. */
static attest_status evaluate(evaluated *values, attest_outputs *outputs, size_t sequence,
                              long bits, bool charged, attest_error *error)
{
    ATTEST_SCOPED(attest_sequence, s);

    *values = (evaluated){0};
    ATTEST_TRY(attest_dataset_get_sequence(&s, outputs->dataset, sequence, NULL, error));
    if (!charged)
        ATTEST_TRY(charge(outputs, &s, s.length, bits, error));
    values->entries = s.length * s.dim;
    if (bits) {
        values->ball = _arb_vec_init((slong)values->entries);
        return attest_attention_ball(values->ball, outputs->weights, &s, bits, error);
    }
    values->exact = _fmpq_vec_init((slong)values->entries);
    return attest_attention_exact(values->exact, outputs->weights, &s, error);
}

/* The index of the output at context p among the values of its sequence. */
static size_t offset(const attest_outputs *outputs, size_t p)
{
    const attest_context *context = &outputs->contexts->context[p];

    return attest_context_place(context, outputs->dataset).position * outputs->dataset->dim;
}

static void set_point(attest_cloud *cloud, size_t p, const evaluated *values, size_t at,
                      arb_ptr ball)
{
    if (values->ball) {
        attest_cloud_set_balls(cloud, p, values->ball + at);
        return;
    }
    for (size_t c = 0; c < cloud->dim; c++)
        arb_set_fmpq(ball + c, values->exact + at + c, 64);
    attest_cloud_set_balls(cloud, p, ball);
}

/* All outputs, coloured by class; the cloud is not finished. */
static attest_status fill_cloud(attest_cloud *cloud, attest_outputs *outputs,
                                attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    size_t dim = outputs->dataset->dim, p = 0;
    long bits = outputs->weights->activation == ATTEST_HARDMAX ? 0 : ATTEST_CERTIFY_BITS;
    attest_status status = charge_all(outputs, bits, error);
    arb_ptr ball;

    if (status == ATTEST_OK)
        status = attest_cloud_init(cloud, contexts->count, dim, error);
    if (status != ATTEST_OK)
        return status;
    ball = _arb_vec_init((slong)dim);
    attest_progress_report(&outputs->progress, "contexts", 0, contexts->count, NULL);
    while (p < contexts->count && status == ATTEST_OK) {
        size_t sequence = contexts->context[p].sequence;
        evaluated values;
        status = evaluate(&values, outputs, sequence, bits, true, error);
        for (; status == ATTEST_OK && p < contexts->count &&
               contexts->context[p].sequence == sequence;
             p++) {
            cloud->colour[p] = contexts->context[p].group;
            set_point(cloud, p, &values, offset(outputs, p), ball);
        }
        evaluated_clear(&values);
        attest_progress_report(&outputs->progress, "contexts", p, contexts->count, NULL);
    }
    attest_progress_end(&outputs->progress);
    _arb_vec_clear(ball, (slong)dim);
    if (status != ATTEST_OK)
        attest_cloud_clear(cloud);
    return status;
}

attest_status attest_outputs_get_cloud(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error)
{
    ATTEST_TRY(fill_cloud(cloud, outputs, error));
    attest_cloud_finish(cloud);
    return ATTEST_OK;
}

attest_status attest_outputs_get_heads(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error)
{
    attest_weights heads = *outputs->weights;
    attest_outputs alone = *outputs;
    attest_status status;

    heads.skip = false;
    alone.weights = &heads;
    status = fill_cloud(cloud, &alone, error);
    outputs->work_left = alone.work_left;
    return status;
}

/* The first context of the sequence of context p. */
static size_t first_of_sequence(const attest_contexts *contexts, size_t p)
{
    while (p > 0 && contexts->context[p - 1].sequence == contexts->context[p].sequence)
        p--;
    return p;
}

attest_status attest_outputs_get_exact(const fmpq **value, attest_outputs *outputs, size_t p,
                                       attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    size_t dim = outputs->dataset->dim, sequence = contexts->context[p].sequence;
    evaluated values ATTEST_CLEARED_BY(evaluated_clear) = {0};

    if (!outputs->exact[p]) {
        ATTEST_TRY(evaluate(&values, outputs, sequence, 0, false, error));
        for (size_t q = first_of_sequence(contexts, p);
             q < contexts->count && contexts->context[q].sequence == sequence; q++) {
            outputs->exact[q] = _fmpq_vec_init((slong)dim);
            for (size_t c = 0; c < dim; c++)
                fmpq_swap(outputs->exact[q] + c, values.exact + offset(outputs, q) + c);
        }
    }
    *value = outputs->exact[p];
    return ATTEST_OK;
}

/* values = the balls of context p at a precision. */
static attest_status enclose(arb_ptr value, attest_outputs *outputs, size_t p, long bits,
                             attest_error *error)
{
    const attest_context *context = &outputs->contexts->context[p];
    attest_place place = attest_context_place(context, outputs->dataset);
    ATTEST_SCOPED(attest_sequence, s);

    ATTEST_TRY(attest_dataset_get_sequence(&s, outputs->dataset, place.sequence, NULL, error));
    ATTEST_TRY(charge(outputs, &s, 1, bits, error));
    return attest_attention_ball_at(value, outputs->weights, &s, place.position, bits, error);
}

/* Evaluates the sequence of context p at the first precision and keeps all its outputs: at
 * this precision the products of tokens and matrices, which all queries share, cost more
 * than the exponentials. */
static attest_status enclose_sequence(attest_outputs *outputs, size_t p, attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    size_t dim = outputs->dataset->dim, sequence = contexts->context[p].sequence;
    evaluated values ATTEST_CLEARED_BY(evaluated_clear) = {0};

    ATTEST_TRY(evaluate(&values, outputs, sequence, ATTEST_CERTIFY_BITS, false, error));
    for (size_t q = first_of_sequence(contexts, p);
         q < contexts->count && contexts->context[q].sequence == sequence; q++) {
        if (outputs->bits[q] >= ATTEST_CERTIFY_BITS)
            continue;
        if (!outputs->ball[q])
            outputs->ball[q] = _arb_vec_init((slong)dim);
        outputs->bits[q] = ATTEST_CERTIFY_BITS;
        for (size_t c = 0; c < dim; c++)
            arb_swap(outputs->ball[q] + c, values.ball + offset(outputs, q) + c);
    }
    return ATTEST_OK;
}

attest_status attest_outputs_get_ball(arb_srcptr *value, attest_outputs *outputs, size_t p,
                                      long bits, attest_error *error)
{
    if (bits > outputs->most_bits)
        outputs->most_bits = bits;
    if (outputs->bits[p] < bits && bits <= ATTEST_CERTIFY_BITS) {
        ATTEST_TRY(enclose_sequence(outputs, p, error));
    } else if (outputs->bits[p] < bits) {
        if (!outputs->ball[p])
            outputs->ball[p] = _arb_vec_init((slong)outputs->dataset->dim);
        ATTEST_TRY(enclose(outputs->ball[p], outputs, p, bits, error));
        outputs->bits[p] = bits;
    }
    *value = outputs->ball[p];
    return ATTEST_OK;
}
