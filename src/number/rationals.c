/* rationals.c -- vectors of rationals over one denominator. */
#include "number/rationals.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

fmpq *attest_rationals_alloc(size_t count)
{
    fmpq *rational = attest_memory_alloc(count, sizeof *rational);

    if (rational)
        for (size_t i = 0; i < count; i++)
            fmpq_init(rational + i);
    return rational;
}

void attest_rationals_free(fmpq *rational, size_t count)
{
    if (rational)
        for (size_t i = 0; i < count; i++)
            fmpq_clear(rational + i);
    free(rational);
}

/* The bytes behind an fmpz of so many bits; none when it fits into the word itself. */
static size_t bytes_of_bits(size_t bits)
{
    return bits < FLINT_BITS - 2
               ? 0
               : sizeof(__mpz_struct) + (bits / FLINT_BITS + 1) * sizeof(mp_limb_t);
}

attest_status attest_rationals_bound_common(fmpz_t denominator, size_t *bytes,
                                            const fmpq *rational, size_t count,
                                            attest_budget *budget, attest_error *error)
{
    size_t bits = 1;

    fmpz_one(denominator);
    for (size_t i = 0; i < count; i++) {
        const fmpz *own = fmpq_denref(rational + i);
        if (fmpz_is_one(own) || fmpz_divisible(denominator, own))
            continue;
        fmpz_lcm(denominator, denominator, own);
        bits = fmpz_bits(denominator);
        if (budget && bytes_of_bits(bits) > budget->left / count)
            return attest_budget_charge(budget, SIZE_MAX, error);
    }
    *bytes = bytes_of_bits(bits);
    for (size_t i = 0; i < count; i++)
        *bytes += bytes_of_bits(bits + fmpz_bits(fmpq_numref(rational + i)));
    return attest_budget_charge(budget, *bytes, error);
}

void attest_rationals_get_numerators(fmpz *numerator, const fmpz_t denominator,
                                     const fmpq *rational, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const fmpz *own = fmpq_denref(rational + i);
        if (fmpz_equal(own, denominator)) {
            fmpz_set(numerator + i, fmpq_numref(rational + i));
            continue;
        }
        fmpz_divexact(numerator + i, denominator, own);
        fmpz_mul(numerator + i, numerator + i, fmpq_numref(rational + i));
    }
}

int attest_rationals_compare_arf(const arf_t x, const fmpq_t rational)
{
    ARF(left, right);

    /* The exponent of x stays an exponent: x itself as a rational may not fit into memory. */
    arf_mul_fmpz(left, x, fmpq_denref(rational), ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_fmpz(right, fmpq_numref(rational));
    return arf_cmp(left, right);
}
