/* vector_avx512.h -- vectors of eight doubles: the verbs of vector_avx2.h. Only for files
 * compiled for AVX-512F and AVX-512DQ. */
#ifndef ATTEST_KERNEL_VECTOR_AVX512_H
#define ATTEST_KERNEL_VECTOR_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/bound_constants.h"

enum { VECTOR_LANES = 8, VECTOR_ALL = 255 };

typedef __m512d vector;
typedef __mmask8 vector_mask;

static inline vector vector_set(double x)
{
    return _mm512_set1_pd(x);
}

static inline vector vector_load(const double *x)
{
    return _mm512_loadu_pd(x);
}

static inline void vector_store(double *to, vector x)
{
    _mm512_storeu_pd(to, x);
}

static inline vector vector_add(vector a, vector b)
{
    return _mm512_add_pd(a, b);
}

static inline vector vector_sub(vector a, vector b)
{
    return _mm512_sub_pd(a, b);
}

static inline vector vector_mul(vector a, vector b)
{
    return _mm512_mul_pd(a, b);
}

static inline vector vector_div(vector a, vector b)
{
    return _mm512_div_pd(a, b);
}

static inline vector vector_abs(vector a)
{
    return _mm512_abs_pd(a);
}

static inline vector vector_sqrt(vector a)
{
    return _mm512_sqrt_pd(a);
}

static inline vector vector_inverse_root(vector a)
{
    return _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(ATTEST_ROOT_WORD),
                                                _mm512_srli_epi64(_mm512_castpd_si512(a), 1)));
}

static inline vector vector_floor_power(vector x)
{
    return _mm512_and_pd(x, _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff0000000000000)));
}

static inline vector vector_power(vector n)
{
    return _mm512_castsi512_pd(_mm512_slli_epi64(
        _mm512_castpd_si512(_mm512_add_pd(n, _mm512_set1_pd(0x1.8p52 + 1023))), 52));
}

/* Toward zero, to a whole number. */
static inline vector vector_cut(vector x)
{
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

static inline vector vector_keep_bits(vector x, uint64_t bits)
{
    return _mm512_and_pd(x, _mm512_castsi512_pd(_mm512_set1_epi64((long long)bits)));
}

static inline vector vector_fma(vector a, vector b, vector c)
{
    return _mm512_fmadd_pd(a, b, c);
}

static inline vector vector_fnma(vector a, vector b, vector c)
{
    return _mm512_fnmadd_pd(a, b, c);
}

static inline vector vector_fms(vector a, vector b, vector c)
{
    return _mm512_fmsub_pd(a, b, c);
}

static inline vector vector_max(vector a, vector b)
{
    return _mm512_max_pd(a, b);
}

static inline vector vector_min(vector a, vector b)
{
    return _mm512_min_pd(a, b);
}

static inline vector vector_magnitude(vector a, vector b)
{
    return _mm512_max_pd(_mm512_abs_pd(a), b); /* vrangepd would lose b to a signalling NaN */
}

static inline vector_mask vector_equal(vector a, vector b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

static inline vector_mask vector_at_most(vector a, vector b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}

static inline vector_mask vector_not_less(vector a, vector b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_NLT_UQ);
}

static inline vector_mask vector_both(vector_mask a, vector_mask b)
{
    return a & b;
}

static inline vector vector_keep(vector_mask mask, vector x)
{
    return _mm512_maskz_mov_pd(mask, x);
}

static inline vector vector_select(vector_mask mask, vector a, vector b)
{
    return _mm512_mask_mov_pd(b, mask, a);
}

static inline unsigned vector_bits(vector_mask mask)
{
    return mask;
}

static inline vector vector_load_first(const double *x, size_t count)
{
    return _mm512_maskz_loadu_pd((__mmask8)(0xff >> (8 - count)), x);
}

static inline void vector_store_first(double *to, vector x, size_t count)
{
    _mm512_mask_storeu_pd(to, (__mmask8)(0xff >> (8 - count)), x);
}

static inline double vector_largest(vector x)
{
    return _mm512_reduce_max_pd(x);
}

static inline __m256d vector_fold(const vector x[1])
{
    return _mm256_add_pd(_mm512_castpd512_pd256(x[0]), _mm512_extractf64x4_pd(x[0], 1));
}

#define EACH_OF_FOUR _Pragma("GCC unroll 4") for (size_t l = 0; l < 4; l++)

/* The first count of four. */
static inline __mmask8 vector_first(size_t count)
{
    return (__mmask8)(15 >> (4 - count));
}

/* The first count of four entries of arrays l and l + 2. */
static inline vector vector_load_two(const double *from, size_t apart, size_t l, size_t count)
{
    const __mmask8 mask = vector_first(count);
    const double *row = from + l * apart;

    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(mask, row)),
                              _mm256_maskz_loadu_pd(mask, row + 2 * apart), 1);
}

/* The first count of four entries of all arrays, as columns. */
static inline __attribute__((always_inline)) void
vector_load_columns(vector x[4], const double *from, size_t apart, size_t count)
{
    vector r = vector_load_two(from, apart, 0, count),
           s = vector_load_two(from, apart, 1, count);
    vector t = vector_load_two(from, apart, 4, count),
           u = vector_load_two(from, apart, 5, count);
    vector a = _mm512_unpacklo_pd(r, s), b = _mm512_unpackhi_pd(r, s);
    vector e = _mm512_unpacklo_pd(t, u), f = _mm512_unpackhi_pd(t, u);

    x[0] = _mm512_shuffle_f64x2(a, e, 0x88);
    x[1] = _mm512_shuffle_f64x2(b, f, 0x88);
    x[2] = _mm512_shuffle_f64x2(a, e, 0xdd);
    x[3] = _mm512_shuffle_f64x2(b, f, 0xdd);
}

static inline void vector_gather(vector *to, const double *from, size_t apart, size_t count)
{
    vector x[4];

    for (; count >= 4; count -= 4, from += 4, to += 4) {
        vector_load_columns(x, from, apart, 4);
        EACH_OF_FOUR to[l] = x[l];
    }
    if (count == 0)
        return;
    vector_load_columns(x, from, apart, count);
    for (size_t l = 0; l < count; l++)
        to[l] = x[l];
}

/* Stores the first count of four entries of arrays l and l + 2, which stand side by side. */
static inline void vector_store_two(double *to, size_t apart, size_t l, vector x, size_t count)
{
    const __mmask8 mask = vector_first(count);
    double *row = to + l * apart;

    _mm256_mask_storeu_pd(row, mask, _mm512_castpd512_pd256(x));
    _mm256_mask_storeu_pd(row + 2 * apart, mask, _mm512_extractf64x4_pd(x, 1));
}

/* The first count of four entries of all arrays from four columns. */
static inline __attribute__((always_inline)) void
vector_store_columns(double *to, size_t apart, const vector x[4], size_t count)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    vector a = _mm512_unpacklo_pd(x[0], x[1]), b = _mm512_unpackhi_pd(x[0], x[1]);
    vector e = _mm512_unpacklo_pd(x[2], x[3]), f = _mm512_unpackhi_pd(x[2], x[3]);

    vector_store_two(to, apart, 0, _mm512_permutex2var_pd(a, first, e), count);
    vector_store_two(to, apart, 1, _mm512_permutex2var_pd(b, first, f), count);
    vector_store_two(to, apart, 4, _mm512_permutex2var_pd(a, last, e), count);
    vector_store_two(to, apart, 5, _mm512_permutex2var_pd(b, last, f), count);
}

static inline void vector_scatter(double *to, size_t apart, const vector *from, size_t count)
{
    vector x[4];

    for (; count >= 4; count -= 4, from += 4, to += 4)
        vector_store_columns(to, apart, from, 4);
    if (count == 0)
        return;
    EACH_OF_FOUR x[l] = from[l < count ? l : 0];
    vector_store_columns(to, apart, x, count);
}

#endif
