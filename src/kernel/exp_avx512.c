/* exp_avx512.c -- exp of an array with AVX-512F and AVX-512DQ. */
#include "kernel/attention_avx512.h"
#include "kernel/exp_avx512.h"
#include "kernel/exp_scalar.h"

/* As in exp_avx2.c. */
#define SQUARES_LIMIT (707.0 * 707.0)

/* Whether the sum of squares proves all arguments to be in the domain; false for a NaN. */
static inline int squares_inside(__m512d squares)
{
    return _mm512_cmp_pd_mask(squares, _mm512_set1_pd(SQUARES_LIMIT), _CMP_LT_OQ) == 0xff;
}

/* The first 1 to 8 elements. */
static inline void exp_eight(double *y, const double *x, size_t count, struct exp_table table)
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
    const struct exp_table table = exp_table_load();
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
