/* softmax_sign.h -- how the square of a softmax sum compares with a rational, at any magnitude
 * (proofs-notes/zero_test.md, "The sign").
 *
 * Over the product of the denominators |sum|^2 - target is a polynomial in w = e^{-unit} < 1.
 * Its sign is that of the factor that remains when the leading power of w is taken out. Terms
 * far beyond the leading ones are omitted and bounded, so that not all products need to be
 * formed. */
#ifndef ATTEST_CERTIFY_SOFTMAX_SIGN_H
#define ATTEST_CERTIFY_SOFTMAX_SIGN_H

#include "certify/zero_test.h"

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
