/* exp_range.h -- intervals of the values that a kernel may return for exp and exp2, and
 * rounding of real numbers to a format. */
#ifndef ATTEST_JUDGE_EXP_RANGE_H
#define ATTEST_JUDGE_EXP_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

#include "format/simulate_in_double.h"

/* *lo <= e^x <= *hi, or 2^x for base_two. Both are exact for e^0, and for 2^x with a whole x,
 * |x| < 700. Domain: x is not NaN. */
void attest_judge_exp_enclose(double *lo, double *hi, double x, bool base_two);

/* The results that a kernel may return for e^x, or 2^x: the numbers of the format from lo to
 * hi; nearest is the correctly rounded result. Let S be the set of numbers y of the format with
 * |y - e^x| <= error e^x. outer: lo and hi enclose S; otherwise all numbers of the format
 * between lo and hi are in S. In both cases, where (1 - error) e^x is below 2^-126, lo = 0 and
 * hi is at least 2^-126, and e^0 is exactly 1. Domain: error is at least the unit roundoff of
 * the format. NaN gives NaN. */
typedef struct attest_judge_exponential {
    double lo, nearest, hi;
} attest_judge_exponential;

void attest_judge_exp_range(attest_judge_exponential *y, double x, bool base_two, double error,
                            bool outer, const attest_in_double *h);

/* Returns e^x or 2^x, correctly rounded; NaN for NaN. */
double attest_judge_exp_nearest(double x, bool base_two, const attest_in_double *h);

/* Return the largest number of the format that is at most x, and the least that is at least x.
 * An x above the largest number M of the format gives M rounded down, and infinity rounded up;
 * -x likewise. Infinities stay. */
double attest_judge_round_down(double x, const attest_in_double *h);
double attest_judge_round_up(double x, const attest_in_double *h);

/* Returns the real number that refine encloses, correctly rounded to the format. Calls refine
 * with more and more bits until all numbers of the ball round to the same result. Domain: a
 * number halfway between two neighbours of the format is enclosed exactly. */
typedef void attest_judge_refine(arb_t value, void *context, slong bits);
double attest_judge_round_real(attest_judge_refine *refine, void *context,
                               const attest_in_double *h);

/* ---- exp2 in binary32 by a polynomial in the fractional part, as computed on GPUs with few
 * exponential units ----
 *
 * The operations: x = max(x, -127); j = floor(x); f = fl(x - j); r = c_n; then r = fma(r, f,
 * c_i) for i = n-1, ..., 0. The result is r with j added to its exponent bits
 * (proofs-notes/interval_run.md, "exp2 by a polynomial"). */

enum { ATTEST_EXP2_COEFFICIENTS = 8 };

typedef struct attest_exp2_polynomial {
    size_t count;                                 /* number of coefficients; 0: no polynomial */
    double coefficient[ATTEST_EXP2_COEFFICIENTS]; /* c_0 first; binary32 numbers */
} attest_exp2_polynomial;

/* Returns the result of these operations, the same bits as in a kernel; nondecreasing for x <=
 * 128. NaN gives NaN. Domain: x is a binary32 number, count >= 1. */
double attest_exp2_polynomial_eval(const attest_exp2_polynomial *polynomial, double x);

/* Returns a proved bound on the relative error for -126 <= x < 128; for x < -126 the result is
 * in [0, 2^-126]. Returns infinity unless c_0 = 1, all c_i are binary32 numbers >= 0, and r is
 * proved to stay in [1, 2). */
double attest_exp2_polynomial_bound(const attest_exp2_polynomial *polynomial);

#endif
