/* exp_vectors.h -- exp of several vectors at once, for |x| <= 708: exp_scalar.h says the
 * algorithm in plain words, proofs-notes/kernel-exp.md proves its error. Written in the verbs
 * of vector_*.h and, for the table, of exp_avx2.h or exp_avx512.h, one of which includes this.
 */
#ifndef ATTEST_KERNEL_EXP_VECTORS_H
#define ATTEST_KERNEL_EXP_VECTORS_H

#include "kernel/assert.h"
#include "kernel/exp_constants.h"

enum { EXP_VECTORS_MOST = 8 };

#define EXP_CONSTANT(name) vector_set(ATTEST_EXP_##name)
#define EXP_EACH _Pragma("GCC unroll 8") for (int j = 0; j < count; j++)

#ifdef ATTEST_DEBUG
/* The domain of exp_vectors: |x| <= 708, or a NaN. */
static inline void exp_assert_domain(const vector *x, int count)
{
    for (int j = 0; j < count; j++)
        for (int l = 0; l < VECTOR_LANES; l++) {
            double entry = ((const double *)&x[j])[l];

            KERNEL_ASSERT(domain, !(entry > 708.0) && !(entry < -708.0));
        }
}
#else
#define exp_assert_domain(x, count) ((void)0)
#endif

/* x[j] = exp(x[j]) in each lane, for count vectors at once, count a compile-time constant of at
 * most EXP_VECTORS_MOST. Domain: |x| <= 708, where neither the scale nor the result leaves the
 * normal range; a NaN gives a NaN. Error: ATTEST_KERNEL_EXP_ULP.
 *
 * The vectors are interleaved step by step: one chain is some 50 cycles long and would
 * otherwise fill the processor's scheduler with waiting instructions. Horner's rule keeps only
 * three registers per vector alive. */
static inline __attribute__((always_inline)) void exp_vectors(vector *x, const int count,
                                                              struct exp_table table)
{
    const vector round = EXP_CONSTANT(ROUND_TO_INTEGER);
    vector shifted[EXP_VECTORS_MOST], k[EXP_VECTORS_MOST], r[EXP_VECTORS_MOST];
    vector q[EXP_VECTORS_MOST], scale[EXP_VECTORS_MOST];

    exp_assert_domain(x, count);
    EXP_EACH shifted[j] = vector_fma(x[j], EXP_CONSTANT(INVERSE_STEP), round);
    EXP_EACH k[j] = vector_sub(shifted[j], round);
    EXP_EACH r[j] = vector_fnma(k[j], EXP_CONSTANT(STEP_HI), x[j]);
    EXP_EACH k[j] = vector_fma(k[j], EXP_CONSTANT(STEP_LO), EXP_CONSTANT(SHIFT));
    EXP_EACH r[j] = vector_sub(r[j], k[j]);
    EXP_EACH q[j] = vector_fma(EXP_CONSTANT(C7), r[j], EXP_CONSTANT(C6));
    EXP_EACH q[j] = vector_fma(q[j], r[j], EXP_CONSTANT(C5));
    EXP_EACH q[j] = vector_fma(q[j], r[j], EXP_CONSTANT(C4));
    EXP_EACH q[j] = vector_fma(q[j], r[j], EXP_CONSTANT(C3));
    EXP_EACH scale[j] = exp_scale(table, shifted[j]);
    EXP_EACH q[j] = vector_fma(q[j], r[j], EXP_CONSTANT(C2));
    EXP_EACH q[j] = vector_mul(q[j], r[j]);
    EXP_EACH q[j] = vector_fma(q[j], r[j], r[j]);
    EXP_EACH x[j] = vector_fma(scale[j], q[j], scale[j]);
}

#endif
