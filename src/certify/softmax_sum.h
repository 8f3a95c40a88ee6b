/* softmax_sum.h -- softmax outputs, and differences of them, as elements of a field; whether
 * they are 0, and the signs of their squares.
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

#include <attest/weights.h>

#include "theory/contextual.h"

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

/* The zero test (proofs-notes/zero_test.md).
 *
 * An element of Q(y), y = e^{1/D} transcendental, vanishes iff the polynomial over its common
 * denominator is zero. A nonzero value modulo a prime disproves that at once, for sums of any
 * size. It is proved by reduced fractions over coprime denominators, or, if the degrees are too
 * large for that, by multiplying out. */

typedef enum attest_zero_answer {
    ATTEST_ZERO_EQUAL = 0,
    ATTEST_ZERO_DIFFERENT,
    ATTEST_ZERO_UNABLE /* no difference modulo primes, and more than max_terms for a proof */
} attest_zero_answer;

/* Decides |sum|^2 = target, target >= 0; may reduce the sum, whose value stays the same.
 * Products of more than max_terms terms are not formed, except for two denominators and
 * target 0 (one head), where there are at most as many terms as pairs of keys. Domain: a
 * finished sum. Status: NOMEM. Cost: O(groups terms dim) if they differ; else groups dim
 * greatest common divisors, and one for each pair of groups whose denominators still differ;
 * for target > 0 then the square of the product of the numbers of terms. */
attest_status attest_zero_test(attest_zero_answer *answer, attest_softmax_sum *sum,
                               const fmpq_t target, size_t max_terms,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* How the square of a softmax sum compares with a rational, at any magnitude
 * (proofs-notes/zero_test.md, "The sign").
 *
 * Over the product of the denominators |sum|^2 - target is a polynomial in w = e^{-unit} < 1.
 * Its sign is that of the factor that remains when the leading power of w is taken out. Terms
 * far beyond the leading ones are omitted and bounded, so that not all products need to be
 * formed. */

/* The limits of a comparison. */
typedef struct attest_softmax_limits {
    long bits;    /* of balls */
    size_t terms; /* of one product */
    double *work; /* the work that is left for products, reduced by them
                     (attention/head_plan.h); NULL: no limit */
} attest_softmax_limits;

/* The limit that was met, if any. */
typedef enum attest_softmax_cap {
    ATTEST_SOFTMAX_NO_CAP = 0,
    ATTEST_SOFTMAX_CAP_BITS,
    ATTEST_SOFTMAX_CAP_TERMS,
    ATTEST_SOFTMAX_CAP_WORK
} attest_softmax_cap;

/* *sign = the proved sign of |sum|^2 - target, target >= 0, unless a limit is returned.
 * Domain: a finished sum. Cost: the products with leading exponents, at worst all products. */
attest_softmax_cap attest_softmax_sign(int *sign, const attest_softmax_sum *sum,
                                       const fmpq_t target,
                                       const attest_softmax_limits *limits);

/* Encloses |sum|^2 with a relative accuracy of bits at any magnitude, exactly 0 if it is 0,
 * unless a limit is returned. */
attest_softmax_cap attest_softmax_enclose(arb_t square, const attest_softmax_sum *sum,
                                          long bits, const attest_softmax_limits *limits);

/* Returns 1 if |sum|^2 = target, 0 if not, or -1 if a product has too many terms. Multiplies
 * out everything. */
int attest_softmax_series_vanishes(const attest_softmax_sum *sum, const fmpq_t target);

#endif
