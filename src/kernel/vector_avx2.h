/* vector_avx2.h -- vectors of four doubles: the verbs in which tiny.h, tiny_*.inc and
 * bound_vectors.h are written. vector_avx512.h has the same for eight. Only for files compiled
 * for AVX2 and FMA. */
#ifndef ATTEST_KERNEL_VECTOR_AVX2_H
#define ATTEST_KERNEL_VECTOR_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/bound_constants.h"

enum { VECTOR_LANES = 4, VECTOR_ALL = 15 };

typedef __m256d vector;
typedef __m256d vector_mask; /* all bits of a lane, or none */

static inline vector vector_set(double x)
{
    return _mm256_set1_pd(x);
}

static inline vector vector_load(const double *x)
{
    return _mm256_loadu_pd(x);
}

static inline void vector_store(double *to, vector x)
{
    _mm256_storeu_pd(to, x);
}

static inline vector vector_add(vector a, vector b)
{
    return _mm256_add_pd(a, b);
}

static inline vector vector_sub(vector a, vector b)
{
    return _mm256_sub_pd(a, b);
}

static inline vector vector_mul(vector a, vector b)
{
    return _mm256_mul_pd(a, b);
}

static inline vector vector_div(vector a, vector b)
{
    return _mm256_div_pd(a, b);
}

static inline vector vector_abs(vector a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

static inline vector vector_sqrt(vector a)
{
    return _mm256_sqrt_pd(a);
}

/* About a^(-1/2), in two quick operations: halving and negating the word of a double nearly
 * does so with its logarithm. Times a^(1/2) it is at least 1 / ATTEST_BOUND_ROOT and at
 * most 1.05; (9) of proofs-notes/kernel-error.md. Domain: a positive and normal. */
static inline vector vector_inverse_root(vector a)
{
    return _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(ATTEST_ROOT_WORD),
                                                _mm256_srli_epi64(_mm256_castpd_si256(a), 1)));
}

/* The power of two at or below x > 0; 0 for a subnormal x. */
static inline vector vector_floor_power(vector x)
{
    return _mm256_and_pd(x, _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff0000000000000)));
}

/* 2^n. Domain: whole numbers from -1022 to 1023. */
static inline vector vector_power(vector n)
{
    return _mm256_castsi256_pd(_mm256_slli_epi64(
        _mm256_castpd_si256(_mm256_add_pd(n, _mm256_set1_pd(0x1.8p52 + 1023))), 52));
}

/* Toward zero, to a whole number. */
static inline vector vector_cut(vector x)
{
    return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

static inline vector vector_keep_bits(vector x, uint64_t bits)
{
    return _mm256_and_pd(x, _mm256_castsi256_pd(_mm256_set1_epi64x((long long)bits)));
}

/* a b + c, c - a b, a b - c, rounded once. */
static inline vector vector_fma(vector a, vector b, vector c)
{
    return _mm256_fmadd_pd(a, b, c);
}

static inline vector vector_fnma(vector a, vector b, vector c)
{
    return _mm256_fnmadd_pd(a, b, c);
}

static inline vector vector_fms(vector a, vector b, vector c)
{
    return _mm256_fmsub_pd(a, b, c);
}

/* The second operand where one is a NaN. */
static inline vector vector_max(vector a, vector b)
{
    return _mm256_max_pd(a, b);
}

static inline vector vector_min(vector a, vector b)
{
    return _mm256_min_pd(a, b);
}

/* The larger magnitude of a and b, b >= 0; a NaN in a is passed over. */
static inline vector vector_magnitude(vector a, vector b)
{
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a), b);
}

/* False for a NaN. */
static inline vector_mask vector_equal(vector a, vector b)
{
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}

static inline vector_mask vector_at_most(vector a, vector b)
{
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}

/* True for a NaN. */
static inline vector_mask vector_not_less(vector a, vector b)
{
    return _mm256_cmp_pd(a, b, _CMP_NLT_UQ);
}

static inline vector_mask vector_both(vector_mask a, vector_mask b)
{
    return _mm256_and_pd(a, b);
}

/* x where the mask is set, else 0. */
static inline vector vector_keep(vector_mask mask, vector x)
{
    return _mm256_and_pd(mask, x);
}

/* a where the mask is set, else b. */
static inline vector vector_select(vector_mask mask, vector a, vector b)
{
    return _mm256_blendv_pd(b, a, mask);
}

/* Bit l is that of lane l. */
static inline unsigned vector_bits(vector_mask mask)
{
    return (unsigned)_mm256_movemask_pd(mask);
}

/* Four rows of four become columns. */
static inline void vector_transpose(vector x[4])
{
    vector a = _mm256_unpacklo_pd(x[0], x[1]), b = _mm256_unpackhi_pd(x[0], x[1]);
    vector e = _mm256_unpacklo_pd(x[2], x[3]), f = _mm256_unpackhi_pd(x[2], x[3]);

    x[0] = _mm256_permute2f128_pd(a, e, 0x20);
    x[1] = _mm256_permute2f128_pd(b, f, 0x20);
    x[2] = _mm256_permute2f128_pd(a, e, 0x31);
    x[3] = _mm256_permute2f128_pd(b, f, 0x31);
}

/* The first count of four. */
static inline __m256i vector_first(size_t count)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)count),
                              _mm256_setr_epi64x(0, 1, 2, 3));
}

/* The first count elements, 0 < count <= VECTOR_LANES; the others are 0. */
static inline vector vector_load_first(const double *x, size_t count)
{
    return count == 4 ? _mm256_loadu_pd(x) : _mm256_maskload_pd(x, vector_first(count));
}

static inline void vector_store_first(double *to, vector x, size_t count)
{
    if (count == 4)
        _mm256_storeu_pd(to, x);
    else
        _mm256_maskstore_pd(to, vector_first(count), x);
}

/* The largest lane; none is a NaN. */
static inline double vector_largest(vector x)
{
    __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));

    return _mm_cvtsd_f64(_mm_max_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

/* The halves of eight lanes, added. */
static inline __m256d vector_fold(const vector x[2])
{
    return _mm256_add_pd(x[0], x[1]);
}

#define EACH_OF_FOUR _Pragma("GCC unroll 4") for (size_t l = 0; l < 4; l++)

/* to[i], i < count, has entry i of four arrays, each `apart` doubles behind the one before. Two
 * entries at a time: halves that come from memory cost no shuffle. */
static inline void vector_gather(vector *to, const double *from, size_t apart, size_t count)
{
    const double *a = from, *b = a + apart, *c = b + apart, *d = c + apart;
    size_t i = 0;

    for (; i + 2 <= count; i += 2) {
        __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a + i)),
                                            _mm_loadu_pd(c + i), 1);
        __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(b + i)),
                                           _mm_loadu_pd(d + i), 1);

        to[i] = _mm256_unpacklo_pd(even, odd);
        to[i + 1] = _mm256_unpackhi_pd(even, odd);
    }
    if (i < count)
        to[i] = _mm256_setr_pd(a[i], b[i], c[i], d[i]);
}

/* The first count of four entries of all arrays from four columns. */
static inline __attribute__((always_inline)) void
vector_store_columns(double *to, size_t apart, vector x[4], size_t count)
{
    vector_transpose(x);
#pragma GCC unroll 4
    for (size_t l = 0; l < 4; l++, to += apart)
        if (count == 4)
            _mm256_storeu_pd(to, x[l]);
        else
            _mm256_maskstore_pd(to, vector_first(count), x[l]);
}

/* The reverse of vector_gather. */
static inline void vector_scatter(double *to, size_t apart, const vector *from, size_t count)
{
    vector x[4];

    for (; count >= 4; count -= 4, from += 4, to += 4) {
        EACH_OF_FOUR x[l] = from[l];
        vector_store_columns(to, apart, x, 4);
    }
    if (count == 0)
        return;
    EACH_OF_FOUR x[l] = from[l < count ? l : 0];
    vector_store_columns(to, apart, x, count);
}

#endif
