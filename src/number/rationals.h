/* rationals.h -- rationals over one denominator, and exact products of their numerators. */
#ifndef ATTEST_NUMBER_RATIONALS_H
#define ATTEST_NUMBER_RATIONALS_H

#include <stddef.h>

#include <attest/flint.h>
#include <attest/number.h>

#include "base/scope.h"

/* count rationals, all 0; NULL: out of memory. */
fmpq *attest_rationals_alloc(size_t count);
void attest_rationals_free(fmpq *rational, size_t count);

typedef struct attest_rationals {
    fmpq *rational;
    size_t count;
} attest_rationals;

void attest_rationals_clear(attest_rationals *rationals);

/* Declares a pointer to count rationals (NULL: out of memory) that are freed at the end of its
 * block. count is evaluated twice. */
#define ATTEST_RATIONALS(name, count)                                                          \
    attest_rationals name##_scope ATTEST_CLEARED_BY(attest_rationals_clear) = {                \
        attest_rationals_alloc(count), count};                                                 \
    fmpq *name = name##_scope.rational

/* denominator = the least common denominator of the rationals, which are in lowest terms.
 * *bytes = an upper bound of the memory of count numerators over it, and of itself, which the
 * budget is charged. It can be far more than that of the rationals: each numerator can become
 * as large as all denominators together. Status: UNABLE, found without computing a denominator
 * that is too large. */
attest_status attest_rationals_bound_common(fmpz_t denominator, size_t *bytes,
                                            const fmpq *rational, size_t count,
                                            attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* numerator[i] = rational[i] * denominator. Exact. Domain: a common denominator. */
void attest_rationals_get_numerators(fmpz *numerator, const fmpz_t denominator,
                                     const fmpq *rational, size_t count);

/* The sign of x - rational, exactly. x may have an exponent of any size, and be infinite. */
int attest_rationals_compare_arf(const arf_t x, const fmpq_t rational);

/* A vector of rationals over one denominator. */
typedef struct attest_rational_vector {
    size_t dim;
    fmpz *numerator;
    fmpz_t denominator; /* > 0 */
} attest_rational_vector;

/* 0, over the denominator 1. */
void attest_rational_vector_init(attest_rational_vector *vector, size_t dim);
void attest_rational_vector_clear(attest_rational_vector *vector);

/* value = vector . token, for a token of numerators over denominator. */
void attest_rational_vector_dot(fmpq_t value, const attest_rational_vector *vector,
                                const fmpz *token, const fmpz_t denominator);

/* |x|^2 and |x - y|^2, exact. */
void attest_rational_vector_norm_square(fmpq_t square, const attest_rational_vector *x);
void attest_rational_vector_distance_square(fmpq_t square, const attest_rational_vector *x,
                                            const attest_rational_vector *y);

/* Encloses the Euclidean norm. */
void attest_rational_vector_norm(arb_t norm, const attest_rational_vector *vector, long bits);

/* z = the sum of x_i y_i. Fast where entries are below 2^128. z is no entry of x or y. */
void attest_integer_dot(fmpz *z, const fmpz *x, const fmpz *y, size_t count);

/* Encloses the square root to 128 bits; that of 0 is 0. Domain: square >= 0. */
void attest_ball_root(arb_t ball, const fmpq_t square);

#endif
