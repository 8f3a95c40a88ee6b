/* zero_test.c -- equality of softmax outputs is decidable. */
#include "certify/softmax_sum.h"

#include <flint/nmod.h>

#include "base/scope.h"

enum { PRIMES = 8 }; /* the number of attempts to find a difference */

/* x modulo the prime; false when the denominator vanishes there. */
static bool reduce(mp_limb_t *value, const fmpq *x, nmod_t mod)
{
    mp_limb_t denominator = fmpz_fdiv_ui(fmpq_denref(x), mod.n);

    if (denominator == 0)
        return false;
    *value = nmod_div(fmpz_fdiv_ui(fmpq_numref(x), mod.n), denominator, mod);
    return true;
}

/* entry c of the sum at y; false when a denominator vanishes. */
static bool entry_at(mp_limb_t *value, const attest_softmax_sum *sum, size_t c, mp_limb_t y,
                     nmod_t mod)
{
    if (!reduce(value, sum->constant + c, mod))
        return false;
    for (size_t g = 0; g < sum->groups; g++) {
        const attest_softmax_group *group = &sum->group[g];
        mp_limb_t n = 0, z = 0, coefficient;
        for (size_t i = 0; i < group->terms; i++) {
            mp_limb_t p = nmod_pow_ui(y, fmpz_fdiv_ui(group->exponent + i, mod.n - 1), mod);
            if (!reduce(&coefficient, group->n + i * sum->dim + c, mod))
                return false;
            n = nmod_add(n, nmod_mul(coefficient, p, mod), mod);
            z = nmod_add(z, nmod_mul(fmpz_fdiv_ui(group->z + i, mod.n), p, mod), mod);
        }
        if (z == 0)
            return false;
        *value = nmod_add(*value, nmod_div(n, z, mod), mod);
    }
    return true;
}

/* True if |sum|^2 != target, or for target 0 some entry != 0, modulo the prime at y: then
 * they differ as functions of y, hence as numbers. */
static bool differs_at(const attest_softmax_sum *sum, const fmpq_t target, mp_limb_t y,
                       nmod_t mod)
{
    mp_limb_t square = 0, wanted, entry;

    if (!reduce(&wanted, target, mod))
        return false;
    for (size_t c = 0; c < sum->dim; c++) {
        if (!entry_at(&entry, sum, c, y, mod))
            return false;
        if (fmpq_is_zero(target) && entry != 0)
            return true;
        square = nmod_add(square, nmod_mul(entry, entry, mod), mod);
    }
    return !fmpq_is_zero(target) && square != wanted;
}

static bool differs(const attest_softmax_sum *sum, const fmpq_t target)
{
    /* The first primes above 2^62, minus 2^62: searching for them would take longer than the
     * test. */
    static const mp_limb_t above[PRIMES] = {135, 169, 177, 187, 189, 193, 253, 277};
    mp_limb_t y = 3;

    for (int i = 0; i < PRIMES; i++) {
        mp_limb_t prime = (UWORD(1) << 62) + above[i];
        nmod_t mod;
        nmod_init(&mod, prime);
        y = nmod_add(nmod_mul(y, UWORD(6364136223846793005) % prime, mod), 1442695, mod);
        y += y == 0; /* exponents are reduced modulo prime - 1, which zero does not allow */
        if (differs_at(sum, target, y, mod))
            return true;
    }
    return false;
}

static bool affordable(const attest_softmax_sum *sum, bool squared, size_t max_terms)
{
    size_t terms = 1;

    if (sum->groups <= 2 && !squared)
        return true;
    for (int times = 0; times < 1 + squared; times++) {
        for (size_t g = 0; g < sum->groups; g++) {
            if (sum->group[g].terms > max_terms / terms)
                return false;
            terms *= sum->group[g].terms;
        }
    }
    return true;
}

attest_status attest_zero_test(attest_zero_answer *answer, attest_softmax_sum *sum,
                               const fmpq_t target, size_t max_terms, attest_error *error)
{
    int zero = -1;

    *answer = ATTEST_ZERO_DIFFERENT;
    if (differs(sum, target))
        return ATTEST_OK;
    ATTEST_TRY(attest_softmax_sum_reduce(sum, error));
    if (fmpq_is_zero(target))
        zero = attest_softmax_sum_vanishes(sum);
    if (zero < 0 && affordable(sum, !fmpq_is_zero(target), max_terms))
        zero = attest_softmax_series_vanishes(sum, target);
    *answer = zero < 0   ? ATTEST_ZERO_UNABLE
              : zero > 0 ? ATTEST_ZERO_EQUAL
                         : ATTEST_ZERO_DIFFERENT;
    return ATTEST_OK;
}
