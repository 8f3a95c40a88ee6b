/* judge.h -- the sums that the bounds of src/judge spend their time in.
 *
 * Sums of so many terms, in any order, multiplied and added or fused: whoever uses them allows
 * for the rounding of either. Columns are padded to a multiple of KERNEL_JUDGE_PAD, keys to
 * whole panels. */
#ifndef ATTEST_KERNEL_JUDGE_H
#define ATTEST_KERNEL_JUDGE_H

#include <stddef.h>

enum {
    KERNEL_JUDGE_PANEL = 16, /* keys of a panel, entry c of them side by side */
    KERNEL_JUDGE_PAD = 8
};

struct kernel_judge {
    /* s[r][j] = sum_c q[r][c] k[c][j], size[r][j] = sum_c |q[r][c] k[c][j]|, for two rows r and
     * the keys j of a panel. */
    void (*products)(double *const s[2], double *const size[2], const double *const q[2],
                     const double *panel, size_t dim);
    /* Adds sum_j w_j v_jc, sum_j size_j |v_jc| and sum_j cast_j |v_jc| for all columns. */
    void (*columns)(double *center, double *size_v, double *cast_v, const double *v,
                    size_t columns, const double *w, const double *size, const double *cast,
                    size_t keys);
    /* Adds sum_j half_j |v_jc - center_c|. */
    void (*spreads)(double *spread, const double *center, const double *v, size_t columns,
                    const double *half, size_t keys);
    /* Adds sum_j min(free, fixed +- offset_j v_jc), free = half_j |v_jc - center_c| + cast_j
     * |v_jc|, fixed = half_j |center_c| + spread_j |v_jc|. */
    void (*known)(double *up, double *down, const double *center, const double *v,
                  size_t columns, const double *half, const double *cast, const double *offset,
                  const double *spread, size_t keys);
    /* Adds sum_j a_jc d_jc, sum_j a_jc |d_jc| and sum_j a_jc, d_jc = sign v_jc - r_c, a_jc =
     * high_j where d_jc > 0, else low_j. */
    void (*phis)(double *phi, double *size, double *slope, const double *r, double sign,
                 const double *v, size_t columns, const double *low, const double *high,
                 size_t keys);
};

extern const struct kernel_judge attest_kernel_judge_scalar;
extern const struct kernel_judge attest_kernel_judge_avx2;
extern const struct kernel_judge attest_kernel_judge_avx512;

/* Those of the kernel in use. */
const struct kernel_judge *attest_kernel_judge(void);

#endif
