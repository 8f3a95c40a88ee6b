/* arithmetic.h -- rounding errors of a format, of sums in it and of exp; doubles rounded
 * outward.
 *
 * The bounds are sums of products of numbers >= 0, so that a few roundings of binary64 change
 * them by a few units in the last place. ATTEST_JUDGE_UP covers up to 2^12 roundings; code that
 * adds more states it (proofs-notes/judge.md, "Evaluation"). */
#ifndef ATTEST_JUDGE_ARITHMETIC_H
#define ATTEST_JUDGE_ARITHMETIC_H

#include <stdbool.h>

#include <attest/flint.h>
#include <attest/format.h>

#include "base/term.h"
#include "format/simulate_in_double.h"
#include "judge/loops.h"
#include "judge/model.h"

#define ATTEST_JUDGE_UP (1 + ATTEST_TERM(evaluation_up, 0x1p-40))
#define ATTEST_JUDGE_DOWN (1 - ATTEST_TERM(evaluation_down, 0x1p-40))

/* An operation to nearest errs by at most u |result| + least. */
typedef struct attest_judge_arithmetic {
    double u;     /* 2^-p */
    double least; /* the least normal number where an implementation may flush smaller results,
                     as with the exponents of binary32; else the least number */
    double quantum; /* the least number; 0: exponents are unbounded */
    double limit;   /* an exact result below it in magnitude does not overflow */
    attest_in_double in_double;
} attest_judge_arithmetic;

/* Domain: attest_in_double_fits. */
void attest_judge_arithmetic_init(attest_judge_arithmetic *unit, const attest_format *format);

/* Whether the limit, half a unit above the largest number, still rounds to the largest number:
 * its significand is even. */
bool attest_judge_arithmetic_includes_limit(const attest_format *format);

/* The parameters of the format for the loops of loops.h; flush: results below the least normal
 * number become 0. Domain: not plain. */
struct judge_loops_format attest_judge_arithmetic_get_format(const attest_in_double *h,
                                                             bool flush);

/* At least (1 + u)^n - 1. */
double attest_judge_grow(double u, double n);

/* At least e^x and at most e^x, x finite. */
double attest_judge_exp_up(double x);
double attest_judge_exp_down(double x);

/* ---- (1): errors of computed sums of products. size: at least the sum of the absolute values
 * of the terms; most: at least the absolute value of every partial sum, in any order.
 * judge_loops.sum_errors evaluates them ---- */

/* A tree of roundings: the smaller of size_part size + most_part most + rest and, where a depth
 * is known, deep_size size + deep_rest. A matrix unit: Lemma 2 with terms, blocks, raised,
 * least, cut, kept, where groups are added with what their additions lose; then the smaller of
 * that and promoted_size size + promoted_most most + promoted_rest. */
typedef struct judge_loops_sum attest_judge_sum_error;

/* For sums of terms products in blocks of a matrix unit. raised: the value that a product with
 * a subnormal factor has when a matrix unit aligns it; 0: no such product. rescales: the
 * most products with a rounded factor that a term passes. */
void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales);

/* The same if dot->promote_tiles groups tiles whose products are summed from 0. tile: keys of a
 * tile; 0: any number. Call it after init. */
void attest_judge_sum_error_group(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                  const attest_judge_arithmetic *unit, size_t tile);

/* ---- exp and exp2 with the error that a kernel model allows; directed rounding ---- */

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

#endif
