/* The constants of the running error bound, which are defined only here: the C code includes
 * this file, and the proof scripts read its "#define NAME hex-float" lines. They are derived in
 * proofs-notes/kernel-error.md. */
#ifndef ATTEST_KERNEL_BOUND_CONSTANTS_H
#define ATTEST_KERNEL_BOUND_CONSTANTS_H

/* The unit roundoff. */
#define ATTEST_BOUND_UNIT 0x1p-53
/* Covers every second-order term for sizes below the limit. */
#define ATTEST_BOUND_SLACK 0x1.00004p+0
#define ATTEST_BOUND_SIZE_LIMIT 0x1p+30

/* Squares of norms start at this value, which covers squares lost to underflow. */
#define ATTEST_BOUND_SQUARE_FLOOR 0x1p-960
/* Squares of norms of values in this range bound the norm after a square root; others go to
 * attest_bound_norm. */
#define ATTEST_BOUND_SQUARE_MIN 0x1p-900
#define ATTEST_BOUND_SQUARE_MAX 0x1p+900

/* x r times this is at least x^(1/2), where r is what vector_inverse_root makes of x by the
 * word below (step 9). */
#define ATTEST_BOUND_ROOT 0x1.0c8p+0
/* A bit pattern, not a number: no proof script reads it. */
#define ATTEST_ROOT_WORD 0x5fe6eb50c7b537a9

/* C = 1 + this + ... (step 2): covers the rounding of Z. */
#define ATTEST_BOUND_PEAK_SLACK 0x1p-18
/* C = ... + this times delta (step 2). */
#define ATTEST_BOUND_PEAK_DELTA 0x1p+4

/* The bound by weights (step 7) holds where delta^2 is at most this. */
#define ATTEST_BOUND_SHARP_DELTA_SQUARE 0x1p-42
/* The errors a of sums of values and b of sums of weights: a + b <= (3/2 a^2 + 3 b^2)^1/2, one
 * square root instead of two. */
#define ATTEST_BOUND_SHARP_VALUE 0x1.8p+0
#define ATTEST_BOUND_SHARP_OUT 0x1.8p+1

/* The bound by singular values (step 8): the most keys, the range of the sum of the squares of
 * the norms of the values, and what o(t) may be away from the output, per unit of [|v|^2]^1/2.
 */
#define ATTEST_BOUND_SPECTRAL_SIZE 0x1p+16
#define ATTEST_BOUND_SPECTRAL_MIN 0x1p-200
#define ATTEST_BOUND_SPECTRAL_MAX 0x1p+200
#define ATTEST_BOUND_SPECTRAL_AWAY 0x1p-19

/* A key whose score is more than this times delta below the largest loses (step 6); delta
 * bounds the rounding of a score. The first for the kernel's own scores, the second for a
 * second look with other roundings. */
#define ATTEST_BOUND_MARGIN 0x1p+2
#define ATTEST_BOUND_MARGIN_AGAIN 0x1p+3
/* Added to delta: the underflow of products (step 6). Not subnormal: that would be slow. */
#define ATTEST_BOUND_SCORE_FLOOR 0x1p-1020

#endif
