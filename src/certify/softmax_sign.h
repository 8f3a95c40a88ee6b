/* softmax_sign.h -- how the square of a softmax sum compares with a rational, at any magnitude
 * (proofs-notes/zero_test.md, "The sign").
 *
 * Over the product of the denominators |sum|^2 - target is a polynomial in w = e^{-unit} < 1.
 * Its sign is that of the factor which is left when the leading power of w is taken out; terms
 * far behind it are left out, with a bound, so that the powers that decide need not be near
 * each other, and not all of them need be multiplied out. */
#ifndef ATTEST_CERTIFY_SOFTMAX_SIGN_H
#define ATTEST_CERTIFY_SOFTMAX_SIGN_H

#include "certify/zero_test.h"

/* How far a comparison may go. */
typedef struct attest_softmax_limits {
    long bits;    /* of balls */
    size_t terms; /* to multiply out at once */
    double *work; /* what products may take, taken from it (attention/work.h); NULL: any */
} attest_softmax_limits;

/* Which of them was met, if any. */
typedef enum attest_softmax_cap {
    ATTEST_SOFTMAX_NO_CAP = 0,
    ATTEST_SOFTMAX_CAP_BITS,
    ATTEST_SOFTMAX_CAP_TERMS,
    ATTEST_SOFTMAX_CAP_WORK
} attest_softmax_cap;

/* *sign = that of |sum|^2 - target, target >= 0, as proved, unless a cap is returned. Domain: a
 * finished sum. Cost: the terms whose exponents lie within the leading ones, at worst all
 * products. */
attest_softmax_cap attest_softmax_sign(int *sign, const attest_softmax_sum *sum,
                                       const fmpq_t target,
                                       const attest_softmax_limits *limits);

/* Encloses |sum|^2 with a relative accuracy of bits, whatever its magnitude; exactly 0 where it
 * is 0; unless a cap is returned. */
attest_softmax_cap attest_softmax_enclose(arb_t square, const attest_softmax_sum *sum,
                                          long bits, const attest_softmax_limits *limits);

/* Whether |sum|^2 = target, by multiplying out with nothing cut off: 1 or 0, or -1 where a
 * product has too many terms. */
int attest_softmax_series_vanishes(const attest_softmax_sum *sum, const fmpq_t target);

#endif
