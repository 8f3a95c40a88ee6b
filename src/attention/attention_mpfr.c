/* attention_mpfr.c -- attention and networks with every operation rounded to a floating-point
 * format. */
#include <attest/attention.h>

#include "number/mpfr.h"
#include "number/scope.h"

#define ATTEST_SYSTEM mpfr
#define ATTEST_FOLDED 0
#define ATTEST_HAS_EXP 1
#include "attention/attention.inc"

/* A unit that is NaN counts as active. */
static bool is_inactive(mpfr_srcptr unit)
{
    return !mpfr_nan_p(unit) && mpfr_sgn(unit) <= 0;
}

/* rational = x, exactly; returns false if x is not finite. */
static bool get_exact(fmpq *rational, mpfr_srcptr x)
{
    ARF(exact);

    if (!mpfr_number_p(x))
        return false;
    arf_set_mpfr(exact, x);
    arf_get_fmpq(rational, exact);
    return true;
}

#define OVERFLOWS "the format"
#include "attention/network.inc"

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
                  (positions){.end = sequence->length}, &c, error);
}

struct attest_network_in_mpfr {
    const attest_format *format;
    mpfr_rnd_t rounding;
    loaded_network loaded;
};

void attest_network_in_mpfr_clear(attest_network_in_mpfr *state)
{
    if (state)
        network_unload(&state->loaded);
    free(state);
}

attest_status attest_network_in_mpfr_init(attest_network_in_mpfr **state,
                                          const attest_network *network,
                                          const attest_format *format, mpfr_rnd_t rounding,
                                          attest_error *error)
{
    *state = attest_memory_alloc(1, sizeof **state);
    if (!*state)
        return attest_memory_fail(error);
    ATTEST_SCOPED(attest_mpfr_context, c, format, rounding);
    (*state)->format = format;
    (*state)->rounding = rounding;
    return network_load(&(*state)->loaded, network, &c) ? ATTEST_OK : attest_memory_fail(error);
}

attest_status attest_network_in_mpfr_eval(mpfr_t *out, attest_network_in_mpfr *state,
                                          const attest_sequence *sequence, attest_error *error)
{
    size_t count = sequence->length * state->loaded.network->dim;

    ATTEST_SCOPED(attest_mpfr_context, c, state->format, state->rounding);
    for (size_t i = 0; i < count; i++)
        mpfr_set_prec(out[i], state->format->precision);
    return network_run((value *)out, &state->loaded, sequence, &c, error);
}
