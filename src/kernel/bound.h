/* bound.h -- the running error bound of attention. Derivation: proofs-notes/kernel-error.md;
 * the numbers (1), (2), ... are its steps.
 *
 * By norms: a softmax row that sees m keys is within
 *
 *     V (S + fixed),   S = delta C,   delta = dot |q|_w |k|_w,
 *     C = min(1, 4 (Z - 1) + 2^-18 + 16 delta)
 *
 * of the exact result. V bounds the norms of the values; Z is the computed denominator, whose
 * largest term is exactly 1; |k|_w is the largest weighted norm of a key,
 * |x|_w^2 = sum_c w_c x_c^2, where w_c is the number of roundings that the c-th term of a dot
 * product passes: d - c for a chain of fused multiply-adds, one more for multiply and add,
 * fewer where several chains are added up.
 *
 * By weights, sharper and only for longer rows, where its sums cost little: within
 *
 *     unit ((score |q|_w^2 [|k|_w^2] + weight) ([|v|^2] - |out|^2))^1/2
 *         + unit (3/2 [g^2 |v|^2] + out |out|^2)^1/2,
 *
 * where [.] is the mean over the keys with the computed weights, and g_j the number of
 * roundings that the j-th product passes in the weighted sum of values (7).
 *
 * By singular values, for sequences that are four times as long as their tokens: both parts of
 * the bound by weights may be smaller where the values spread in all directions (8). */
#ifndef ATTEST_KERNEL_BOUND_H
#define ATTEST_KERNEL_BOUND_H

#include <stddef.h>

#include "kernel/bound_constants.h"
#include "kernel/kernel.h"

struct bound_terms {
    double dot;   /* delta per unit of |q|_w |k|_w: the rounding of a dot product (1) */
    double fixed; /* everything that does not depend on the data (3), (4) */
    /* Only of the bound by weights (7): */
    double unit;   /* one rounding */
    double score;  /* 1 + t, for a + b <= ((1 + t) a^2 + (1 + 1/t) b^2)^1/2 */
    double weight; /* the logarithm of a weight, beside its score: the square by 1 + 1/t */
    double out;    /* sum of weights, reciprocal, product: the square by 3 */
    double cancel; /* the rounding of [|v|^2] - |out|^2, per unit of [|v|^2] */
    /* Only of the bound by singular values (8): */
    double sum_depth;   /* those of the denominator, of its reciprocal, and of a product */
    double value_depth; /* the roundings of a term of the weighted sum, at most */
    double value_sums;  /* all roundings of an entry of the weighted sum, at most */
};

/* For rows of d entries over at most m keys, where each term passes at most sum_depth roundings
 * on its way into Z and value_depth into the weighted sum of values. +inf for sizes that the
 * derivation does not cover (2^30 and more). */
struct bound_terms attest_bound_terms(size_t d, size_t m, size_t sum_depth, size_t value_depth);

/* The bound of one row: squares of the weighted norms of q and of the largest key, norm of the
 * largest value, denominator. +inf when anything is not finite. */
double attest_bound_row(struct bound_terms terms, double q_square, double key_square,
                        double value_norm, double denominator);

/* At least the norm of x, for every x; 0 only for x = 0; +inf when x is not finite. Enough is
 * added for the underflow of sums of m terms (5), and +inf is returned when they may overflow.
 */
double attest_bound_norm(const double *x, size_t d, size_t m);

/* At least |x|_w^2 for dot products by multiply and add, at least ATTEST_BOUND_SQUARE_FLOOR. */
double attest_bound_square(const double *x, size_t d);

/* The rounding of a score of a hardmax row, underflow included, from the squares of the
 * weighted norms of q and of the largest key (6). */
double attest_bound_delta(struct bound_terms terms, double q_square, double key_square);

/* The bound of a hardmax row that sees m keys: 0 where one key wins for certain, small for a
 * proved tie, else +inf. delta bounds the rounding of each score of the kernel, and 2 delta
 * that of a score by multiply and add (6). Scores are computed anew, so this holds for the
 * output of every kernel. */
double attest_bound_hardmax(const double *q, const double *k, const double *v, size_t m,
                            size_t d, double delta);

#endif
