/* near.h -- which points of two blocks may be near each other, in floats.
 *
 * Pairs that are far apart are excluded at the speed of a matrix product: |x - y|^2 <= L iff
 * x.y >= (|x|^2 + |y|^2 - L)/2, and the caller puts all errors into the right side
 * (proofs-notes/closest_pair.md). */
#ifndef ATTEST_GEOMETRY_NEAR_H
#define ATTEST_GEOMETRY_NEAR_H

#include <stddef.h>
#include <stdint.h>

enum { ATTEST_NEAR = 64 }; /* points of a block */

/* Bit j of hit[i] is set unless p < alpha[i] + beta[j], the sum rounded to nearest and p the
 * computed product of column i of a and column j of b: |p - sum_c a_c b_c| <= (dim + 1) 2^-24
 * (1 + 2^-10) sum_c |a_c b_c| + dim 2^-148. a and b have dim rows of ATTEST_NEAR entries.
 * Domain: finite entries, products and sums; dim < 2^13. */
void attest_near_block(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
                       const float alpha[ATTEST_NEAR], const float beta[ATTEST_NEAR]);

/* The implementations for one instruction set. */
void attest_near_block_avx2(uint64_t hit[ATTEST_NEAR], const float *a, const float *b,
                            size_t dim, const float alpha[ATTEST_NEAR],
                            const float beta[ATTEST_NEAR]);
void attest_near_block_avx512(uint64_t hit[ATTEST_NEAR], const float *a, const float *b,
                              size_t dim, const float alpha[ATTEST_NEAR],
                              const float beta[ATTEST_NEAR]);

#endif
