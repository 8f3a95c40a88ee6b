/* attention_double.c -- attention in the hardware's binary64. */
#include "attention/boltzmann.h"

#include "number/double.h"

#define ATTEST_SYSTEM double
#define ATTEST_FOLDED 0
#define ATTEST_HAS_EXP 1
#include "attention/attention.inc"

attest_status attest_attention_double(double *out, const attest_weights *weights,
                                      const attest_sequence *sequence, attest_error *error)
{
    attest_status status = attest_head_plan_check(weights, sequence, error);
    attest_double_context c = {0};
    fmpz_t denominator;

    if (status != ATTEST_OK)
        return status;
    fmpz_init(denominator);
    status = attend(out, denominator, weights, sequence, (asked){.end = sequence->length}, &c,
                    error);
    fmpz_clear(denominator);
    return status;
}

/* The operations of weigh() and average() in attention.inc, without storing the weights. */
double attest_boltz_double(const double *a, size_t count)
{
    double maximum = a[0], total = 0, sum = 0;

    for (size_t j = 1; j < count; j++)
        attest_double_maximum(&maximum, a + j, NULL);
    for (size_t j = 0; j < count; j++) {
        double weight = exp(a[j] - maximum);
        total = total + weight;
        sum = j == 0 ? weight * a[j] : sum + weight * a[j];
    }
    return sum / total;
}
