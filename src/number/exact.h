/* exact.h -- the number system "exact", for hardmax alone.
 *
 * There are two types. Scores (and the values that are averaged) are integers over denominators
 * that the caller stores. Averages are fractions of such integers, whose own denominators come
 * from the division by the number of winners and stay small: their greatest common divisors are
 * cheap, and there is one of them per output and head, not one per term. */
#ifndef ATTEST_NUMBER_EXACT_H
#define ATTEST_NUMBER_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

#include "number/rationals.h"

typedef fmpz attest_exact_score;
typedef fmpq attest_exact_value;

typedef struct attest_exact_context {
    fmpq_t product;
} attest_exact_context;

static inline void attest_exact_context_init(attest_exact_context *context)
{
    fmpq_init(context->product);
}

static inline void attest_exact_context_clear(attest_exact_context *context)
{
    fmpq_clear(context->product);
}

/* FLINT does not return if memory is exhausted: never NULL. */
static inline fmpz *attest_exact_score_vector_init(size_t count,
                                                   const attest_exact_context *context)
{
    (void)context;
    return _fmpz_vec_init((slong)count);
}

static inline void attest_exact_score_vector_clear(fmpz *vector, size_t count)
{
    if (vector)
        _fmpz_vec_clear(vector, (slong)count);
}

static inline fmpq *attest_exact_vector_init(size_t count, const attest_exact_context *context)
{
    (void)context;
    return _fmpq_vec_init((slong)count);
}

static inline void attest_exact_vector_clear(fmpq *vector, size_t count)
{
    if (vector)
        _fmpq_vec_clear(vector, (slong)count);
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

/* The denominator of scores is positive: it decides nothing. */
static inline void attest_exact_set_score_denominator(const fmpz_t denominator,
                                                      attest_exact_context *context)
{
    (void)denominator;
    (void)context;
}

static inline void attest_exact_set(fmpz *z, const fmpz *x, const attest_exact_context *context)
{
    (void)context;
    fmpz_set(z, x);
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

static inline void attest_exact_load(fmpq *z, const fmpz *x,
                                     const attest_exact_context *context)
{
    (void)context;
    fmpq_set_fmpz(z, x);
}

static inline void attest_exact_one(fmpq *z, const attest_exact_context *context)
{
    (void)context;
    fmpq_one(z);
}

static inline void attest_exact_zero(fmpq *z, const attest_exact_context *context)
{
    (void)context;
    fmpq_zero(z);
}

static inline void attest_exact_add(fmpq *z, const fmpq *x, const fmpq *y,
                                    const attest_exact_context *context)
{
    (void)context;
    fmpq_add(z, x, y);
}

static inline void attest_exact_scale(fmpq *z, const fmpq *x, const fmpz *y,
                                      const attest_exact_context *context)
{
    (void)context;
    fmpq_mul_fmpz(z, x, y);
}

static inline void attest_exact_addscale(fmpq *z, const fmpq *x, const fmpz *y,
                                         attest_exact_context *context)
{
    fmpq_mul_fmpz(context->product, x, y);
    fmpq_add(z, z, context->product);
}

static inline void attest_exact_div(fmpq *z, const fmpq *x, const fmpq *y,
                                    const attest_exact_context *context)
{
    (void)context;
    fmpq_div(z, x, y);
}

#endif
