/* probabilities.c -- the attention weights themselves, as the library computes them. */
#include "props/probabilities.h"

#include <attest/attention.h>

#include "number/scope.h"

/* Entries of a token: its score, a 1, and its unit vector. */
enum { SCORE, ONE, UNIT };

void attest_scores_get(fmpq *score, const attest_dataset *dataset, size_t i)
{
    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++)
        attest_tokens_get_entry(score + k, &dataset->tokens,
                                attest_dataset_token(dataset, i, k), 0);
}

static void set_sequence(attest_sequence *sequence, const fmpq *score, size_t count)
{
    size_t dim = UNIT + count;

    attest_sequence_resize(sequence, count, dim);
    fmpz_one(sequence->denominator);
    for (size_t i = 0; i < count; i++)
        fmpz_lcm(sequence->denominator, sequence->denominator, fmpq_denref(score + i));
    for (size_t i = 0; i < count; i++) {
        fmpz *token = sequence->entry + i * dim;
        fmpz_divexact(token + SCORE, sequence->denominator, fmpq_denref(score + i));
        fmpz_mul(token + SCORE, token + SCORE, fmpq_numref(score + i));
        fmpz_set(token + ONE, sequence->denominator);
        fmpz_set(token + UNIT + i, sequence->denominator);
    }
}

static attest_status set_weights(attest_weights *weights, size_t count)
{
    size_t dim = UNIT + count;
    attest_head *head;

    ATTEST_TRY(attest_weights_resize(weights, 1));
    head = weights->head;
    weights->dim = dim;
    weights->skip = false;
    attest_matrix_resize(&head->wk, count, dim);
    attest_matrix_resize(&head->wq, count, dim);
    attest_matrix_resize(&head->wv, count, dim);
    attest_matrix_resize(&head->wo, dim, count);
    fmpz_one(head->wk.entry + SCORE);
    fmpz_one(head->wq.entry + ONE);
    for (size_t i = 0; i < count; i++) {
        fmpz_one(head->wv.entry + i * dim + UNIT + i);
        fmpz_one(head->wo.entry + (UNIT + i) * count + i);
    }
    return ATTEST_OK;
}

/* Evaluates the layer; exactly one of soft and hard is not NULL. */
static attest_status evaluate(arb_ptr soft, fmpq *hard, const fmpq *score, size_t count,
                              long bits, attest_error *error)
{
    size_t dim = UNIT + count, entries = count * dim;
    ARB_VEC(balls, (slong)entries);
    FMPQ_VEC(exact, (slong)entries);
    ATTEST_SCOPED(attest_sequence, sequence);
    ATTEST_SCOPED(attest_weights, weights);

    set_sequence(&sequence, score, count);
    ATTEST_TRY(set_weights(&weights, count));
    weights.activation = hard ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
    ATTEST_TRY(hard ? attest_attention_exact(exact, &weights, &sequence, error)
                    : attest_attention_ball(balls, &weights, &sequence, bits, error));
    for (size_t i = 0; i < count; i++)
        if (hard)
            fmpq_set(hard + i, exact + UNIT + i);
        else
            arb_set(soft + i, balls + UNIT + i);
    return ATTEST_OK;
}

attest_status attest_probabilities_softmax(arb_ptr p, const fmpq *score, size_t count,
                                           long bits, attest_error *error)
{
    return evaluate(p, NULL, score, count, bits, error);
}

attest_status attest_probabilities_hardmax(fmpq *p, const fmpq *score, size_t count,
                                           attest_error *error)
{
    return evaluate(NULL, p, score, count, 0, error);
}
