/* vector.h -- vectors of VECTOR_LANES doubles: four with AVX2 and FMA, eight with AVX-512F and
 * AVX-512DQ. Only for files that kernel.am compiles once per instruction set; it defines
 * VECTOR_LANES there. */
#ifndef ATTEST_KERNEL_VECTOR_H
#define ATTEST_KERNEL_VECTOR_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/bound_constants.h"

/* VECTOR_OF(add_pd) is the intrinsic of a whole vector, VECTOR_MASK all lanes of a mask. */
#if VECTOR_LANES == 4
#define VECTOR_OF(operation) _mm256_##operation
#define vector_bits_as_double _mm256_castsi256_pd
#define vector_bits_of_double _mm256_castpd_si256
#define vector_set_bits(x) _mm256_set1_epi64x(x)
enum { VECTOR_ALL = 15 };
typedef __m256d vector;
typedef __m256d vector_mask; /* all bits of a lane, or none */
#elif VECTOR_LANES == 8
#define VECTOR_OF(operation) _mm512_##operation
#define vector_bits_as_double _mm512_castsi512_pd
#define vector_bits_of_double _mm512_castpd_si512
#define vector_set_bits(x) _mm512_set1_epi64(x)
enum { VECTOR_ALL = 255 };
typedef __m512d vector;
typedef __mmask8 vector_mask;
#else
#error "VECTOR_LANES must be 4 or 8"
#endif

static inline vector vector_set(double x)
{
    return VECTOR_OF(set1_pd)(x);
}

static inline vector vector_load(const double *x)
{
    return VECTOR_OF(loadu_pd)(x);
}

static inline void vector_store(double *to, vector x)
{
    VECTOR_OF(storeu_pd)(to, x);
}

static inline vector vector_add(vector a, vector b)
{
    return VECTOR_OF(add_pd)(a, b);
}

static inline vector vector_sub(vector a, vector b)
{
    return VECTOR_OF(sub_pd)(a, b);
}

static inline vector vector_mul(vector a, vector b)
{
    return VECTOR_OF(mul_pd)(a, b);
}

static inline vector vector_div(vector a, vector b)
{
    return VECTOR_OF(div_pd)(a, b);
}

static inline vector vector_sqrt(vector a)
{
    return VECTOR_OF(sqrt_pd)(a);
}

/* a b + c, rounded once. */
static inline vector vector_fma(vector a, vector b, vector c)
{
    return VECTOR_OF(fmadd_pd)(a, b, c);
}

/* c - a b, rounded once. */
static inline vector vector_fnma(vector a, vector b, vector c)
{
    return VECTOR_OF(fnmadd_pd)(a, b, c);
}

/* a b - c, rounded once. */
static inline vector vector_fms(vector a, vector b, vector c)
{
    return VECTOR_OF(fmsub_pd)(a, b, c);
}

/* The second operand where one is a NaN. */
static inline vector vector_max(vector a, vector b)
{
    return VECTOR_OF(max_pd)(a, b);
}

static inline vector vector_min(vector a, vector b)
{
    return VECTOR_OF(min_pd)(a, b);
}

/* About a^(-1/2), in two quick operations: halving and negating the word of a double nearly
 * does so with its logarithm. Times a^(1/2) it is at least 1 / ATTEST_BOUND_ROOT and at
 * most 1.05; (9) of proofs-notes/kernel-error.md. Domain: a positive and normal. */
static inline vector vector_inverse_root(vector a)
{
    return vector_bits_as_double(VECTOR_OF(sub_epi64)(
        vector_set_bits(ATTEST_ROOT_WORD), VECTOR_OF(srli_epi64)(vector_bits_of_double(a), 1)));
}

/* The power of two at or below x > 0; 0 for a subnormal x. */
static inline vector vector_floor_power(vector x)
{
    return VECTOR_OF(and_pd)(x, vector_bits_as_double(vector_set_bits(0x7ff0000000000000)));
}

/* 2^n. Domain: whole numbers from -1022 to 1023. */
static inline vector vector_power(vector n)
{
    const vector biased = vector_add(n, vector_set(0x1.8p52 + 1023));

    return vector_bits_as_double(VECTOR_OF(slli_epi64)(vector_bits_of_double(biased), 52));
}

/* Clears the bits of each lane that are 0 in `bits`. */
static inline vector vector_keep_bits(vector x, uint64_t bits)
{
    return VECTOR_OF(and_pd)(x, vector_bits_as_double(vector_set_bits((long long)bits)));
}

#define EACH_OF_FOUR _Pragma("GCC unroll 4") for (size_t l = 0; l < 4; l++)

/* Operations whose intrinsics differ; the contracts stand with those for four lanes. */
#if VECTOR_LANES == 4
/* x rounded toward zero to a whole number. */
static inline vector vector_cut(vector x)
{
    return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

static inline vector vector_abs(vector a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

/* The larger of |a| and b, for b >= 0; b where a is a NaN. */
static inline vector vector_magnitude(vector a, vector b)
{
    return _mm256_max_pd(vector_abs(a), b);
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

/* to[i], i < count, has entry i of four arrays, each `apart` doubles after the one before. Two
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
#else
static inline vector vector_cut(vector x)
{
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

static inline vector vector_abs(vector a)
{
    return _mm512_abs_pd(a);
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

#endif
