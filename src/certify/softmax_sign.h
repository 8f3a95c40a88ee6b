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

/* *sign = that of |sum|^2 - target, target >= 0, as proved; false where more than
 * ATTEST_ZERO_TEST_TERMS terms or max_bits bits would be needed. Domain: a finished sum. Cost:
 * the terms whose exponents lie within the leading ones, at worst all products. */
bool attest_softmax_sign(int *sign, const attest_softmax_sum *sum, const fmpq_t target,
                         long max_bits);

/* Encloses |sum|^2 with a relative accuracy of bits, whatever its magnitude; exactly 0 where it
 * is 0. False as above. */
bool attest_softmax_enclose(arb_t square, const attest_softmax_sum *sum, long bits,
                            long max_bits);

#endif
