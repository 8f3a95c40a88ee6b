/* exp2_polynomial.h -- exp2 in binary32 by a polynomial of the fraction, as kernels compute it
 * on GPUs with few exponential units.
 *
 * x = max(x, -127); j = floor(x); f = fl(x - j); r = c_n; r = fma(r, f, c_i), i = n-1 .. 0; the
 * result is r with j added to the bits of its exponent.
 *
 * proofs-notes/interval_run.md, "exp2 by a polynomial". */
#ifndef ATTEST_FORMAT_EXP2_POLYNOMIAL_H
#define ATTEST_FORMAT_EXP2_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>

enum { ATTEST_EXP2_COEFFICIENTS = 8 };

typedef struct attest_exp2_polynomial {
    size_t count;                                 /* number of coefficients; 0: no polynomial */
    double coefficient[ATTEST_EXP2_COEFFICIENTS]; /* the constant first; numbers of binary32 */
} attest_exp2_polynomial;

/* The result, bit by bit. Domain: binary32 numbers; NaN stays NaN. It is nondecreasing in x up
 * to 128. */
double attest_exp2_polynomial_eval(const attest_exp2_polynomial *polynomial, double x);

/* A proved bound on the relative error for -126 <= x < 128; below, the result is in [0,
 * 2^-126]. Infinite where the coefficients are not numbers >= 0 of binary32 with the first one
 * 1, or where a result could leave [1, 2). */
double attest_exp2_polynomial_bound(const attest_exp2_polynomial *polynomial);

#endif
