/* arithmetic.h -- a floating-point arithmetic as the bounds see it, and doubles rounded
 * outward.
 *
 * The bounds are sums of products of numbers >= 0, so that a few roundings of binary64 change
 * them by a few units in the last place. ATTEST_JUDGE_UP covers up to 2^12 of them; where more
 * are added the code says so (proofs-notes/judge.md, "Evaluation"). */
#ifndef ATTEST_JUDGE_ARITHMETIC_H
#define ATTEST_JUDGE_ARITHMETIC_H

#include <stdbool.h>

#include <attest/format.h>

#include "base/term.h"
#include "judge/loops.h"
#include "format/simulate_in_double.h"

#define ATTEST_JUDGE_UP (1 + ATTEST_TERM(evaluation_up, 0x1p-40))
#define ATTEST_JUDGE_DOWN (1 - ATTEST_TERM(evaluation_down, 0x1p-40))

/* An operation to nearest errs by at most u |result| + least. */
typedef struct attest_judge_arithmetic {
    double u;     /* 2^-p */
    double least; /* the least normal number where an implementation may flush what is below it,
                   * as it may with the exponents of binary32; else the least number */
    double quantum; /* the least number; 0: exponents are unbounded */
    double limit;   /* an exact result below it in magnitude does not overflow */
    attest_in_double hosted;
} attest_judge_arithmetic;

/* Domain: doubles host the format. */
void attest_judge_arithmetic_init(attest_judge_arithmetic *unit, const attest_format *format);

/* Whether the limit itself, half a unit above the largest number, still rounds to that: its
 * significand is even. */
bool attest_judge_arithmetic_includes_limit(const attest_format *format);

/* The format as src/kernel rounds to it; flush: results below the least normal number become 0.
 * Domain: not plain. */
struct judge_loops_format attest_judge_arithmetic_get_format(const attest_in_double *h,
                                                             bool flush);

/* At least (1 + u)^n - 1. */
double attest_judge_grow(double u, double n);

/* At least e^x and at most e^x, x finite. */
double attest_judge_exp_up(double x);
double attest_judge_exp_down(double x);

#endif
