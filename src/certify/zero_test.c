/* zero_test.c -- equality of softmax outputs is decidable. */
#include "certify/zero_test.h"

#include <flint/fmpz_mpoly.h>
#include <flint/nmod.h>

enum { PRIMES = 8 }; /* as many attempts to see a difference */

/* ----- modulo a prime ----- */

/* x modulo the prime; false when the denominator vanishes there. */
static bool reduce(mp_limb_t *value, const fmpq *x, nmod_t mod)
{
    mp_limb_t denominator = fmpz_fdiv_ui(fmpq_denref(x), mod.n);

    if (denominator == 0)
        return false;
    *value = nmod_div(fmpz_fdiv_ui(fmpq_numref(x), mod.n), denominator, mod);
    return true;
}

static mp_limb_t power(mp_limb_t y, const fmpz_t exponent, nmod_t mod)
{
    return nmod_pow_ui(y, fmpz_fdiv_ui(exponent, mod.n - 1), mod);
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
            mp_limb_t p = power(y, group->exponent + i, mod);
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

/* True when |sum|^2 != target, or for target 0 some entry != 0, is seen modulo the prime at y:
 * then they differ as functions of y, hence as numbers. */
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
    /* The first primes above 2^62, less that: to look for them took longer than the test. */
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

/* ----- by polynomials ----- */

/* The denominators, and what is needed to build numerators over their product. */
typedef struct expansion {
    const attest_softmax_sum *sum;
    fmpz_mpoly_ctx_t context;
    fmpz_mpoly_struct *z; /* one per group */
    fmpz_mpoly_t product; /* of all z */
    fmpz_t clear;         /* a common denominator of all rational numbers in the sum */
} expansion;

static void push(fmpz_mpoly_t p, const fmpz_t coefficient, const fmpz_t exponent,
                 const fmpz_mpoly_ctx_t context)
{
    fmpz *exponents[1] = {(fmpz *)exponent};

    if (!fmpz_is_zero(coefficient))
        fmpz_mpoly_push_term_fmpz_fmpz(p, coefficient, exponents, context);
}

static void expansion_init(expansion *e, const attest_softmax_sum *sum)
{
    e->sum = sum;
    fmpz_mpoly_ctx_init(e->context, 1, ORD_LEX);
    e->z = flint_malloc(sum->groups * sizeof *e->z + 1);
    fmpz_init_set_ui(e->clear, 1);
    for (size_t c = 0; c < sum->dim; c++)
        fmpz_lcm(e->clear, e->clear, fmpq_denref(sum->constant + c));
    fmpz_mpoly_init(e->product, e->context);
    fmpz_mpoly_one(e->product, e->context);
    for (size_t g = 0; g < sum->groups; g++) {
        const attest_softmax_group *group = &sum->group[g];
        fmpz_mpoly_init(e->z + g, e->context);
        for (size_t i = group->terms; i-- > 0;) /* from the highest exponent */
            push(e->z + g, group->z + i, group->exponent + i, e->context);
        fmpz_mpoly_mul(e->product, e->product, e->z + g, e->context);
        for (size_t i = 0; i < group->terms * sum->dim; i++)
            fmpz_lcm(e->clear, e->clear, fmpq_denref(group->n + i));
    }
}

static void expansion_clear(expansion *e)
{
    for (size_t g = 0; g < e->sum->groups; g++)
        fmpz_mpoly_clear(e->z + g, e->context);
    flint_free(e->z);
    fmpz_mpoly_clear(e->product, e->context);
    fmpz_clear(e->clear);
    fmpz_mpoly_ctx_clear(e->context);
}

/* integer = x times the common denominator. */
static void cleared(fmpz_t integer, const expansion *e, const fmpq *x)
{
    fmpz_divexact(integer, e->clear, fmpq_denref(x));
    fmpz_mul(integer, integer, fmpq_numref(x));
}

/* numerator = clear * product * (entry c of the sum). */
static void entry_numerator(fmpz_mpoly_t numerator, const expansion *e, size_t c)
{
    const attest_softmax_sum *sum = e->sum;
    fmpz_mpoly_t term;
    fmpz_t integer;

    fmpz_init(integer);
    fmpz_mpoly_init(term, e->context);
    cleared(integer, e, sum->constant + c);
    fmpz_mpoly_scalar_mul_fmpz(numerator, e->product, integer, e->context);
    for (size_t g = 0; g < sum->groups; g++) {
        const attest_softmax_group *group = &sum->group[g];
        fmpz_mpoly_zero(term, e->context);
        for (size_t i = group->terms; i-- > 0;) {
            cleared(integer, e, group->n + i * sum->dim + c);
            push(term, integer, group->exponent + i, e->context);
        }
        for (size_t other = 0; other < sum->groups; other++)
            if (other != g)
                fmpz_mpoly_mul(term, term, e->z + other, e->context);
        fmpz_mpoly_add(numerator, numerator, term, e->context);
    }
    fmpz_mpoly_clear(term, e->context);
    fmpz_clear(integer);
}

/* Whether |sum|^2 = target, by multiplying out. */
static bool vanishes(const attest_softmax_sum *sum, const fmpq_t target)
{
    expansion e;
    fmpz_mpoly_t numerator, total;
    fmpz_t factor;
    bool zero = true;

    expansion_init(&e, sum);
    fmpz_mpoly_init(numerator, e.context);
    fmpz_mpoly_init(total, e.context);
    for (size_t c = 0; c < sum->dim && zero; c++) {
        entry_numerator(numerator, &e, c);
        if (fmpq_is_zero(target)) {
            zero = fmpz_mpoly_is_zero(numerator, e.context);
        } else {
            fmpz_mpoly_mul(numerator, numerator, numerator, e.context);
            fmpz_mpoly_add(total, total, numerator, e.context);
        }
    }
    if (!fmpq_is_zero(target)) { /* den * total = num * (clear * product)^2 ? */
        fmpz_init(factor);
        fmpz_mul(factor, e.clear, e.clear);
        fmpz_mul(factor, factor, fmpq_numref(target));
        fmpz_mpoly_mul(numerator, e.product, e.product, e.context);
        fmpz_mpoly_scalar_mul_fmpz(numerator, numerator, factor, e.context);
        fmpz_mpoly_scalar_mul_fmpz(total, total, fmpq_denref(target), e.context);
        zero = fmpz_mpoly_equal(total, numerator, e.context);
        fmpz_clear(factor);
    }
    fmpz_mpoly_clear(numerator, e.context);
    fmpz_mpoly_clear(total, e.context);
    expansion_clear(&e);
    return zero;
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
    attest_status status = ATTEST_OK;
    int zero = -1;

    *answer = ATTEST_ZERO_DIFFERENT;
    if (differs(sum, target))
        return ATTEST_OK;
    status = attest_softmax_sum_reduce(sum, error);
    if (status != ATTEST_OK)
        return status;
    if (fmpq_is_zero(target))
        zero = attest_softmax_sum_vanishes(sum);
    if (zero < 0 && affordable(sum, !fmpq_is_zero(target), max_terms))
        zero = vanishes(sum, target);
    *answer = zero < 0   ? ATTEST_ZERO_UNABLE
              : zero > 0 ? ATTEST_ZERO_EQUAL
                         : ATTEST_ZERO_DIFFERENT;
    return ATTEST_OK;
}
