/* reference.c -- certified outputs of a sample of a dataset, and of recorded heads. */
#include "audit/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/attention.h>
#include <attest/certify.h>

#include "attention/attention_ball.h"
#include "attention/head_plan.h"
#include "base/memory.h"
#include "base/term.h"
#include "base/workers.h"
#include "certify/softmax_sum.h"
#include "format/simulate_in_mpfr.h"
#include "number/scope.h"

#define SECONDS 10.0

/* A reference has 128 bits more than the widest format. Balls that lose more than 64 of them to
 * cancellation are computed again. */
enum { SPARE = 64 };

/* Scores are computed in exact integers, everything after them in balls. */
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
    size_t passages; /* number of passages of a sequence */
    bool *unable;
} ball_work;

void attest_audit_reference_set(attest_audit_reference *r, size_t i, arb_t ball)
{
    ARF(end);

    /* the rounding error of the midpoint is added to the radius */
    arf_get_mpfr(r->middle + i, arb_midref(ball), MPFR_RNDN);
    arf_set_mpfr(end, r->middle + i);
    arf_sub(end, end, arb_midref(ball), 53, ARF_RND_UP);
    arf_abs(end, end);
    arb_add_error_arf(ball, end);
    arf_set_mag(end, arb_radref(ball));
    arf_get_mpfr(r->radius + i, end, MPFR_RNDU);
}

/* Returns whether each ball of a position is exactly 0 or has a relative radius of at most
 * 2^-bits; balls that contain 0 and other numbers have not. */
static bool are_accurate(arb_srcptr ball, size_t dim, long bits)
{
    for (size_t c = 0; c < dim; c++)
        if (!arb_is_zero(ball + c) && !(arb_rel_accuracy_bits(ball + c) >= bits))
            return false;
    return true;
}

/* Encloses the outputs of a passage. First it tries narrow averages, which are cheaper, and
 * then evaluates the positions where they are not accurate in the usual way. Each position has
 * its own choice, so the balls do not depend on the passages into which a sequence is cut
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
    while (begin < end && are_accurate(ball + (begin - at.begin) * dim, dim, bits - SPARE))
        begin++;
    while (begin < end && are_accurate(ball + (end - 1 - at.begin) * dim, dim, bits - SPARE))
        end--;
    if (begin == end)
        return ATTEST_OK;
    ARB_VEC(wide, (slong)((end - begin) * dim));
    ATTEST_TRY(
        attest_attention_ball_between(wide, weights, sequence, begin, end, false, bits, NULL));
    for (size_t p = begin; p < end; p++)
        if (!are_accurate(ball + (p - at.begin) * dim, dim, bits - SPARE))
            _arb_vec_set(ball + (p - at.begin) * dim, wide + (p - begin) * dim, (slong)dim);
    return ATTEST_OK;
}

/* Decides which entries of the exact outputs are 0: the ulp of an entry depends on it, and a
 * computed 0 is correct only there. Balls of more bits exclude 0 unless the entry is 0 or tiny;
 * the zero test of certify proves that it is 0 (proofs-notes/zero_test.md). */

/* The zero test is tried once, after balls of 4 times the bits; the largest balls have 64
 * times. */
enum { TEST_FACTOR = 4, MOST_FACTOR = 64 };

/* Returns whether the ball leaves open whether its entry is 0. */
static bool is_open(const arb_t ball)
{
    return arb_contains_zero(ball) && !arb_is_zero(ball);
}

static size_t count_open(arb_srcptr ball, size_t dim)
{
    size_t open = 0;

    for (size_t c = 0; c < dim; c++)
        open += is_open(ball + c);
    return open;
}

/* Sets all entries of the sum but c to 0. Domain: before attest_softmax_sum_finish. */
static void keep_entry(attest_softmax_sum *sum, size_t c)
{
    for (size_t i = 0; i < sum->dim; i++)
        if (i != c)
            fmpq_zero(sum->constant + i);
    for (size_t g = 0; g < sum->groups; g++)
        for (size_t t = 0; t < sum->group[g].terms * sum->dim; t++)
            if (t % sum->dim != c)
                fmpq_zero(sum->group[g].n + t);
}

/* *zero = whether entry c of the output at a position is proved to be 0. */
static attest_status is_zero(bool *zero, const attest_audit_request *request, size_t number,
                             size_t position, size_t c)
{
    const attest_dataset *dataset = request->dataset;
    size_t length = attest_dataset_length(dataset, number);
    attest_context context = {
        .first = dataset->start[number] + position,
        .sequence = (uint32_t)number,
        .seen =
            (uint32_t)(request->weights->mask == ATTEST_MASK_CAUSAL ? position + 1 : length),
        .query = attest_dataset_token(dataset, number, position)};
    attest_zero_answer answer = ATTEST_ZERO_UNABLE;
    ATTEST_SCOPED(attest_softmax_sum, sum, dataset->dim);
    FMPQ(target);

    *zero = false;
    ATTEST_TRY(attest_softmax_sum_add(&sum, 1, request->weights, dataset, &context, NULL));
    keep_entry(&sum, c);
    attest_softmax_sum_finish(&sum);
    ATTEST_TRY(attest_zero_test(&answer, &sum, target, ATTEST_CERTIFY_MAX_TERMS, NULL));
    *zero = answer == ATTEST_ZERO_EQUAL;
    return ATTEST_OK;
}

/* settle_zeros for one position: balls of 2, 4, ... times the bits and, once, the zero test.
 * finer has room for an output. */
static attest_status settle_zeros_at(arb_ptr ball, arb_ptr finer,
                                     const attest_audit_request *request, size_t number,
                                     const attest_sequence *sequence, size_t position,
                                     long bits)
{
    size_t dim = request->dataset->dim;
    bool softmax = request->weights->activation == ATTEST_SOFTMAX, zero;

    for (long factor = 2; factor <= MOST_FACTOR && count_open(ball, dim) > 0; factor *= 2) {
        ATTEST_TRY(attest_attention_ball_at(finer, request->weights, sequence, position,
                                            factor * bits, NULL));
        for (size_t c = 0; c < dim; c++) {
            if (is_open(ball + c))
                arb_set(ball + c, finer + c);
            if (factor != TEST_FACTOR || !softmax || !is_open(ball + c))
                continue;
            ATTEST_TRY(is_zero(&zero, request, number, position, c));
            if (zero)
                arb_zero(ball + c);
        }
    }
    return ATTEST_OK;
}

/* Replaces each ball that contains 0 by exactly 0 or by a ball without 0
 * (proofs-notes/audit.md, "Zeros"), for the positions of a passage of the sequence with this
 * number. A ball that still contains 0 at 64 times the bits, and for which the zero test
 * failed, is kept. Status: UNABLE, NOMEM. */
static attest_status settle_zeros(arb_ptr ball, const attest_audit_request *request,
                                  size_t number, const attest_sequence *sequence,
                                  attest_audit_passage passage, long bits)
{
    size_t dim = request->dataset->dim;
    ARB_VEC(finer, (slong)dim);

    for (size_t p = passage.begin; p < passage.end; p++, ball += dim)
        ATTEST_TRY(settle_zeros_at(ball, finer, request, number, sequence, p, bits));
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
    ATTEST_TRY(settle_zeros(ball, work->request, r->sequence[i], &sequence, at, r->bits));
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
    /* Every passage projects all tokens of its sequence: more passages than jobs are waste. */
    work.passages = attest_audit_passages(reference->sequences, jobs);
    ATTEST_TRY(attest_workers_run(evaluate_balls, &work, reference->sequences * work.passages,
                                  jobs, error));
    if (*unable)
        return attest_error_set(
            error, ATTEST_UNABLE,
            "a sequence is too large once its entries have a common denominator");
    return ATTEST_OK;
}

attest_status attest_audit_reference_get(attest_audit_reference *reference,
                                         const attest_audit_request *request, size_t most,
                                         long bits, attest_error *error)
{
    *reference = (attest_audit_reference){.bits = bits};
    ATTEST_TRY_OR(enclose_sample(reference, request, most, error),
                  attest_audit_reference_clear(reference));
    return ATTEST_OK;
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

/* Outputs and weights of recorded queries, keys and values in balls. */

enum { MOST_HEAD_FACTOR = 16 }; /* the largest multiple of ATTEST_AUDIT_HEAD_BITS */

void attest_audit_head_reference_init(attest_audit_head_reference *e,
                                      const attest_judge_problem *x)
{
    *e = (attest_audit_head_reference){.problem = x};
    e->query = _arb_vec_init((slong)x->dim);
    e->key = _arb_vec_init((slong)(x->keys * x->dim));
    e->value = _arb_vec_init((slong)(x->keys * x->value_dim));
    e->power = _arb_vec_init((slong)x->keys + 1);
    arb_init(e->scale);
    arb_init(e->cap);
    arb_init(e->total);
    arb_init(e->term);
}

void attest_audit_head_reference_clear(attest_audit_head_reference *e)
{
    const attest_judge_problem *x = e->problem;

    _arb_vec_clear(e->query, (slong)x->dim);
    _arb_vec_clear(e->key, (slong)(x->keys * x->dim));
    _arb_vec_clear(e->value, (slong)(x->keys * x->value_dim));
    _arb_vec_clear(e->power, (slong)x->keys + 1);
    arb_clear(e->scale);
    arb_clear(e->cap);
    arb_clear(e->total);
    arb_clear(e->term);
}

void attest_audit_head_reference_load(attest_audit_head_reference *e,
                                      const attest_judge_head *head)
{
    const attest_judge_problem *x = e->problem;

    for (size_t i = 0; i < x->keys * x->dim; i++)
        arb_set_d(e->key + i, head->k[i]);
    for (size_t i = 0; i < x->keys * x->value_dim; i++)
        arb_set_d(e->value + i, head->v[i]);
}

static void set_bits(attest_audit_head_reference *e, slong bits)
{
    if (e->bits == bits)
        return;
    e->bits = bits;
    attest_judge_problem_get_scale(e->scale, e->problem, bits);
    if (e->problem->capped)
        arb_set_fmpq(e->cap, e->problem->softcap, bits);
}

/* power[j] = the score of key j; indeterminate for keys that the row does not see because their
 * bias is -infinity. */
static void score(attest_audit_head_reference *e, const attest_judge_row *row)
{
    const attest_judge_problem *x = e->problem;

    for (size_t j = row->first; j < row->last; j++) {
        arb_ptr t = e->power + j;

        if (row->bias && !(row->bias[j - row->first] > -(double)INFINITY)) {
            arb_indeterminate(t);
            continue;
        }
        arb_dot(t, NULL, 0, e->query, 1, e->key + j * x->dim, 1, (slong)x->dim, e->bits);
        arb_mul(t, t, e->scale, e->bits);
        if (x->capped) {
            arb_div(t, t, e->cap, e->bits);
            arb_tanh(t, t, e->bits);
            arb_mul(t, t, e->cap, e->bits);
        }
        if (row->bias) {
            arb_set_d(e->term, row->bias[j - row->first]);
            arb_add(t, t, e->term, e->bits);
        }
    }
}

/* power[j] = e^(score - s), where s is the midpoint of the largest score, and 0 for keys that
 * the row does not see; power[keys] belongs to the sink. total = the sum of all. */
static void exponentiate(attest_audit_head_reference *e, const attest_judge_row *row,
                         const attest_judge_head *head)
{
    size_t keys = e->problem->keys;
    ARF(most);

    arf_neg_inf(most);
    if (head->sink)
        arf_set_d(most, head->sink_logit);
    for (size_t j = row->first; j < row->last; j++)
        if (arb_is_finite(e->power + j) && arf_cmp(arb_midref(e->power + j), most) > 0)
            arf_set(most, arb_midref(e->power + j));
    arb_zero(e->total);
    for (size_t j = 0; j <= keys; j++) {
        arb_ptr t = e->power + j;

        if (j == keys && head->sink)
            arb_set_d(t, head->sink_logit);
        if (j == keys ? !head->sink : j < row->first || j >= row->last || !arb_is_finite(t)) {
            arb_zero(t);
            continue;
        }
        arb_sub_arf(t, t, most, e->bits);
        arb_exp(t, t, e->bits);
        arb_add(e->total, e->total, t, e->bits);
    }
}

/* out = the weighted mean of the values. */
static void average(arb_ptr out, attest_audit_head_reference *e, const attest_judge_row *row)
{
    size_t columns = e->problem->value_dim;

    for (size_t c = 0; c < columns; c++) {
        arb_dot(out + c, NULL, 0, e->power + row->first, 1, e->value + row->first * columns + c,
                (slong)columns, (slong)(row->last - row->first), e->bits);
        arb_div(out + c, out + c, e->total, e->bits);
    }
}

/* weight = the weights of the keys and of the sink, rounded to doubles; *off = half the sum of
 * the rounding errors, rounded up: their total variation from the exact weights. */
static void set_weights(double *weight, double *off, attest_audit_head_reference *e)
{
    double sum = 0;
    ARF(error);

    for (size_t j = 0; j <= e->problem->keys; j++) {
        weight[j] = 0;
        if (arb_is_zero(e->power + j))
            continue;
        arb_div(e->term, e->power + j, e->total, e->bits);
        weight[j] = arf_get_d(arb_midref(e->term), ARF_RND_NEAR);
        arf_set_d(error, weight[j]);
        arb_sub_arf(e->term, e->term, error, e->bits);
        arb_get_abs_ubound_arf(error, e->term, 53);
        sum += arf_get_d(error, ARF_RND_UP);
    }
    *off = sum / 2 * (1 + ATTEST_TERM(head_weights_sums, 0x1p-20));
}

void attest_audit_head_reference_run(arb_ptr out, double *weight, double *off,
                                     attest_audit_head_reference *e, attest_judge_head *head,
                                     size_t i)
{
    const attest_judge_problem *x = e->problem;
    slong bits = ATTEST_AUDIT_HEAD_BITS;
    attest_judge_row row;

    attest_judge_head_get_row(&row, head, i);
    for (size_t c = 0; c < x->dim; c++)
        arb_set_d(e->query + c, head->q[i * x->dim + c]);
    do {
        set_bits(e, bits);
        score(e, &row);
        exponentiate(e, &row, head);
        average(out, e, &row);
        bits *= 2;
    } while (count_open(out, x->value_dim) > 0 &&
             bits <= MOST_HEAD_FACTOR * ATTEST_AUDIT_HEAD_BITS);
    set_weights(weight, off, e);
}
