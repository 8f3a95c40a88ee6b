/* exp_avx2.h -- exp of four doubles at once; exp_scalar.h says the algorithm in plain words,
 * proofs-notes/kernel-exp.md proves its error. Only for files compiled for AVX2 and FMA. */
#ifndef ATTEST_KERNEL_EXP_AVX2_H
#define ATTEST_KERNEL_EXP_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#include "kernel/assert.h"
#include "kernel/exp_constants.h"

/* The table in two registers: the high and the low 32-bit words of T[j], where j << 49 has been
 * subtracted from the 64-bit word. Adding k << 49 = (e << 52) + (j << 49) to the word then
 * gives T[j] 2^e without a separate mask. */
struct exp_table {
    __m256i high, low;
};

static inline struct exp_table exp_table_load(void)
{
    /* The order that one in-lane shuffle of two registers turns into 0, 1, ..., 7. */
    __m256i a = _mm256_castpd_si256(
        _mm256_setr_pd(ATTEST_EXP_T0, ATTEST_EXP_T1, ATTEST_EXP_T4, ATTEST_EXP_T5));
    __m256i b = _mm256_castpd_si256(
        _mm256_setr_pd(ATTEST_EXP_T2, ATTEST_EXP_T3, ATTEST_EXP_T6, ATTEST_EXP_T7));
    __m256 fa, fb;

    a = _mm256_sub_epi64(a, _mm256_slli_epi64(_mm256_setr_epi64x(0, 1, 4, 5), 49));
    b = _mm256_sub_epi64(b, _mm256_slli_epi64(_mm256_setr_epi64x(2, 3, 6, 7), 49));
    fa = _mm256_castsi256_ps(a);
    fb = _mm256_castsi256_ps(b);
    return (struct exp_table){
        .high = _mm256_castps_si256(_mm256_shuffle_ps(fa, fb, _MM_SHUFFLE(3, 1, 3, 1))),
        .low = _mm256_castps_si256(_mm256_shuffle_ps(fa, fb, _MM_SHUFFLE(2, 0, 2, 0))),
    };
}

#ifdef ATTEST_DEBUG
/* The domain of exp_vectors: |x| <= 708, or a NaN. */
static inline void exp_assert_domain(const __m256d *x, int count)
{
    for (int j = 0; j < count; j++) {
        __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x[j]);
        __m256d outside = _mm256_cmp_pd(size, _mm256_set1_pd(708.0), _CMP_GT_OQ);

        KERNEL_ASSERT(domain, _mm256_movemask_pd(outside) == 0);
    }
}
#else
#define exp_assert_domain(x, count) ((void)0)
#endif

#define EXP_CONSTANT(name) _mm256_set1_pd(ATTEST_EXP_##name)
#define EXP_EACH _Pragma("GCC unroll 8") for (int j = 0; j < count; j++)

/* x[j] = exp(x[j]) in each lane, for count vectors at once, count a compile-time constant of at
 * most 8. Domain: |x| < 708, where neither the scale nor the result leaves the normal range; a
 * NaN gives a NaN. Error: ATTEST_KERNEL_EXP_ULP.
 *
 * The vectors are interleaved step by step: one chain is some 50 cycles long and would
 * otherwise fill the processor's scheduler with waiting instructions. Horner's rule keeps only
 * three registers per vector alive. */
static inline __attribute__((always_inline)) void exp_vectors(__m256d *x, const int count,
                                                              struct exp_table table)
{
    const __m256d round = EXP_CONSTANT(ROUND_TO_INTEGER);
    __m256d shifted[8], k[8], r[8], q[8];
    __m256i entry[8], other[8];

    exp_assert_domain(x, count);
    EXP_EACH shifted[j] = _mm256_fmadd_pd(x[j], EXP_CONSTANT(INVERSE_STEP), round);
    EXP_EACH k[j] = _mm256_sub_pd(shifted[j], round);
    EXP_EACH r[j] = _mm256_fnmadd_pd(k[j], EXP_CONSTANT(STEP_HI), x[j]);
    EXP_EACH k[j] = _mm256_fmadd_pd(k[j], EXP_CONSTANT(STEP_LO), EXP_CONSTANT(SHIFT));
    EXP_EACH r[j] = _mm256_sub_pd(r[j], k[j]);
    EXP_EACH q[j] = _mm256_fmadd_pd(EXP_CONSTANT(C7), r[j], EXP_CONSTANT(C6));
    EXP_EACH q[j] = _mm256_fmadd_pd(q[j], r[j], EXP_CONSTANT(C5));
    EXP_EACH q[j] = _mm256_fmadd_pd(q[j], r[j], EXP_CONSTANT(C4));
    EXP_EACH q[j] = _mm256_fmadd_pd(q[j], r[j], EXP_CONSTANT(C3));
    EXP_EACH
    {
        /* The low word of shifted, with j in its low bits, in both halves of each lane. */
        __m256i index = _mm256_castps_si256(_mm256_moveldup_ps(_mm256_castpd_ps(shifted[j])));

        entry[j] = _mm256_permutevar8x32_epi32(table.low, index);
        other[j] = _mm256_permutevar8x32_epi32(table.high, index);
    }
    EXP_EACH entry[j] = _mm256_blend_epi32(entry[j], other[j], 0xaa);
    EXP_EACH other[j] = _mm256_slli_epi64(_mm256_castpd_si256(shifted[j]), 49);
    EXP_EACH entry[j] = _mm256_add_epi64(entry[j], other[j]);
    EXP_EACH q[j] = _mm256_fmadd_pd(q[j], r[j], EXP_CONSTANT(C2));
    EXP_EACH q[j] = _mm256_mul_pd(q[j], r[j]);
    EXP_EACH q[j] = _mm256_fmadd_pd(q[j], r[j], r[j]);
    EXP_EACH x[j] =
        _mm256_fmadd_pd(_mm256_castsi256_pd(entry[j]), q[j], _mm256_castsi256_pd(entry[j]));
}

#endif
