/* attention_double.c -- attention in the hardware's binary64. */
#include <attest/attention.h>

#include "number/double.h"

#define ATTEST_SYSTEM double
#define ATTEST_FOLDED 0
#define ATTEST_HAS_EXP 1
#include "attention/attention.inc"
#include "number/scope.h"

attest_status attest_attention_double(double *out, const attest_weights *weights,
                                      const attest_sequence *sequence, attest_error *error)
{
    attest_double_context c = {0};
    FMPZ(denominator);

    ATTEST_TRY(attest_head_plan_check(weights, sequence, error));
    return attend(out, denominator, weights, sequence, (asked){.end = sequence->length}, &c,
                  error);
}
