/* matrix_unit.h -- a block of products and an addend, as the matrix units of GPUs sum them.
 *
 * proofs-notes/judge-kernels.md, "Matrix unit". The exponent of a number x is
 * max(floor(log2|x|), emin of its format), that of a product the sum of both. E is the largest
 * exponent of the terms that are not 0. Every term is cut toward zero to a multiple of
 * 2^(E-fraction), the sum is exact, and it is rounded once: toward zero to binary32, to
 * fraction bits after the first if those are fewer than 23, or to nearest to binary16. */
#ifndef ATTEST_JUDGE_MATRIX_UNIT_H
#define ATTEST_JUDGE_MATRIX_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "judge/loops.h"
#include "format/simulate_in_double.h"

typedef struct attest_judge_unit {
    int a_bits, a_emin, b_bits, b_emin; /* the formats of the factors */
    int fraction;
    int least;                       /* E counts as at least this; init: there is no such */
    bool half;                       /* the result is binary16 */
    attest_in_double result;         /* binary16 */
    struct judge_loops_unit columns; /* for results of binary32, many sums at once */
} attest_judge_unit;

/* Whether the unit can be had: factors of at most 25 bits, the result binary32 or binary16, and
 * a block that 64 bits can sum. */
bool attest_judge_unit_fits(const attest_format *a, const attest_format *b,
                            const attest_format *result, size_t block, size_t fraction);

/* Domain: it fits. */
void attest_judge_unit_init(attest_judge_unit *unit, const attest_format *a,
                            const attest_format *b, const attest_format *result,
                            size_t fraction);

/* The products a[i] b[i stride] of a block. */
typedef struct attest_judge_block {
    const double *a, *b;
    size_t stride, count;
} attest_judge_block;

/* addend + the products. Domain: count is at most that of the unit; all are numbers of the
 * unit's formats. Where a factor a or the addend is not finite the result is not, either. */
double attest_judge_unit_sum(double addend, const attest_judge_block *block,
                             const attest_judge_unit *unit);

/* Whether many sums can be formed at once. */
bool attest_judge_unit_has_columns(const attest_judge_unit *unit);

/* o[c] += the products of a with column c of b, the columns side by side. Domain: it has
 * columns. */
void attest_judge_unit_add_columns(double *o, const attest_judge_block *block, size_t columns,
                                   const attest_judge_unit *unit);

#endif
