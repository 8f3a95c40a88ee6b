/* network.c -- networks in balls and rationals. */
#include "attention/network.h"

#include <string.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "number/rationals.h"
#include "number/scope.h"

attest_status attest_network_encode(attest_sequence *encoded, const attest_network *network,
                                    const attest_sequence *sequence, attest_error *error)
{
    size_t dim = network->dim;
    FMPZ(own, step);

    if (sequence->dim != network->input_dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "tokens have %zu entries, but the network takes %zu",
                                sequence->dim, network->input_dim);
    attest_sequence_resize(encoded, sequence->length, dim);
    fmpz_lcm(encoded->denominator, sequence->denominator, fmpq_denref(network->step));
    fmpz_divexact(own, encoded->denominator, sequence->denominator);
    fmpz_divexact(step, encoded->denominator, fmpq_denref(network->step));
    fmpz_mul(step, step, fmpq_numref(network->step));
    for (size_t k = 0; k < sequence->length; k++) {
        fmpz *token = encoded->entry + k * dim;
        for (size_t c = 0; c < sequence->dim; c++)
            fmpz_mul(token + c, sequence->entry + k * sequence->dim + c, own);
        if (network->positional)
            fmpz_addmul_ui(token + network->axis, step, k + 1);
    }
    return ATTEST_OK;
}

attest_status attest_network_runner_init(attest_network_runner *runner,
                                         const attest_network *network, attest_error *error)
{
    memset(runner, 0, sizeof *runner);
    runner->network = network;
    attest_sequence_init(&runner->encoded);
    if (network->has_before) {
        ATTEST_TRY(attest_feed_forward_plan_init(&runner->before, &network->before, error));
        if (attest_pattern_init(&runner->before_pattern, &network->before) != ATTEST_OK)
            return attest_memory_fail(error);
    }
    if (network->has_after) {
        ATTEST_TRY(attest_feed_forward_plan_init(&runner->after, &network->after, error));
        if (attest_pattern_init(&runner->after_pattern, &network->after) != ATTEST_OK)
            return attest_memory_fail(error);
    }
    return ATTEST_OK;
}

void attest_network_runner_clear(attest_network_runner *runner)
{
    attest_feed_forward_plan_clear(&runner->before);
    attest_feed_forward_plan_clear(&runner->after);
    attest_pattern_clear(&runner->before_pattern);
    attest_pattern_clear(&runner->after_pattern);
    attest_sequence_clear(&runner->encoded);
    if (runner->attended)
        _arb_vec_clear(runner->attended, (slong)runner->room);
}

/* Replaces the encoded sequence by the output of the feed-forward layer before attention. */
static attest_status run_before(attest_network_runner *runner, attest_error *error)
{
    attest_sequence *sequence = &runner->encoded;
    size_t dim = sequence->dim, count = sequence->length * dim, bytes;
    ATTEST_RATIONALS(in, dim);
    ATTEST_RATIONALS(out, count);

    if (!in || !out)
        return attest_memory_fail(error);
    for (size_t k = 0; k < sequence->length; k++) {
        for (size_t c = 0; c < dim; c++)
            fmpq_set_fmpz_frac(in + c, sequence->entry + k * dim + c, sequence->denominator);
        attest_feed_forward_exact(out + k * dim, &runner->before_pattern, &runner->before, in);
    }
    ATTEST_TRY(
        attest_rationals_bound_common(sequence->denominator, &bytes, out, count, NULL, error));
    attest_rationals_get_numerators(sequence->entry, sequence->denominator, out, count);
    return ATTEST_OK;
}

static attest_status encode(attest_network_runner *runner, const attest_sequence *sequence,
                            attest_error *error)
{
    ATTEST_TRY(attest_network_encode(&runner->encoded, runner->network, sequence, error));
    return runner->network->has_before ? run_before(runner, error) : ATTEST_OK;
}

attest_status attest_network_attend(attest_network_runner *runner,
                                    const attest_sequence *sequence, long bits,
                                    attest_error *error)
{
    size_t count = sequence->length * runner->network->dim;

    ATTEST_TRY(encode(runner, sequence, error));
    if (runner->room < count) {
        if (runner->attended)
            _arb_vec_clear(runner->attended, (slong)runner->room);
        runner->attended = _arb_vec_init((slong)count);
        runner->room = count;
    }
    return attest_attention_ball(runner->attended, &runner->network->attention,
                                 &runner->encoded, bits, error);
}

attest_status attest_network_ball(arb_ptr out, attest_network_runner *runner,
                                  const attest_sequence *sequence, long bits,
                                  attest_error *error)
{
    size_t dim = runner->network->dim;

    ATTEST_TRY(attest_network_attend(runner, sequence, bits, error));
    for (size_t k = 0; k < sequence->length; k++) {
        if (runner->network->has_after)
            attest_feed_forward_ball(out + k * dim, &runner->after_pattern, &runner->after,
                                     runner->attended + k * dim, bits);
        else
            _arb_vec_set(out + k * dim, runner->attended + k * dim, (slong)dim);
    }
    return ATTEST_OK;
}

attest_status attest_network_exact(fmpq *out, attest_network_runner *runner,
                                   const attest_sequence *sequence, attest_error *error)
{
    size_t dim = runner->network->dim, count = sequence->length * dim;
    ATTEST_RATIONALS(attended, count);

    if (!attended)
        return attest_memory_fail(error);
    ATTEST_TRY(encode(runner, sequence, error));
    ATTEST_TRY(
        attest_attention_exact(attended, &runner->network->attention, &runner->encoded, error));
    for (size_t k = 0; k < sequence->length; k++) {
        if (runner->network->has_after)
            attest_feed_forward_exact(out + k * dim, &runner->after_pattern, &runner->after,
                                      attended + k * dim);
        else
            for (size_t c = 0; c < dim; c++)
                fmpq_set(out + k * dim + c, attended + k * dim + c);
    }
    return ATTEST_OK;
}
