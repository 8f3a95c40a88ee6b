/* exp_vectors.h -- exp of several vectors at once, for |x| <= 708: the operations of exp_one in
 * exp_scalar.h, lane by lane; proofs-notes/kernel-exp.md proves the error bound. */
#ifndef ATTEST_KERNEL_EXP_VECTORS_H
#define ATTEST_KERNEL_EXP_VECTORS_H

#include "kernel/exp_constants.h"
#include "kernel/kernel.h"
#include "kernel/vector.h"

#if VECTOR_LANES == 4
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
#else
/* T[j] with j << 49 subtracted from its word. */
struct exp_table {
    __m512i word;
};

static inline struct exp_table exp_table_load(void)
{
    __m512d table = _mm512_setr_pd(ATTEST_EXP_T0, ATTEST_EXP_T1, ATTEST_EXP_T2, ATTEST_EXP_T3,
                                   ATTEST_EXP_T4, ATTEST_EXP_T5, ATTEST_EXP_T6, ATTEST_EXP_T7);

    return (struct exp_table){
        _mm512_sub_epi64(_mm512_castpd_si512(table),
                         _mm512_slli_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), 49))};
}

static inline vector exp_scale(struct exp_table table, vector shifted)
{
    __m512i index = _mm512_castpd_si512(shifted);

    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_permutexvar_epi64(index, table.word),
                                                _mm512_slli_epi64(index, 49)));
}
#endif

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
