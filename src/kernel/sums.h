/* sums.h -- many sums of products at once, every operation rounded to a small format whose
 * numbers are doubles (format/simulate_in_double.h): most of the time of simulated kernels and
 * audits is spent here.
 *
 * Every lane does what attest_in_double_nearest does; the results of all kernels are the same
 * to the bit. proofs-notes/audit.md, "Vectors". */
#ifndef ATTEST_KERNEL_SUMS_H
#define ATTEST_KERNEL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How results are rounded to nearest. */
enum kernel_rounding_way {
    KERNEL_ROUND_NOT,     /* the format is binary64 */
    KERNEL_ROUND_SINGLE,  /* binary32, which the hardware has */
    KERNEL_ROUND_FLUSHED, /* binary32, and some results below tiny become 0 */
    KERNEL_ROUND,         /* bounded exponents */
    KERNEL_ROUND_SPECIAL, /* and no NaN, or no -0 */
    KERNEL_ROUND_WATCHED /* unbounded: reports results outside least..most, and those that are 0
                          * only because doubles underflow */
};

struct kernel_rounding {
    enum kernel_rounding_way way;
    int shift; /* the number of bits that are rounded away */
    double tiny, magic, least, most,
        overflow;                        /* as in struct attest_in_double; overflow >= 0 */
    bool no_nan, no_minus_zero;          /* the format has no NaN, no -0 */
    bool flush_positive, flush_negative; /* results below tiny that become 0 */
};

/* y[r], or 0, + sum over c of m[c stride + r] x[c], from the first term to the last. */
struct kernel_sums {
    const double *m;
    size_t rows, cols;
    ptrdiff_t stride;
    const double *x;      /* the factors of positive numbers of m, and of 0 */
    const double *x_else; /* the factors of negative ones */
    bool started;         /* the first product is added to y[r], too */
};

/* Computes the first sums, as many as fill vectors, and returns their number. Sets *outside if
 * a result is outside least..most and rounding->way is KERNEL_ROUND_WATCHED. */
size_t attest_kernel_sums(double *y, const struct kernel_sums *sums,
                          const struct kernel_rounding *rounding, bool *outside);

/* The implementations. */
size_t attest_scalar_sums(double *y, const struct kernel_sums *sums,
                          const struct kernel_rounding *rounding, bool *outside);
size_t attest_avx2_sums(double *y, const struct kernel_sums *sums,
                        const struct kernel_rounding *rounding, bool *outside);
size_t attest_avx512_sums(double *y, const struct kernel_sums *sums,
                          const struct kernel_rounding *rounding, bool *outside);

#endif
