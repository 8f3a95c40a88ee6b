/* mpfr.h -- the number system "mpfr": every operation rounded to a floating-point format.
 *
 * An operation is done by MPFR at the format's precision and within its exponent range, which
 * rounds once; mpfr_subnormalize then rounds results below the least normal number again,
 * using the ternary value so that the outcome is the correctly rounded one. */
#ifndef ATTEST_NUMBER_MPFR_H
#define ATTEST_NUMBER_MPFR_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>
#include <attest/format.h>

typedef __mpfr_struct attest_mpfr_score;
typedef __mpfr_struct attest_mpfr_value;

/* True if the format has exactly the special values of IEEE 754. */
static inline bool attest_format_is_ieee(const attest_format *f)
{
    return !(f->finite_only || f->saturates || f->top_is_nan || f->no_nan || f->no_minus_zero ||
             f->positive);
}

typedef struct attest_mpfr_context {
    const attest_format *format;
    bool ieee; /* the special values are those of IEEE 754 */
    mpfr_rnd_t rounding;
    mpfr_exp_t emin, emax; /* MPFR's convention: significands in [1/2, 1) */
    mpfr_exp_t caller_emin, caller_emax;
    mpfr_flags_t caller_flags;
    mpfr_t product;
    mpfr_t zero;
} attest_mpfr_context;

/* Between init and clear MPFR's exponent range is the format's; clear restores the range and
 * the flags that init found. Contexts nest, but do not overlap. */
void attest_mpfr_context_init(attest_mpfr_context *context, const attest_format *format,
                              mpfr_rnd_t rounding);
void attest_mpfr_context_clear(attest_mpfr_context *context);

/* count zeros of the format's precision; NULL: out of memory. clear accepts NULL. */
__mpfr_struct *attest_mpfr_vector_init(size_t count, const attest_mpfr_context *context);
void attest_mpfr_vector_clear(__mpfr_struct *vector, size_t count);

/* x = value exactly: the precision is the integer's size. */
void attest_mpfr_init_set_fmpz(mpfr_t x, const fmpz_t value);

/* x = numerator/denominator, rounded once. Domain: denominator > 0. */
void attest_mpfr_set_fraction(mpfr_ptr x, const fmpz_t numerator, const fmpz_t denominator,
                              const attest_mpfr_context *context);

/* Replaces values that a format other than those of IEEE 754 does not have; see format.h.
 * ternary: not 0 if x is not the exact result. */
void attest_mpfr_fit_special(mpfr_ptr x, int ternary, const attest_mpfr_context *context);

/* The end of every operation: x is MPFR's rounding of an exact result, ternary its error's
 * sign. */
static inline void attest_mpfr_fit(mpfr_ptr x, int ternary, const attest_mpfr_context *context)
{
    if (context->format->bounded)
        ternary = mpfr_subnormalize(x, ternary, context->rounding);
    if (!context->ieee)
        attest_mpfr_fit_special(x, ternary, context);
}

static inline void attest_mpfr_set(mpfr_ptr z, mpfr_srcptr x,
                                   const attest_mpfr_context *context)
{
    mpfr_set(z, x, context->rounding); /* exact: the same precision */
}

static inline void attest_mpfr_one(mpfr_ptr z, const attest_mpfr_context *context)
{
    attest_mpfr_fit(z, mpfr_set_ui(z, 1, context->rounding), context);
}

static inline void attest_mpfr_zero(mpfr_ptr z, const attest_mpfr_context *context)
{
    (void)context;
    mpfr_set_zero(z, 1);
}

static inline void attest_mpfr_add(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                                   const attest_mpfr_context *context)
{
    attest_mpfr_fit(z, mpfr_add(z, x, y, context->rounding), context);
}

static inline void attest_mpfr_sub(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                                   const attest_mpfr_context *context)
{
    attest_mpfr_fit(z, mpfr_sub(z, x, y, context->rounding), context);
}

static inline void attest_mpfr_mul(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                                   const attest_mpfr_context *context)
{
    attest_mpfr_fit(z, mpfr_mul(z, x, y, context->rounding), context);
}

/* z + x y with two roundings: the product's and the sum's. */
static inline void attest_mpfr_addmul(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                                      attest_mpfr_context *context)
{
    attest_mpfr_mul(context->product, x, y, context);
    attest_mpfr_add(z, z, context->product, context);
}

/* One sort: scores and values are the same numbers. */
#define attest_mpfr_score_vector_init attest_mpfr_vector_init
#define attest_mpfr_score_vector_clear attest_mpfr_vector_clear
#define attest_mpfr_load attest_mpfr_set
#define attest_mpfr_scale attest_mpfr_mul
#define attest_mpfr_addscale attest_mpfr_addmul

/* z = x_0 y_0 + x_1 y_1 + ..., from the first term to the last; y_j at y[j * step].
 * Domain: count >= 1. */
static inline void attest_mpfr_sum_products(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                                            size_t step, size_t count,
                                            attest_mpfr_context *context)
{
    attest_mpfr_mul(z, x, y, context);
    for (size_t j = 1; j < count; j++)
        attest_mpfr_addmul(z, x + j, y + j * step, context);
}

static inline void attest_mpfr_div(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                                   const attest_mpfr_context *context)
{
    attest_mpfr_fit(z, mpfr_div(z, x, y, context->rounding), context);
}

static inline void attest_mpfr_exp(mpfr_ptr z, mpfr_srcptr x,
                                   const attest_mpfr_context *context)
{
    attest_mpfr_fit(z, mpfr_exp(z, x, context->rounding), context);
}

/* z = maximum(z, x): NaN if either is. */
static inline void attest_mpfr_maximum(mpfr_ptr z, mpfr_srcptr x,
                                       const attest_mpfr_context *context)
{
    if (mpfr_nan_p(x) || mpfr_greater_p(x, z))
        attest_mpfr_set(z, x, context);
}

/* False when either is NaN. */
static inline bool attest_mpfr_equal(mpfr_srcptr x, mpfr_srcptr y)
{
    return mpfr_equal_p(x, y) != 0;
}

/* weight[j] = exp(score[j] - maximum): a rounded difference, then a rounded exp. */
static inline void attest_mpfr_exp_scores(mpfr_ptr weight, mpfr_srcptr score, size_t count,
                                          mpfr_srcptr maximum, attest_mpfr_context *context)
{
    for (size_t j = 0; j < count; j++) {
        attest_mpfr_sub(weight + j, score + j, maximum, context);
        attest_mpfr_exp(weight + j, weight + j, context);
    }
}

#endif
