/* kernel.h -- attention in hardware doubles, fast, with a rigorous error bound.
 *
 * All matrices are row-major and packed: entry c of row i of batch entry b of q is
 * q[(b*n + i)*d + c], and likewise k, v and out. No alignment is demanded. The floating-point
 * environment must round to nearest and keep subnormals, as every C program starts.
 *
 * Results depend on the values alone: not on the batch size, the place in the batch or the
 * alignment. All kernels give the same exponentials to the bit, and those with vectors the same
 * attention; from that of the scalar kernel it differs by no more than the sum of the error
 * bounds.
 *
 * Aliasing: outputs may not overlap inputs, except that y may equal x in attest_kernel_exp. */
#ifndef ATTEST_KERNEL_H
#define ATTEST_KERNEL_H

#include <stddef.h>

#include <attest/export.h>
#include <attest/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* |attest_kernel_exp - exp| in ulps of the exact value, over the whole range; an ulp is that of
 * the binade of the exact value, and 2^-1074 below 2^-1022. Proved: proofs-notes/kernel-exp.md.
 * The largest error measured over 10^8 points is smaller; proofs-notes/kernel-exp.md has it. */
#define ATTEST_KERNEL_EXP_ULP 0.60

/* y[i] = exp(x[i]), i < count.
 * Domain: every double. exp(NaN) is NaN, exp(+inf) = +inf, exp(-inf) = 0, exp(0) = 1; overflow
 * gives +inf, results below 2^-1022 are rounded once, to a multiple of 2^-1074.
 * Error: at most ATTEST_KERNEL_EXP_ULP ulp. */
ATTEST_API void attest_kernel_exp(double *y, const double *x, size_t count);

/* For every batch entry: out = softmax(q k^T) v, row i being
 *     sum_j e^(s_ij) v_j / sum_j e^(s_ij),   s_ij = sum_c q_ic k_jc.
 * Domain: n, d >= 1; batch may be 0. There is no 1/sqrt(d): scale q.
 * Error: error[b*n + i] is at least the Euclidean distance between row i of out and the exact
 * real result for these doubles, by proofs-notes/kernel-error.md; +inf where an input is not
 * finite or the arithmetic overflowed. error may be NULL; out is the same with and without it.
 * Cost: n^2 (2 d + about 20) operations per batch entry, and scratch memory of about
 * 2 n d + 32 n doubles unless n, d <= 16 and n d <= 128; if it cannot be allocated, the scalar
 * kernel, which needs none, computes the result. */
ATTEST_API void attest_kernel_softmax_attention(double *out, const double *q, const double *k,
                                                const double *v, size_t batch, size_t n,
                                                size_t d, double *error);

/* The same where query i sees the keys j <= i only. */
ATTEST_API void attest_kernel_softmax_attention_causal(double *out, const double *q,
                                                       const double *k, const double *v,
                                                       size_t batch, size_t n, size_t d,
                                                       double *error);

/* Row i is the mean of the v_j over all j whose score s_ij is the largest (uniform ties).
 * Error: as above. Where one key wins by more than the rounding of the scores, out is exact and
 * error is 0. A tie is accepted when the tied keys are equal or when all scores in question
 * were computed without rounding; then only the mean rounds. A tie within rounding that is
 * neither gives +inf, and out is the mean over the keys whose *computed* scores are equal. */
ATTEST_API void attest_kernel_hardmax_attention(double *out, const double *q, const double *k,
                                                const double *v, size_t batch, size_t n,
                                                size_t d, double *error);

/* The same where query i sees the keys j <= i only. */
ATTEST_API void attest_kernel_hardmax_attention_causal(double *out, const double *q,
                                                       const double *k, const double *v,
                                                       size_t batch, size_t n, size_t d,
                                                       double *error);

/* Chooses the kernel of the whole process: a name of attest_kernel_list, or NULL for the
 * fastest one that this machine and this build can run. Without a call, the first use of a
 * kernel chooses the fastest one. Call it before other threads use kernels: calls that overlap
 * with it are safe, but either kernel may serve them. Status: USAGE when no kernel has that
 * name, or when this machine or this build cannot run it; the choice is then unchanged. */
ATTEST_API attest_status attest_kernel_select(const char *name) ATTEST_WARN_UNUSED;

/* The name of the kernel in use, e.g. "avx2" or "scalar". */
ATTEST_API const char *attest_kernel_name(void);

/* The name of the i-th kernel that this machine and this build can run, fastest first; NULL
 * past the last. "scalar" is always among them. */
ATTEST_API const char *attest_kernel_list(size_t i);

#ifdef __cplusplus
}
#endif

#endif
