/* exponential.h -- exp and exp2 with the error that a kernel model allows, and rounding to a
 * side. */
#ifndef ATTEST_JUDGE_EXPONENTIAL_H
#define ATTEST_JUDGE_EXPONENTIAL_H

#include <attest/flint.h>

#include "format/simulate_in_double.h"

/* *lo <= e^x <= *hi, with two: 2^x. Domain: x is not NaN. Both are exact where the result is a
 * power of two that is known as one: e^0, 2^integer. */
void attest_judge_exp_enclose(double *lo, double *hi, double x, bool two);

/* What a kernel's exponential may be: a number of the format from lo to hi, where nearest is
 * the correctly rounded one. error is at least the unit roundoff. outer: lo and hi hold every
 * number y of the format with |y - e^x| <= error e^x; else every number between them is such a
 * y. Where (1 - error) e^x is below 2^-126, lo = 0 and hi is at least 2^-126. e^0 is 1. */
typedef struct attest_judge_exponential {
    double lo, nearest, hi;
} attest_judge_exponential;

void attest_judge_exp_range(attest_judge_exponential *y, double x, bool two, double error,
                            bool outer, const attest_in_double *h);

/* e^x or 2^x, correctly rounded. */
double attest_judge_exp_nearest(double x, bool two, const attest_in_double *h);

/* The largest number of the format that is at most x, the least that is at least x. Domain: x
 * is finite, or infinite and stays so; beyond the largest number: that one, or infinity. */
double attest_judge_round_down(double x, const attest_in_double *h);
double attest_judge_round_up(double x, const attest_in_double *h);

/* The real number in the ball, correctly rounded to the format; bits more than the ball has are
 * asked of refine. Domain: the number is no midpoint of two numbers unless the ball is exact.
 */
typedef void attest_judge_refine(arb_t value, void *context, slong bits);
double attest_judge_round_real(attest_judge_refine *refine, void *context,
                               const attest_in_double *h);

#endif
