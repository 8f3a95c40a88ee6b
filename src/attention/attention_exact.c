/* attention_exact.c -- hardmax attention in rationals. */
#include "number/exact.h"

#define ATTEST_SYSTEM exact
#define ATTEST_FOLDED 1
#define ATTEST_HAS_EXP 0
#include "attention/attention.inc"
#include "number/scope.h"

attest_status attest_attention_exact(fmpq *out, const attest_weights *weights,
                                     const attest_sequence *sequence, attest_error *error)
{
    size_t count = sequence->length * sequence->dim;
    ATTEST_SCOPED(attest_exact_context, c);
    FMPZ(denominator);

    ATTEST_TRY(attest_head_plan_check(weights, sequence, error));
    if (weights->activation != ATTEST_HARDMAX)
        return attest_error_set(
            error, ATTEST_DOMAIN,
            "softmax outputs are not rational; exact arithmetic is for hardmax");
    for (size_t i = 0; i < count; i++)
        fmpq_zero(out + i);
    ATTEST_TRY(attend(out, denominator, weights, sequence, (positions){.end = sequence->length},
                      &c, error));
    for (size_t i = 0; i < count; i++)
        fmpq_div_fmpz(out + i, out + i, denominator);
    return ATTEST_OK;
}
