/* evaluation.c -- the library's outputs at all positions of a dataset. */
#include "props/evaluation.h"

#include <attest/attention.h>

#include "number/scope.h"

static attest_status evaluate(attest_evaluation *out, size_t i, const attest_weights *weights,
                              long bits, attest_error *error)
{
    const attest_dataset *d = out->dataset;
    size_t first = d->start[i] * d->dim, count = attest_dataset_length(d, i) * d->dim;
    ATTEST_SCOPED(attest_sequence, sequence);

    ATTEST_TRY(attest_dataset_get_sequence(&sequence, d, i, NULL, error));
    if (weights->activation == ATTEST_SOFTMAX)
        return attest_attention_ball(out->ball + first, weights, &sequence, bits, error);
    ATTEST_TRY(attest_attention_exact(out->exact + first, weights, &sequence, error));
    for (size_t j = 0; j < count; j++)
        arb_set_fmpq(out->ball + first + j, out->exact + first + j, bits);
    return ATTEST_OK;
}

attest_status attest_evaluation_init(attest_evaluation *evaluation,
                                     const attest_dataset *dataset,
                                     const attest_weights *weights, long bits,
                                     attest_error *error)
{
    evaluation->dataset = dataset;
    evaluation->ball = _arb_vec_init((slong)(dataset->total * dataset->dim));
    evaluation->exact = _fmpq_vec_init((slong)(dataset->total * dataset->dim));
    for (size_t i = 0; i < dataset->count; i++)
        ATTEST_TRY(evaluate(evaluation, i, weights, bits, error));
    return ATTEST_OK;
}

void attest_evaluation_clear(attest_evaluation *evaluation)
{
    slong count = (slong)(evaluation->dataset->total * evaluation->dataset->dim);

    _arb_vec_clear(evaluation->ball, count);
    _fmpq_vec_clear(evaluation->exact, count);
}

size_t attest_evaluation_at(const attest_evaluation *evaluation, attest_place place)
{
    const attest_dataset *d = evaluation->dataset;

    return (d->start[place.sequence] + place.position) * d->dim;
}

void attest_evaluation_difference(fmpq_t z, const attest_dataset *d, attest_place a,
                                  attest_place b, size_t c)
{
    FMPQ(y);

    attest_tokens_get_entry(z, &d->tokens, attest_dataset_token(d, a.sequence, a.position), c);
    attest_tokens_get_entry(y, &d->tokens, attest_dataset_token(d, b.sequence, b.position), c);
    fmpq_sub(z, z, y);
}
