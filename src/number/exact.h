/* exact.h -- the number system "exact": rationals as integers over denominators that the
 * caller knows. It serves hardmax alone: weights are 0 and 1, so sums stay integers, and the
 * one division, by the number m of winners, becomes a multiplication by lcm/m. */
#ifndef ATTEST_NUMBER_EXACT_H
#define ATTEST_NUMBER_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

typedef fmpz attest_exact_score;
typedef fmpz attest_exact_value;

typedef struct attest_exact_context {
    fmpz_t lcm; /* a multiple of every number of winners that can occur */
    fmpz_t factor;
} attest_exact_context;

/* For divisions by 1 .. most. */
static inline void attest_exact_context_init(attest_exact_context *context, size_t most)
{
    fmpz_init(context->factor);
    fmpz_init_set_ui(context->lcm, 1);
    for (size_t m = 2; m <= most; m++) {
        fmpz_set_ui(context->factor, m);
        fmpz_lcm(context->lcm, context->lcm, context->factor);
    }
}

static inline void attest_exact_context_clear(attest_exact_context *context)
{
    fmpz_clear(context->lcm);
    fmpz_clear(context->factor);
}

/* FLINT does not return when memory is out: never NULL. */
static inline fmpz *attest_exact_vector_init(size_t count, const attest_exact_context *context)
{
    (void)context;
    return _fmpz_vec_init((slong)count);
}

static inline void attest_exact_vector_clear(fmpz *vector, size_t count)
{
    if (vector)
        _fmpz_vec_clear(vector, (slong)count);
}

/* The numerator: its denominator is accounted for once, by the caller. */
static inline void attest_exact_set_fraction(fmpz *x, const fmpz_t numerator,
                                             const fmpz_t denominator,
                                             const attest_exact_context *context)
{
    (void)denominator;
    (void)context;
    fmpz_set(x, numerator);
}

static inline void attest_exact_set(fmpz *z, const fmpz *x, const attest_exact_context *context)
{
    (void)context;
    fmpz_set(z, x);
}

static inline void attest_exact_one(fmpz *z, const attest_exact_context *context)
{
    (void)context;
    fmpz_one(z);
}

static inline void attest_exact_zero(fmpz *z, const attest_exact_context *context)
{
    (void)context;
    fmpz_zero(z);
}

static inline void attest_exact_add(fmpz *z, const fmpz *x, const fmpz *y,
                                    const attest_exact_context *context)
{
    (void)context;
    fmpz_add(z, x, y);
}

static inline void attest_exact_mul(fmpz *z, const fmpz *x, const fmpz *y,
                                    const attest_exact_context *context)
{
    (void)context;
    fmpz_mul(z, x, y);
}

static inline void attest_exact_addmul(fmpz *z, const fmpz *x, const fmpz *y,
                                       const attest_exact_context *context)
{
    (void)context;
    fmpz_addmul(z, x, y);
}

/* One sort: scores and values are the same numbers. */
#define attest_exact_score_vector_init attest_exact_vector_init
#define attest_exact_score_vector_clear attest_exact_vector_clear
#define attest_exact_load attest_exact_set
#define attest_exact_scale attest_exact_mul
#define attest_exact_addscale attest_exact_addmul

/* Quotients come out multiplied by this. */
static inline const fmpz *attest_exact_div_factor(const attest_exact_context *context)
{
    return context->lcm;
}

/* z = lcm * x / y. Domain: y divides lcm. */
static inline void attest_exact_div(fmpz *z, const fmpz *x, const fmpz *y,
                                    attest_exact_context *context)
{
    fmpz_divexact(context->factor, context->lcm, y);
    fmpz_mul(z, x, context->factor);
}

/* The denominator of scores is positive: it decides nothing. */
static inline void attest_exact_set_score_denominator(const fmpz_t denominator,
                                                      attest_exact_context *context)
{
    (void)denominator;
    (void)context;
}

static inline void attest_exact_maximum(fmpz *z, const fmpz *x,
                                        const attest_exact_context *context)
{
    (void)context;
    if (fmpz_cmp(x, z) > 0)
        fmpz_set(z, x);
}

static inline bool attest_exact_equal(const fmpz *x, const fmpz *y)
{
    return fmpz_equal(x, y) != 0;
}

#endif
