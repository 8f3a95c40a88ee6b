/* rationals.c -- rationals over one denominator, and exact products of their numerators. */
#include "number/rationals.h"

#include <stdbool.h>
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

void attest_rationals_clear(attest_rationals *rationals)
{
    attest_rationals_free(rationals->rational, rationals->count);
}

/* Returns the bytes that an fmpz of this many bits allocates: 0 if it fits into the word
 * itself. */
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

void attest_rational_vector_init(attest_rational_vector *vector, size_t dim)
{
    vector->dim = dim;
    vector->numerator = _fmpz_vec_init((slong)dim);
    fmpz_init_set_ui(vector->denominator, 1);
}

void attest_rational_vector_clear(attest_rational_vector *vector)
{
    _fmpz_vec_clear(vector->numerator, (slong)vector->dim);
    fmpz_clear(vector->denominator);
}

void attest_rational_vector_dot(fmpq_t value, const attest_rational_vector *vector,
                                const fmpz *token, const fmpz_t denominator)
{
    _fmpz_vec_dot(fmpq_numref(value), vector->numerator, token, (slong)vector->dim);
    fmpz_mul(fmpq_denref(value), vector->denominator, denominator);
    fmpq_canonicalise(value);
}

void attest_rational_vector_norm_square(fmpq_t square, const attest_rational_vector *x)
{
    _fmpz_vec_dot(fmpq_numref(square), x->numerator, x->numerator, (slong)x->dim);
    fmpz_mul(fmpq_denref(square), x->denominator, x->denominator);
    fmpq_canonicalise(square);
}

void attest_rational_vector_distance_square(fmpq_t square, const attest_rational_vector *x,
                                            const attest_rational_vector *y)
{
    FMPZ(difference, product);

    fmpz_mul(product, x->denominator, y->denominator);
    fmpz_zero(fmpq_numref(square));
    for (size_t c = 0; c < x->dim; c++) {
        fmpz_mul(difference, x->numerator + c, y->denominator);
        fmpz_submul(difference, y->numerator + c, x->denominator);
        fmpz_addmul(fmpq_numref(square), difference, difference);
    }
    fmpz_mul(fmpq_denref(square), product, product);
    fmpq_canonicalise(square);
}

void attest_rational_vector_norm(arb_t norm, const attest_rational_vector *vector, long bits)
{
    FMPZ(square);

    _fmpz_vec_dot(square, vector->numerator, vector->numerator, (slong)vector->dim);
    arb_sqrt_fmpz(norm, square, bits);
    arb_div_fmpz(norm, norm, vector->denominator, bits);
}

/* Dot products of integers. fmpz_addmul makes and adds up a big integer for every term. Here
 * terms of at most two words by two words go into sums of five words, one for each sign; only
 * the result becomes a fmpz. */

/* 2^64 terms below 2^256 stay below 2^320. */
enum { FACTOR_WORDS = 2, TERM_WORDS = 4, SUM_WORDS = 5 };

/* The sum of this many products below 2^124 is below 2^127. */
enum { MOST_SMALL = 8 };

typedef unsigned __int128 two_words;

/* |value| in two words. */
typedef struct factor {
    mp_limb_t low, high;
    bool negative;
} factor;

/* True if x fits. */
static inline bool factor_set(factor *f, fmpz x)
{
    const __mpz_struct *big;
    int size;

    f->high = 0;
    if (!COEFF_IS_MPZ(x)) {
        f->negative = x < 0;
        f->low = x < 0 ? -(mp_limb_t)x : (mp_limb_t)x;
        return true;
    }
    big = COEFF_TO_PTR(x);
    size = big->_mp_size < 0 ? -big->_mp_size : big->_mp_size;
    if (size > FACTOR_WORDS)
        return false;
    f->negative = big->_mp_size < 0;
    f->low = big->_mp_d[0];
    if (size == FACTOR_WORDS)
        f->high = big->_mp_d[1];
    return true;
}

/* sum += the term, which has `words` words, with its carry. */
static inline void add_words(mp_limb_t *sum, const mp_limb_t *term, int words)
{
    mp_limb_t carry = mpn_add_n(sum, sum, term, words);

    for (int i = words; carry; i++)
        carry = ++sum[i] == 0;
}

/* sum += |x y|. */
static inline void add_product(mp_limb_t *sum, const factor *x, const factor *y)
{
    mp_limb_t term[TERM_WORDS];
    two_words part = (two_words)x->low * y->low;

    term[0] = (mp_limb_t)part;
    if ((x->high | y->high) == 0) {
        term[1] = (mp_limb_t)(part >> 64);
        add_words(sum, term, 2);
        return;
    }
    /* (2^64 - 1)^2 + 2 (2^64 - 1) < 2^128: no part overflows. */
    part = (two_words)x->low * y->high + (part >> 64);
    term[1] = (mp_limb_t)part;
    term[2] = (mp_limb_t)(part >> 64);
    part = (two_words)x->high * y->low + term[1];
    term[1] = (mp_limb_t)part;
    part = (two_words)x->high * y->high + term[2] + (part >> 64);
    term[2] = (mp_limb_t)part;
    term[3] = (mp_limb_t)(part >> 64);
    add_words(sum, term, TERM_WORDS);
}

/* z = x . y where all entries are words, below 2^62, and the sum of the products fits in two of
 * them: as short vectors of small numbers do. Returns false in other cases. */
static bool dot_small(fmpz *z, const fmpz *x, const fmpz *y, size_t count)
{
    __int128 sum = 0;

    if (count > MOST_SMALL)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (COEFF_IS_MPZ(x[i]) || COEFF_IS_MPZ(y[i]))
            return false;
        sum += (__int128)x[i] * y[i];
    }
    fmpz_set_signed_uiui(z, (mp_limb_t)(sum >> 64), (mp_limb_t)sum);
    return true;
}

void attest_integer_dot(fmpz *z, const fmpz *x, const fmpz *y, size_t count)
{
    mp_limb_t sum[2][SUM_WORDS] = {{0}};
    factor a, b;
    bool negative;

    if (dot_small(z, x, y, count))
        return;
    for (size_t i = 0; i < count; i++) {
        if (!factor_set(&a, x[i]) || !factor_set(&b, y[i])) {
            _fmpz_vec_dot(z, x, y, (slong)count);
            return;
        }
        add_product(sum[a.negative != b.negative], &a, &b);
    }
    negative = mpn_cmp(sum[0], sum[1], SUM_WORDS) < 0;
    mpn_sub_n(sum[0], sum[negative], sum[!negative], SUM_WORDS);
    fmpz_set_ui_array(z, sum[0], SUM_WORDS);
    if (negative)
        fmpz_neg(z, z);
}

void attest_ball_root(arb_t ball, const fmpq_t square)
{
    const slong bits = 128;

    arb_set_fmpq(ball, square, 2 * bits);
    arb_sqrt(ball, ball, bits);
}
