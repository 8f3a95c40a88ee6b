/* attention_double.c -- attention and networks in the hardware's binary64. */
#include <math.h>

#include <attest/attention.h>

#include "attention/network.h"
#include "number/double.h"
#include "number/rationals.h"
#include "number/scope.h"

#define ATTEST_SYSTEM double
#define ATTEST_FOLDED 0
#define ATTEST_HAS_EXP 1
#include "attention/attention.inc"

/* A unit that is NaN counts as active. */
static bool is_inactive(const double *unit)
{
    return *unit <= 0;
}

#include "attention/feed_forward.inc"

attest_status attest_attention_double(double *out, const attest_weights *weights,
                                      const attest_sequence *sequence, attest_error *error)
{
    attest_double_context c = {0};
    FMPZ(denominator);

    ATTEST_TRY(attest_head_plan_check(weights, sequence, error));
    return attend(out, denominator, weights, sequence, (positions){.end = sequence->length}, &c,
                  error);
}

struct attest_network_doubles {
    const attest_network *network;
    loaded_feed_forward before, after;
    attest_sequence encoded;
};

void attest_network_doubles_clear(attest_network_doubles *state)
{
    if (!state)
        return;
    feed_forward_unload(&state->before);
    feed_forward_unload(&state->after);
    attest_sequence_clear(&state->encoded);
    free(state);
}

attest_status attest_network_doubles_init(attest_network_doubles **state,
                                          const attest_network *network, attest_error *error)
{
    attest_network_doubles *made = attest_memory_alloc(1, sizeof *made);
    attest_double_context c = {0};
    bool ok = made != NULL;

    *state = made;
    if (ok) {
        made->network = network;
        attest_sequence_init(&made->encoded);
        ok = (!network->has_before || feed_forward_load(&made->before, &network->before, &c)) &&
             (!network->has_after || feed_forward_load(&made->after, &network->after, &c));
    }
    return ok ? ATTEST_OK : attest_memory_fail(error);
}

/* Replaces the encoded sequence by the exact values of the output of the layer before. */
static attest_status run_before(attest_network_doubles *state, double *in, double *out,
                                attest_error *error)
{
    attest_sequence *sequence = &state->encoded;
    size_t dim = sequence->dim, count = sequence->length * dim, bytes;
    attest_double_context c = {0};
    ATTEST_RATIONALS(exact, count);

    if (!exact)
        return attest_memory_fail(error);
    for (size_t k = 0; k < sequence->length; k++) {
        for (size_t i = 0; i < dim; i++)
            attest_double_set_fraction(in + i, sequence->entry + k * dim + i,
                                       sequence->denominator, &c);
        feed_forward_run(out, &state->before, in, &c);
        for (size_t i = 0; i < dim; i++) {
            if (!isfinite(out[i]))
                return attest_error_set(error, ATTEST_DOMAIN,
                                        "the first layer overflows binary64");
            attest_number_set_double(exact + k * dim + i, out[i]);
        }
    }
    ATTEST_TRY(attest_rationals_bound_common(sequence->denominator, &bytes, exact, count, NULL,
                                             error));
    attest_rationals_get_numerators(sequence->entry, sequence->denominator, exact, count);
    return ATTEST_OK;
}

attest_status attest_network_double(double *out, attest_network_doubles *state,
                                    const attest_sequence *sequence, attest_error *error)
{
    const attest_network *network = state->network;
    size_t dim = network->dim;
    /* one token more, for the input and the output of the layer before */
    double *work ATTEST_FREED = attest_memory_alloc((sequence->length + 1) * dim, sizeof *work);
    attest_double_context c = {0};

    if (!work)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_network_encode(&state->encoded, network, sequence, error));
    if (network->has_before)
        ATTEST_TRY(run_before(state, work, work + dim, error));
    ATTEST_TRY(attest_attention_double(network->has_after ? work : out, &network->attention,
                                       &state->encoded, error));
    for (size_t k = 0; k < sequence->length && network->has_after; k++)
        feed_forward_run(out + k * dim, &state->after, work + k * dim, &c);
    return ATTEST_OK;
}
