/* attention_mpfr.c -- attention and networks with every operation rounded to a floating-point
 * format. */
#include <attest/attention.h>

#include "attention/network.h"
#include "number/mpfr.h"
#include "number/rationals.h"
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

#include "attention/feed_forward.inc"

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

struct attest_network_mpfrs {
    const attest_network *network;
    const attest_format *format;
    mpfr_rnd_t rounding;
    loaded_feed_forward before, after;
    attest_sequence encoded;
};

void attest_network_mpfrs_clear(attest_network_mpfrs *state)
{
    if (!state)
        return;
    feed_forward_unload(&state->before);
    feed_forward_unload(&state->after);
    attest_sequence_clear(&state->encoded);
    free(state);
}

attest_status attest_network_mpfrs_init(attest_network_mpfrs **state,
                                        const attest_network *network,
                                        const attest_format *format, mpfr_rnd_t rounding,
                                        attest_error *error)
{
    attest_network_mpfrs *made = attest_memory_alloc(1, sizeof *made);
    attest_mpfr_context c;
    bool ok = made != NULL;

    *state = made;
    if (ok) {
        made->network = network;
        made->format = format;
        made->rounding = rounding;
        attest_sequence_init(&made->encoded);
        attest_mpfr_context_init(&c, format, rounding);
        ok = (!network->has_before || feed_forward_load(&made->before, &network->before, &c)) &&
             (!network->has_after || feed_forward_load(&made->after, &network->after, &c));
        attest_mpfr_context_clear(&c);
    }
    return ok ? ATTEST_OK : attest_memory_fail(error);
}

/* rational = x, exactly. False: x is not finite. */
static bool get_exact(fmpq_t rational, mpfr_srcptr x)
{
    ARF(exact);

    if (!mpfr_number_p(x))
        return false;
    arf_set_mpfr(exact, x);
    arf_get_fmpq(rational, exact);
    return true;
}

/* Numbers of MPFR for intermediate results. */
typedef struct workspace {
    value *number; /* NULL: out of memory */
    size_t count;
} workspace;

static void workspace_init(workspace *work, size_t count, attest_mpfr_context *c)
{
    *work = (workspace){attest_mpfr_vector_init(count, c), count};
}

static void workspace_clear(workspace *work)
{
    attest_mpfr_vector_clear(work->number, work->count);
}

/* Replaces the encoded sequence by the exact values of the output of the layer before. */
static attest_status run_before(attest_network_mpfrs *state, attest_mpfr_context *c,
                                attest_error *error)
{
    attest_sequence *sequence = &state->encoded;
    size_t dim = sequence->dim, count = sequence->length * dim, bytes;
    ATTEST_RATIONALS(exact, count);
    ATTEST_SCOPED(workspace, work, 2 * dim, c);
    value *in = work.number;

    if (!exact || !in)
        return attest_memory_fail(error);
    for (size_t k = 0; k < sequence->length; k++) {
        for (size_t i = 0; i < dim; i++)
            attest_mpfr_set_fraction(in + i, sequence->entry + k * dim + i,
                                     sequence->denominator, c);
        feed_forward_run(in + dim, &state->before, in, c);
        for (size_t i = 0; i < dim; i++)
            if (!get_exact(exact + k * dim + i, in + dim + i))
                return attest_error_set(error, ATTEST_DOMAIN,
                                        "the first layer overflows the format");
    }
    ATTEST_TRY(attest_rationals_bound_common(sequence->denominator, &bytes, exact, count, NULL,
                                             error));
    attest_rationals_get_numerators(sequence->entry, sequence->denominator, exact, count);
    return ATTEST_OK;
}

attest_status attest_network_mpfr(mpfr_t *out, attest_network_mpfrs *state,
                                  const attest_sequence *sequence, attest_error *error)
{
    const attest_network *network = state->network;
    size_t dim = network->dim;

    ATTEST_TRY(attest_network_encode(&state->encoded, network, sequence, error));
    ATTEST_SCOPED(attest_mpfr_context, c, state->format, state->rounding);
    ATTEST_SCOPED(workspace, work, sequence->length * dim, &c);
    if (!work.number)
        return attest_memory_fail(error);
    if (network->has_before)
        ATTEST_TRY(run_before(state, &c, error));
    ATTEST_TRY(attest_attention_mpfr(network->has_after ? (mpfr_t *)work.number : out,
                                     &network->attention, &state->encoded, state->format,
                                     state->rounding, error));
    for (size_t k = 0; k < sequence->length && network->has_after; k++) {
        for (size_t i = 0; i < dim; i++)
            mpfr_set_prec(out[k * dim + i], state->format->precision);
        feed_forward_run((value *)(out + k * dim), &state->after, work.number + k * dim, &c);
    }
    return ATTEST_OK;
}
