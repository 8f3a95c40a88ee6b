/* theorem2_direction.c -- rational directions and roundings. */
#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "number/scope.h"
#include "theory/theorem2_parts.h"

enum { ENTRY_BITS = 15 };

/* denominator = the least whole number that is at least the norm. */
void attest_direction_normalise(attest_rational_vector *direction)
{
    FMPZ(square, rest);

    _fmpz_vec_dot(square, direction->numerator, direction->numerator, (slong)direction->dim);
    fmpz_sqrtrem(direction->denominator, rest, square);
    if (!fmpz_is_zero(rest))
        fmpz_add_ui(direction->denominator, direction->denominator, 1);
}

/* A sum of four uniform entries: nearly normal, so that no direction is preferred by much. */
void attest_direction_gen(attest_rational_vector *direction, uint64_t *state)
{
    do {
        for (size_t c = 0; c < direction->dim; c++) {
            slong entry = 0;

            for (int i = 0; i < 4; i++)
                entry += (slong)(attest_random_next(state) >> (64 - ENTRY_BITS)) -
                         (1L << (ENTRY_BITS - 1));
            fmpz_set_si(direction->numerator + c, direction->dim == 1 ? 1 : entry);
        }
    } while (_fmpz_vec_is_zero(direction->numerator, (slong)direction->dim));
    attest_direction_normalise(direction);
}

void attest_direction_least(fmpq_t least, const attest_projection *along)
{
    double bound = INFINITY;
    bool first = true;
    FMPQ(value);

    for (size_t t = 0; t < along->tokens->count; t++)
        bound = fmin(bound, fabs(along->value[t]) + along->error[t]);
    for (size_t t = 0; t < along->tokens->count; t++) {
        if (fabs(along->value[t]) - along->error[t] > bound)
            continue;
        attest_projection_get(value, along, t);
        fmpq_abs(value, value);
        if (first || fmpq_cmp(value, least) < 0)
            fmpq_set(least, value);
        first = false;
    }
}

attest_status attest_direction_check(bool *apart, const attest_rational_vector *direction,
                                     const attest_tokens *tokens, attest_error *error)
{
    attest_projection along ATTEST_CLEARED_BY(attest_projection_clear) = {0};
    FMPQ(least);

    *apart = false;
    ATTEST_TRY(attest_projection_init(&along, tokens, direction, error));
    if (attest_projection_sort(&along) != ATTEST_OK)
        return attest_memory_fail(error);
    if (along.injective) {
        attest_direction_least(least, &along);
        *apart = !fmpq_is_zero(least);
    }
    return ATTEST_OK;
}

/* The two largest entries of v, exchanged, one with its sign changed. */
void attest_direction_output(fmpq *output, const attest_rational_vector *direction,
                             const fmpq_t size)
{
    size_t dim = direction->dim, i = 0, j = 1;

    if (dim == 1) {
        fmpq_set(output, size);
        return;
    }
    if (fmpz_cmpabs(direction->numerator + j, direction->numerator + i) > 0) {
        i = 1;
        j = 0;
    }
    for (size_t c = 2; c < dim; c++) {
        if (fmpz_cmpabs(direction->numerator + c, direction->numerator + i) > 0) {
            j = i;
            i = c;
        } else if (fmpz_cmpabs(direction->numerator + c, direction->numerator + j) > 0) {
            j = c;
        }
    }
    ATTEST_SCOPED(attest_rational_vector, turned, dim);
    fmpz_neg(turned.numerator + i, direction->numerator + j);
    fmpz_set(turned.numerator + j, direction->numerator + i);
    /* longer numerators, so that rounding the norm up loses 2^-45 only */
    _fmpz_vec_scalar_mul_2exp(turned.numerator, turned.numerator, (slong)dim, 45);
    attest_direction_normalise(&turned);
    for (size_t c = 0; c < dim; c++) {
        fmpq_set_fmpz_frac(output + c, turned.numerator + c, turned.denominator);
        fmpq_mul(output + c, output + c, size);
    }
}

/* x = m 2^e with m of so many bits, m rounded by floor or ceiling. */
static void round_to(fmpq_t x, long bits, bool up)
{
    slong shift = bits - ((slong)fmpz_bits(fmpq_numref(x)) - (slong)fmpz_bits(fmpq_denref(x)));
    FMPZ(mantissa, divisor);

    fmpz_set(mantissa, fmpq_numref(x));
    fmpz_set(divisor, fmpq_denref(x));
    if (shift >= 0)
        fmpz_mul_2exp(mantissa, mantissa, (ulong)shift);
    else
        fmpz_mul_2exp(divisor, divisor, (ulong)-shift);
    if (up)
        fmpz_cdiv_q(mantissa, mantissa, divisor);
    else
        fmpz_fdiv_q(mantissa, mantissa, divisor);
    fmpz_one(divisor);
    if (shift >= 0)
        fmpz_mul_2exp(divisor, divisor, (ulong)shift);
    else
        fmpz_mul_2exp(mantissa, mantissa, (ulong)-shift);
    fmpq_set_fmpz_frac(x, mantissa, divisor);
}

void attest_round_up(fmpq_t x, long bits)
{
    round_to(x, bits, true);
}

void attest_round_down(fmpq_t x, long bits)
{
    round_to(x, bits, false);
}
