/* exp_avx2.h -- the table of the exponential for vectors of four, and exp_vectors over it. */
#ifndef ATTEST_KERNEL_EXP_AVX2_H
#define ATTEST_KERNEL_EXP_AVX2_H

#include "kernel/exp_constants.h"
#include "kernel/vector_avx2.h"

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

/* T[j] 2^e for k = 8 e + j, which is in the low bits of shifted. */
static inline vector exp_scale(struct exp_table table, vector shifted)
{
    /* The low word, with j in its low bits, in both halves of each lane. */
    __m256i index = _mm256_castps_si256(_mm256_moveldup_ps(_mm256_castpd_ps(shifted)));
    __m256i low = _mm256_permutevar8x32_epi32(table.low, index);
    __m256i high = _mm256_permutevar8x32_epi32(table.high, index);

    return _mm256_castsi256_pd(
        _mm256_add_epi64(_mm256_blend_epi32(low, high, 0xaa),
                         _mm256_slli_epi64(_mm256_castpd_si256(shifted), 49)));
}

#include "kernel/exp_vectors.h"

#endif
