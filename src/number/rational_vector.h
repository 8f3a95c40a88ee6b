/* rational_vector.h -- a vector of rationals over one denominator. */
#ifndef ATTEST_NUMBER_RATIONAL_VECTOR_H
#define ATTEST_NUMBER_RATIONAL_VECTOR_H

#include <stddef.h>

#include <attest/flint.h>

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

#endif
