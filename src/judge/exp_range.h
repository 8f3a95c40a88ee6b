/* exp_range.h -- the values that exp and exp2 may have in a kernel; real numbers and doubles
 * rounded to a format. */
#ifndef ATTEST_JUDGE_EXP_RANGE_H
#define ATTEST_JUDGE_EXP_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

#include "format/simulate_in_double.h"

/* *lo <= e^x <= *hi, or with two: 2^x. Domain: x is not NaN. Both are exact for e^0 and
 * 2^integer. */
void attest_judge_exp_enclose(double *lo, double *hi, double x, bool two);

/* The exponentials that a kernel may return: a number of the format from lo to hi, where
 * nearest is the correctly rounded one. error is at least the unit roundoff. outer: lo and hi
 * enclose every number y of the format with |y - e^x| <= error e^x; else every number between
 * them is such a y. Where (1 - error) e^x is below 2^-126, lo = 0 and hi is at least 2^-126.
 * e^0 is 1. */
typedef struct attest_judge_exponential {
    double lo, nearest, hi;
} attest_judge_exponential;

void attest_judge_exp_range(attest_judge_exponential *y, double x, bool two, double error,
                            bool outer, const attest_in_double *h);

/* e^x or 2^x, correctly rounded. */
double attest_judge_exp_nearest(double x, bool two, const attest_in_double *h);

/* The largest number of the format that is at most x, and the least that is at least x. Beyond
 * the largest number of the format: that number, or infinity; infinities stay. */
double attest_judge_round_down(double x, const attest_in_double *h);
double attest_judge_round_up(double x, const attest_in_double *h);

/* The real number that refine encloses, correctly rounded to the format. refine is called with
 * more bits until the result is known. Domain: the number is not the midpoint of two numbers
 * unless the ball is exact. */
typedef void attest_judge_refine(arb_t value, void *context, slong bits);
double attest_judge_round_real(attest_judge_refine *refine, void *context,
                               const attest_in_double *h);

/* ---- exp2 in binary32 by a polynomial of the fraction, as kernels compute it on GPUs with few
 * exponential units ----
 *
 * x = max(x, -127); j = floor(x); f = fl(x - j); r = c_n; r = fma(r, f, c_i), i = n-1 .. 0; the
 * result is r with j added to the bits of its exponent.
 *
 * proofs-notes/interval_run.md, "exp2 by a polynomial". */

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
