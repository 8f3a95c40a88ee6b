/* double.h -- the number system "double": the hardware's binary64, one operation at a time.
 * Contraction is off (-ffp-contract=off), so a * b + c has two roundings. */
#ifndef ATTEST_NUMBER_DOUBLE_H
#define ATTEST_NUMBER_DOUBLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>

#include "base/memory.h"

typedef double attest_double_score;
typedef double attest_double_value;

/* Empty, but C requires a member. */
typedef struct attest_double_context {
    char unused;
} attest_double_context;

static inline double *attest_double_vector_init(size_t count,
                                                const attest_double_context *context)
{
    (void)context;
    return attest_memory_alloc(count, sizeof(double));
}

static inline void attest_double_vector_clear(double *vector, size_t count)
{
    (void)count;
    free(vector);
}

/* Returns the double nearest to numerator/denominator, in any rounding mode. */
double attest_double_get_fraction(const fmpz_t numerator, const fmpz_t denominator);

/* x = significand * 2^exponent, significand odd, or both 0 for x = 0. Exact. Domain: x is
 * finite. The exponent lies between -1074 and 1023. */
static inline void attest_double_split(int64_t *significand, int *exponent, double x)
{
    uint64_t bits, fraction;
    int field, zeros;

    memcpy(&bits, &x, sizeof bits);
    fraction = bits & (((uint64_t)1 << 52) - 1);
    field = (int)(bits >> 52 & 0x7FF);
    if (field)
        fraction |= (uint64_t)1 << 52;
    else
        field = 1; /* subnormal */
    if (fraction == 0) {
        *significand = 0;
        *exponent = 0;
        return;
    }
    zeros = __builtin_ctzll(fraction);
    *significand = bits >> 63 ? -(int64_t)(fraction >> zeros) : (int64_t)(fraction >> zeros);
    *exponent = field - 1075 + zeros;
}

/* log x with an error of at most 10^-13 (1 + |log x|), infinity for infinity; -infinity unless
 * x > 0, which is always a lower bound. Proof: proofs-notes/first_difference.md. */
double attest_double_log(double x);

static inline void attest_double_set_fraction(double *x, const fmpz_t numerator,
                                              const fmpz_t denominator,
                                              const attest_double_context *context)
{
    (void)context;
    *x = attest_double_get_fraction(numerator, denominator);
}

static inline void attest_double_set(double *z, const double *x,
                                     const attest_double_context *context)
{
    (void)context;
    *z = *x;
}

static inline void attest_double_one(double *z, const attest_double_context *context)
{
    (void)context;
    *z = 1;
}

static inline void attest_double_zero(double *z, const attest_double_context *context)
{
    (void)context;
    *z = 0;
}

static inline void attest_double_add(double *z, const double *x, const double *y,
                                     const attest_double_context *context)
{
    (void)context;
    *z = *x + *y;
}

static inline void attest_double_mul(double *z, const double *x, const double *y,
                                     const attest_double_context *context)
{
    (void)context;
    *z = *x * *y;
}

static inline void attest_double_addmul(double *z, const double *x, const double *y,
                                        const attest_double_context *context)
{
    (void)context;
    *z = *z + *x * *y;
}

/* Scores and values have one type. */
#define attest_double_score_vector_init attest_double_vector_init
#define attest_double_score_vector_clear attest_double_vector_clear
#define attest_double_load attest_double_set
#define attest_double_scale attest_double_mul
#define attest_double_addscale attest_double_addmul

/* z = x_0 y_0 + x_1 y_1 + ..., from the first term to the last; y_j at y[j * step].
 * Domain: count >= 1. */
static inline void attest_double_sum_products(double *z, const double *x, const double *y,
                                              size_t step, size_t count,
                                              const attest_double_context *context)
{
    attest_double_mul(z, x, y, context);
    for (size_t j = 1; j < count; j++)
        attest_double_addmul(z, x + j, y + j * step, context);
}

static inline void attest_double_div(double *z, const double *x, const double *y,
                                     const attest_double_context *context)
{
    (void)context;
    *z = *x / *y;
}

/* z = maximum(z, x): NaN if either is. */
static inline void attest_double_maximum(double *z, const double *x,
                                         const attest_double_context *context)
{
    (void)context;
    if (isnan(*x) || *x > *z)
        *z = *x;
}

/* False when either is NaN. */
static inline bool attest_double_equal(const double *x, const double *y)
{
    return *x == *y;
}

/* weight[j] = exp(score[j] - maximum), exp being the C library's. */
static inline void attest_double_exp_scores(double *weight, const double *score, size_t count,
                                            const double *maximum,
                                            const attest_double_context *context)
{
    (void)context;
    for (size_t j = 0; j < count; j++)
        weight[j] = exp(score[j] - *maximum);
}

#endif
