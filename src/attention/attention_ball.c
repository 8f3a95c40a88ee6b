/* attention_ball.c -- attention in balls: scores exact, or rounded where they are long, and
 * enclosures from exp on.
 *
 * The error bound is derived in proofs-notes/attention.md. */
#include "attention/attention_ball.h"

#include "number/ball.h"

#define ATTEST_SYSTEM ball
#define ATTEST_FOLDED 1
#define ATTEST_HAS_EXP 1
#define ATTEST_BOLTZ
#include "attention/attention.inc"
#include "number/scope.h"

/* The guard bits that keep the radius below 2^-bits times the largest term: with t = n H + 1
 * terms the sums lose at most a factor of 2^8 t^2. */
static slong guard_bits(size_t length, size_t heads)
{
    return 10 + 2 * (slong)(FLINT_BIT_COUNT(length) + FLINT_BIT_COUNT(heads));
}

static attest_status check_bits(long bits, attest_error *error)
{
    if (bits >= 2 && bits <= ATTEST_BALL_MAX_BITS)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_DOMAIN,
                            "the precision must be between 2 and %ld bits",
                            ATTEST_BALL_MAX_BITS);
}

/* out /= denominator, count of them: quotients that may be exact one by one, else by one
 * reciprocal. */
static void divide(arb_ptr out, size_t count, const fmpz_t denominator, slong precision)
{
    ARB(inverse);

    arb_set_round_fmpz(inverse, denominator, precision);
    arb_inv(inverse, inverse, precision);
    for (size_t i = 0; i < count; i++)
        if (arb_is_exact(out + i))
            arb_div_fmpz(out + i, out + i, denominator, precision);
        else
            arb_mul(out + i, out + i, inverse, precision);
}

attest_status attest_attention_ball_between(arb_ptr out, const attest_weights *weights,
                                            const attest_sequence *sequence, size_t begin,
                                            size_t end, bool narrow, long bits,
                                            attest_error *error)
{
    size_t count = (end - begin) * sequence->dim;
    const positions wanted = {begin, end, narrow};
    FMPZ(denominator);

    ATTEST_TRY(attest_head_plan_check(weights, sequence, error));
    ATTEST_TRY(check_bits(bits, error));
    ATTEST_SCOPED(attest_ball_context, c, bits + guard_bits(sequence->length, weights->heads),
                  sequence->length);
    for (size_t i = 0; i < count; i++)
        arb_zero(out + i);
    ATTEST_TRY(attend(out, denominator, weights, sequence, wanted, &c, error));
    divide(out, count, denominator, c.precision);
    return ATTEST_OK;
}

attest_status attest_attention_ball(arb_ptr out, const attest_weights *weights,
                                    const attest_sequence *sequence, long bits,
                                    attest_error *error)
{
    return attest_attention_ball_between(out, weights, sequence, 0, sequence->length, false,
                                         bits, error);
}

attest_status attest_attention_ball_at(arb_ptr out, const attest_weights *weights,
                                       const attest_sequence *sequence, size_t position,
                                       long bits, attest_error *error)
{
    if (position >= sequence->length)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "a sequence of %zu tokens has no position %zu",
                                sequence->length, position);
    return attest_attention_ball_between(out, weights, sequence, position, position + 1, false,
                                         bits, error);
}

attest_status attest_boltz_ball(arb_t out, const fmpz *numerator, const fmpz_t denominator,
                                size_t count, long bits, attest_error *error)
{
    FMPZ(maximum);

    ATTEST_TRY(check_bits(bits, error));
    if (count == 0)
        return attest_error_set(error, ATTEST_DOMAIN, "boltz of no numbers");
    /* boltz(a) = max + boltz(a - max): all terms of the sum have one sign, so its relative
     * error is that of the weights. */
    ATTEST_SCOPED(attest_ball_context, c, bits + guard_bits(count, 1), count);
    FMPZ_VEC(depth, (slong)count);
    fmpz_set(maximum, numerator);
    for (size_t j = 1; j < count; j++)
        attest_ball_maximum(maximum, numerator + j, &c);
    for (size_t j = 0; j < count; j++)
        fmpz_sub(depth + j, numerator + j, maximum);
    ATTEST_TRY(boltz(out, depth, denominator, count, &c, error));
    arb_add_fmpz(out, out, maximum, c.precision);
    arb_div_fmpz(out, out, denominator, c.precision);
    return ATTEST_OK;
}
