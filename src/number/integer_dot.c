/* integer_dot.c -- exact dot products of integers.
 *
 * fmpz_addmul makes and adds up a big integer for every term. Here terms of at most two words
 * by two words go into sums of five words, one for each sign; only the result is made a fmpz.
 */
#include "number/integer_dot.h"

#include <stdbool.h>

/* 2^64 terms below 2^256 stay below 2^320. */
enum { FACTOR_WORDS = 2, TERM_WORDS = 4, SUM_WORDS = 5 };

/* So many products of less than 2^124 are less than 2^127. */
enum { MOST_SMALL = 8 };

typedef unsigned __int128 two_words;

/* |value| in two words. */
typedef struct factor {
    mp_limb_t low, high;
    bool negative;
} factor;

/* Whether x fits. */
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

/* sum += the term of words words; a carry goes on as far as it must. */
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

/* z = x . y where all entries are words, below 2^62, and the sum of the products fits in two
 * of them: as short vectors of small numbers do. False: they are not. */
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
