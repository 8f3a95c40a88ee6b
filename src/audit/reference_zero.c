/* reference_zero.c -- entries of exact outputs that may be 0: which of them are?
 *
 * The ulp of a format at an entry depends on it, and so does whether a computed 0 is right.
 * Balls of more bits leave 0 out unless the entry is 0 or tiny; that it is 0 is proved by the
 * zero test of certify (proofs-notes/zero_test.md). */
#include <attest/attention.h>
#include <attest/certify.h>

#include "audit/reference.h"
#include "certify/zero_test.h"
#include "number/scope.h"

enum { TEST_FROM = 4, MOST_FACTOR = 64 };

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

/* Leaves entry c of a sum that is not finished; the others become 0. */
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

/* Whether entry c of the output at a position is 0, where that is proved. */
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

/* ball = finer ones, entry by entry, where they were open. */
static void take_finer(arb_ptr ball, arb_srcptr finer, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (is_open(ball + c))
            arb_set(ball + c, finer + c);
}

/* The same at one position: finer balls, and the zero test once, after some of them. */
static attest_status settle(arb_ptr ball, arb_ptr finer, const attest_audit_request *request,
                            size_t number, const attest_sequence *sequence, size_t position,
                            long bits)
{
    size_t dim = request->dataset->dim;
    bool softmax = request->weights->activation == ATTEST_SOFTMAX, zero;

    for (long factor = 2; factor <= MOST_FACTOR && count_open(ball, dim) > 0; factor *= 2) {
        ATTEST_TRY(attest_attention_ball_at(finer, request->weights, sequence, position,
                                            factor * bits, NULL));
        take_finer(ball, finer, dim);
        for (size_t c = 0; factor == TEST_FROM && softmax && c < dim; c++) {
            if (!is_open(ball + c))
                continue;
            ATTEST_TRY(is_zero(&zero, request, number, position, c));
            if (zero)
                arb_zero(ball + c);
        }
    }
    return ATTEST_OK;
}

attest_status attest_audit_zeros_settle(arb_ptr ball, const attest_audit_request *request,
                                        size_t number, const attest_sequence *sequence,
                                        attest_audit_passage passage, long bits)
{
    size_t dim = request->dataset->dim;
    ARB_VEC(finer, (slong)dim);

    for (size_t p = passage.begin; p < passage.end; p++, ball += dim)
        if (count_open(ball, dim) > 0)
            ATTEST_TRY(settle(ball, finer, request, number, sequence, p, bits));
    return ATTEST_OK;
}
