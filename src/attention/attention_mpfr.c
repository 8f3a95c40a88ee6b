/* attention_mpfr.c -- attention with every operation rounded to a floating-point format. */
#include "number/mpfr.h"

#define ATTEST_SYSTEM mpfr
#define ATTEST_FOLDED 0
#define ATTEST_HAS_EXP 1
#include "attention/attention.inc"
#include "number/scope.h"

attest_status attest_attention_mpfr(mpfr_t *out, const attest_weights *weights,
                                    const attest_sequence *sequence,
                                    const attest_format *format, mpfr_rnd_t rounding,
                                    attest_error *error)
{
    size_t count = sequence->length * sequence->dim;
    FMPZ(denominator);

    ATTEST_TRY(attest_head_plan_check(weights, sequence, error));
    ATTEST_SCOPED(attest_mpfr_context, c, format, rounding);
    for (size_t i = 0; i < count; i++)
        mpfr_set_prec(out[i], format->precision);
    return attend((__mpfr_struct *)out, denominator, weights, sequence,
                  (asked){.end = sequence->length}, &c, error);
}
