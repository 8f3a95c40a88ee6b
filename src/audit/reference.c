/* reference.c -- certified outputs of a sample. */
#include "audit/reference.h"

#include <math.h>
#include <stdlib.h>

#include "attention/attention_ball.h"
#include "attention/work.h"
#include "base/memory.h"
#include "base/workers.h"
#include "format/simulate_in_mpfr.h"
#include "number/scope.h"

#define SECONDS 10.0

/* Of the bits of a reference, 128 beyond those of the widest format, so many may get lost. */
enum { SPARE = 64 };

/* About what the balls of one sequence take: exact integers up to the scores, then balls. */
double attest_audit_ball_cost(const attest_audit_request *request, long bits)
{
    const attest_weights *weights = request->weights;
    double n = (double)request->dataset->longest, d = (double)weights->dim, linear = 0;
    double limbs = (double)bits / 64 + 1;

    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];
        double s = (double)head->wq.rows;
        linear += (head->wk.factored ? s + d : s * d) * 2;
        linear += head->wv.factored || head->wo.factored ? s + d : 2 * s * d;
        linear += n * (head->wk.factored ? 1 : s);
        linear +=
            (head->wv.factored || head->wo.factored ? n : (n + d) * fmin(s, d)) * limbs / 4;
    }
    return n * (linear * 5e-8 + n * (double)weights->heads * (2e-6 + limbs * limbs * 4e-8));
}

static bool choose_sample(attest_audit_reference *r, const attest_audit_request *request,
                          size_t most, long bits)
{
    const attest_dataset *dataset = request->dataset;
    double affordable = SECONDS / attest_audit_ball_cost(request, bits);
    size_t count = dataset->count < most ? dataset->count : most;

    if ((double)count > affordable)
        count = affordable > 1 ? (size_t)affordable : 1;
    r->sequences = count;
    r->sequence = attest_memory_alloc(count, sizeof *r->sequence);
    r->start = attest_memory_alloc(count + 1, sizeof *r->start);
    if (!r->sequence || !r->start)
        return false;
    for (size_t i = 0; i < count; i++) {
        r->sequence[i] =
            (size_t)((double)i * (double)dataset->count / (double)count); /* below 2^53 */
        r->start[i + 1] = r->start[i] + attest_dataset_length(dataset, r->sequence[i]);
    }
    r->positions = r->start[count];
    r->dim = dataset->dim;
    r->counted = attest_weights_output_dim(request->weights);
    return true;
}

typedef struct ball_work {
    const attest_audit_request *request;
    attest_audit_reference *reference;
    size_t passages; /* of every sequence */
    bool *unable;
} ball_work;

void attest_audit_reference_set(attest_audit_reference *r, size_t i, arb_t ball)
{
    ARF(end);

    /* What the midpoint loses by rounding goes to the radius. */
    arf_get_mpfr(r->middle + i, arb_midref(ball), MPFR_RNDN);
    arf_set_mpfr(end, r->middle + i);
    arf_sub(end, end, arb_midref(ball), 53, ARF_RND_UP);
    arf_abs(end, end);
    arb_add_error_arf(ball, end);
    arf_set_mag(end, arb_radref(ball));
    arf_get_mpfr(r->radius + i, end, MPFR_RNDU);
}

/* Whether the balls of one position are as narrow as W_O, applied to averages, may leave them:
 * no worse than 2^-bits of their values. False for one with 0 inside that is not 0. */
static bool are_narrow(arb_srcptr ball, size_t dim, long bits)
{
    for (size_t c = 0; c < dim; c++)
        if (!arb_is_zero(ball + c) && !(arb_rel_accuracy_bits(ball + c) >= bits))
            return false;
    return true;
}

/* The balls of a passage: at every position by way of narrow averages if those are good enough
 * there, whatever they are at others, so that it does not matter how a sequence is cut
 * (proofs-notes/attention.md, "Narrow averages"). */
static attest_status enclose_passage(arb_ptr ball, const attest_weights *weights,
                                     const attest_sequence *sequence, attest_audit_passage at,
                                     long bits)
{
    size_t dim = sequence->dim, begin = at.begin, end = at.end;

    if (weights->activation != ATTEST_SOFTMAX)
        return attest_attention_ball_between(ball, weights, sequence, at.begin, at.end, false,
                                             bits, NULL);
    ATTEST_TRY(attest_attention_ball_between(ball, weights, sequence, at.begin, at.end, true,
                                             bits, NULL));
    while (begin < end && are_narrow(ball + (begin - at.begin) * dim, dim, bits - SPARE))
        begin++;
    while (begin < end && are_narrow(ball + (end - 1 - at.begin) * dim, dim, bits - SPARE))
        end--;
    if (begin == end)
        return ATTEST_OK;
    ARB_VEC(wide, (slong)((end - begin) * dim));
    ATTEST_TRY(
        attest_attention_ball_between(wide, weights, sequence, begin, end, false, bits, NULL));
    for (size_t p = begin; p < end; p++)
        if (!are_narrow(ball + (p - at.begin) * dim, dim, bits - SPARE))
            _arb_vec_set(ball + (p - at.begin) * dim, wide + (p - begin) * dim, (slong)dim);
    return ATTEST_OK;
}

static attest_status enclose_item(ball_work *work, size_t item)
{
    attest_audit_reference *r = work->reference;
    const attest_weights *weights = work->request->weights;
    size_t i = item / work->passages;
    attest_audit_passage at = attest_audit_passage_get(r->start[i + 1] - r->start[i],
                                                       item % work->passages, work->passages);
    size_t first = (r->start[i] + at.begin) * r->dim, count = (at.end - at.begin) * r->dim;
    ARB_VEC(ball, (slong)count);
    ATTEST_SCOPED(attest_sequence, sequence);

    ATTEST_TRY(attest_dataset_get_sequence(&sequence, work->request->dataset, r->sequence[i],
                                           NULL, NULL));
    ATTEST_TRY(enclose_passage(ball, weights, &sequence, at, r->bits));
    ATTEST_TRY(
        attest_audit_zeros_settle(ball, work->request, r->sequence[i], &sequence, at, r->bits));
    for (size_t e = 0; e < count; e++)
        attest_audit_reference_set(r, first + e, ball + e);
    return ATTEST_OK;
}

static bool evaluate_balls(void *context, size_t item)
{
    ball_work *work = context;
    attest_status status = enclose_item(work, item);

    if (status == ATTEST_UNABLE)
        *work->unable = true;
    return status == ATTEST_OK || status == ATTEST_UNABLE;
}

static attest_status enclose_sample(attest_audit_reference *reference,
                                    const attest_audit_request *request, size_t most,
                                    attest_error *error)
{
    long bits = reference->bits;
    ATTEST_SHARED(bool, unable, 1);
    ball_work work = {request, reference, 1, unable};
    size_t jobs = 1;
    double left = request->max_work;

    if (!unable || !choose_sample(reference, request, most, bits))
        return attest_memory_fail(error);
    reference->middle = attest_in_mpfr_vector_init(
        &reference->middle_bytes, reference->positions * reference->dim, bits + 64, true);
    reference->radius = attest_in_mpfr_vector_init(
        &reference->radius_bytes, reference->positions * reference->dim, 53, true);
    if (!reference->middle || !reference->radius)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_work_charge_sequences(&left, request->weights, request->dataset,
                                            reference->sequence, reference->sequences, bits,
                                            NULL, error));
    if (reference->positions > 400)
        jobs = request->jobs;
    /* Every passage projects all tokens of its sequence: no more passages than jobs. */
    work.passages = attest_audit_passages(reference->sequences, jobs);
    ATTEST_TRY(attest_workers_run(evaluate_balls, &work, reference->sequences * work.passages,
                                  jobs, error));
    if (*unable)
        return attest_error_set(error, ATTEST_UNABLE,
                                "a sequence over its common denominator is too large");
    return ATTEST_OK;
}

attest_status attest_audit_reference_get(attest_audit_reference *reference,
                                         const attest_audit_request *request, size_t most,
                                         long bits, attest_error *error)
{
    attest_status status;

    *reference = (attest_audit_reference){.bits = bits};
    status = enclose_sample(reference, request, most, error);
    if (status != ATTEST_OK)
        attest_audit_reference_clear(reference);
    return status;
}

void attest_audit_reference_clear(attest_audit_reference *reference)
{
    free(reference->sequence);
    free(reference->start);
    attest_shared_free(reference->middle, reference->middle_bytes, 1);
    attest_shared_free(reference->radius, reference->radius_bytes, 1);
    *reference = (attest_audit_reference){0};
}

size_t attest_audit_reference_place(const attest_audit_reference *reference,
                                    const attest_dataset *dataset, size_t i, size_t p)
{
    return dataset ? dataset->start[reference->sequence[i]] + p - reference->start[i] : p;
}
