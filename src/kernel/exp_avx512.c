/* exp_avx512.c -- exp of an array with AVX-512F and AVX-512DQ: eight lanes, and the table of
 * eight doubles in one register. The operations are those of exp_avx2.h, so the results are the
 * same bits. */
#include <immintrin.h>

#include "kernel/attention_avx512.h"
#include "kernel/exp_scalar.h"

/* As in exp_avx2.c. */
#define SQUARES_LIMIT (707.0 * 707.0)

#define EXP_CONSTANT(name) _mm512_set1_pd(ATTEST_EXP_##name)
#define EXP_EACH _Pragma("GCC unroll 4") for (int j = 0; j < count; j++)

/* T[j] with j << 49 subtracted from its word, as in exp_avx2.h. */
static inline __m512i exp_table_load(void)
{
    __m512d table = _mm512_setr_pd(ATTEST_EXP_T0, ATTEST_EXP_T1, ATTEST_EXP_T2, ATTEST_EXP_T3,
                                   ATTEST_EXP_T4, ATTEST_EXP_T5, ATTEST_EXP_T6, ATTEST_EXP_T7);

    return _mm512_sub_epi64(_mm512_castpd_si512(table),
                            _mm512_slli_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), 49));
}

/* x[j] = exp(x[j]) for count vectors, a compile-time constant of at most 4. Domain: |x| < 708.
 */
static inline __attribute__((always_inline)) void exp_vectors(__m512d *x, const int count,
                                                              __m512i table)
{
    const __m512d round = EXP_CONSTANT(ROUND_TO_INTEGER);
    __m512d shifted[4], k[4], r[4], q[4], scale[4];

    EXP_EACH shifted[j] = _mm512_fmadd_pd(x[j], EXP_CONSTANT(INVERSE_STEP), round);
    EXP_EACH k[j] = _mm512_sub_pd(shifted[j], round);
    EXP_EACH r[j] = _mm512_fnmadd_pd(k[j], EXP_CONSTANT(STEP_HI), x[j]);
    EXP_EACH k[j] = _mm512_fmadd_pd(k[j], EXP_CONSTANT(STEP_LO), EXP_CONSTANT(SHIFT));
    EXP_EACH r[j] = _mm512_sub_pd(r[j], k[j]);
    EXP_EACH
    {
        __m512i word = _mm512_castpd_si512(shifted[j]); /* the index is in its low 3 bits */

        scale[j] = _mm512_castsi512_pd(_mm512_add_epi64(_mm512_permutexvar_epi64(word, table),
                                                        _mm512_slli_epi64(word, 49)));
    }
    EXP_EACH q[j] = _mm512_fmadd_pd(EXP_CONSTANT(C7), r[j], EXP_CONSTANT(C6));
    EXP_EACH q[j] = _mm512_fmadd_pd(q[j], r[j], EXP_CONSTANT(C5));
    EXP_EACH q[j] = _mm512_fmadd_pd(q[j], r[j], EXP_CONSTANT(C4));
    EXP_EACH q[j] = _mm512_fmadd_pd(q[j], r[j], EXP_CONSTANT(C3));
    EXP_EACH q[j] = _mm512_fmadd_pd(q[j], r[j], EXP_CONSTANT(C2));
    EXP_EACH q[j] = _mm512_mul_pd(q[j], r[j]);
    EXP_EACH q[j] = _mm512_fmadd_pd(q[j], r[j], r[j]);
    EXP_EACH x[j] = _mm512_fmadd_pd(scale[j], q[j], scale[j]);
}

/* Whether the sum of squares proves all arguments to be in the domain; false for a NaN. */
static inline int squares_inside(__m512d squares)
{
    return _mm512_cmp_pd_mask(squares, _mm512_set1_pd(SQUARES_LIMIT), _CMP_LT_OQ) == 0xff;
}

/* The first 1 to 8 elements. */
static inline void exp_eight(double *y, const double *x, size_t count, __m512i table)
{
    __mmask8 mask = (__mmask8)(0xff >> (8 - count));
    __m512d value = _mm512_maskz_loadu_pd(mask, x);

    if (__builtin_expect(squares_inside(_mm512_mul_pd(value, value)), 1)) {
        exp_vectors(&value, 1, table);
        _mm512_mask_storeu_pd(y, mask, value);
        return;
    }
    for (size_t i = 0; i < count; i++)
        y[i] = exp_one(x[i]);
}

void attest_avx512_exp(double *y, const double *x, size_t count)
{
    const __m512i table = exp_table_load();
    size_t i = 0;

    for (; count - i >= 32; i += 32) {
        __m512d a[4] = {_mm512_loadu_pd(x + i), _mm512_loadu_pd(x + i + 8),
                        _mm512_loadu_pd(x + i + 16), _mm512_loadu_pd(x + i + 24)};
        __m512d squares = _mm512_mul_pd(a[0], a[0]);

        squares = _mm512_fmadd_pd(a[1], a[1], squares);
        squares = _mm512_fmadd_pd(a[2], a[2], squares);
        squares = _mm512_fmadd_pd(a[3], a[3], squares);
        if (__builtin_expect(!squares_inside(squares), 0)) {
            for (size_t j = 0; j < 32; j += 8)
                exp_eight(y + i + j, x + i + j, 8, table);
            continue;
        }
        exp_vectors(a, 4, table);
        _mm512_storeu_pd(y + i, a[0]);
        _mm512_storeu_pd(y + i + 8, a[1]);
        _mm512_storeu_pd(y + i + 16, a[2]);
        _mm512_storeu_pd(y + i + 24, a[3]);
    }
    for (; i < count; i += 8)
        exp_eight(y + i, x + i, count - i < 8 ? count - i : 8, table);
}
