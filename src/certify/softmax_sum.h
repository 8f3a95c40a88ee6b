/* softmax_sum.h -- softmax outputs, and differences of them, as elements of a field.
 *
 * With rational data and weights the scores of all heads and queries involved are integers over
 * one denominator D, so with y = e^{1/D} every entry of an output, or of a difference of two,
 * is
 *
 *     constant_c + sum over groups g of N_gc(y) / Z_g(y)
 *
 * with polynomials in y; and y is transcendental, so this field is Q(y) with y a variable.
 * Fractions with proportional denominators share a group, and constant fractions are added
 * to the constant: terms that cancel between heads or queries cancel here, and no group is
 * left if two outputs agree term by term. */
#ifndef ATTEST_CERTIFY_SOFTMAX_SUM_H
#define ATTEST_CERTIFY_SOFTMAX_SUM_H

#include "theory/contextual.h"
#include <attest/weights.h>

/* N_c / Z: Z = sum of z[i] y^exponent[i], N_c = sum of n[i*dim + c] y^exponent[i]. Exponents
 * ascend from 0; the z are integers without a common factor, the first and the last that is not
 * 0 are such that Z > 0 for all y > 0. Before reduction all z are positive. */
typedef struct attest_softmax_group {
    size_t terms;
    fmpz *exponent;
    fmpz *z;
    fmpq *n; /* terms * dim */
} attest_softmax_group;

typedef struct attest_softmax_sum {
    size_t dim;
    fmpq *constant; /* dim */
    size_t groups, room;
    attest_softmax_group *group;
    /* Until the sum is finished, exponents are scores with denominators: */
    fmpz_t denominator; /* D, a common denominator of the scores so far */
    fmpq_t unit;        /* finished: y = e^unit, unit > 0 */
} attest_softmax_sum;

/* The zero vector. */
void attest_softmax_sum_init(attest_softmax_sum *sum, size_t dim);
void attest_softmax_sum_clear(attest_softmax_sum *sum);

/* sum += sign * (output at the context), sign = 1 or -1. Domain: softmax weights; not finished.
 * Exact. Status: NOMEM. */
attest_status attest_softmax_sum_add(attest_softmax_sum *sum, int sign,
                                     const attest_weights *weights,
                                     const attest_dataset *dataset,
                                     const attest_context *context,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Divides all exponents by their greatest common divisor, joins groups, removes those that
 * vanish. */
void attest_softmax_sum_finish(attest_softmax_sum *sum);

/* Reduces every fraction N_c / Z by its greatest common divisor and joins fractions with
 * equal denominators, until nothing changes. Fractions whose degree, divided by the greatest
 * common divisor of their exponents, exceeds ATTEST_SOFTMAX_DEGREE are left as they are.
 * Domain: a finished sum. Exact; the sum keeps its value. Status: NOMEM. Cost: groups * dim
 * greatest common divisors of polynomials. */
#define ATTEST_SOFTMAX_DEGREE 20000
attest_status attest_softmax_sum_reduce(attest_softmax_sum *sum,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Returns 1 if the sum is proved to be the zero vector, 0 if it is not, or -1 if the degrees
 * are too large. Fractions whose denominators share factors are added until all denominators
 * are coprime. Domain: a reduced sum. */
int attest_softmax_sum_vanishes(const attest_softmax_sum *sum);

#endif
