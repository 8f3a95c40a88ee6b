/* attention_double.c -- attention and networks in the hardware's binary64. */
#include <math.h>

#include <attest/attention.h>

#include "number/double.h"

#define ATTEST_SYSTEM double
#define ATTEST_FOLDED 0
#define ATTEST_HAS_EXP 1
#include "attention/attention.inc"

/* A unit that is NaN counts as active. */
static bool is_inactive(const double *unit)
{
    return *unit <= 0;
}

/* rational = x, exactly; returns false if x is not finite. */
static bool get_exact(fmpq *rational, const double *x)
{
    if (isfinite(*x))
        attest_number_set_double(rational, *x);
    return isfinite(*x);
}

#define OVERFLOWS "binary64"
#include "attention/network.inc"

attest_status attest_attention_double(double *out, const attest_weights *weights,
                                      const attest_sequence *sequence, attest_error *error)
{
    attest_double_context c = {0};
    FMPZ(denominator);

    ATTEST_TRY(attest_head_plan_check(weights, sequence, error));
    return attend(out, denominator, weights, sequence, (positions){.end = sequence->length}, &c,
                  error);
}

struct attest_network_in_double {
    loaded_network loaded;
};

void attest_network_in_double_clear(attest_network_in_double *state)
{
    if (state)
        network_unload(&state->loaded);
    free(state);
}

attest_status attest_network_in_double_init(attest_network_in_double **state,
                                            const attest_network *network, attest_error *error)
{
    attest_double_context c = {0};

    *state = attest_memory_alloc(1, sizeof **state);
    return *state && network_load(&(*state)->loaded, network, &c) ? ATTEST_OK
                                                                  : attest_memory_fail(error);
}

attest_status attest_network_in_double_eval(double *out, attest_network_in_double *state,
                                            const attest_sequence *sequence,
                                            attest_error *error)
{
    attest_double_context c = {0};

    return network_run(out, &state->loaded, sequence, &c, error);
}
