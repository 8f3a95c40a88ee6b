/* exp.c -- exp of an array, and the softmax weights of a row. */
#include "kernel/exp_scalar.h"
#include "kernel/exp_vectors.h"
#include "kernel/kernel.h"

/* True if all entries of count vectors are in the domain of exp_vectors; a NaN is. */
static inline __attribute__((always_inline)) bool inside(const vector *x, const int count)
{
    vector most = vector_magnitude(x[0], vector_set(0.0));

#pragma GCC unroll 4
    for (int l = 1; l < count; l++)
        most = vector_magnitude(x[l], most);
    return vector_bits(vector_at_most(most, vector_set(708.0))) == VECTOR_ALL;
}

/* Up to VECTOR_LANES elements; one by one if some are outside the domain of exp_vectors. */
static inline void exp_few(double *y, const double *x, size_t count, struct exp_table table)
{
    vector value = vector_load_first(x, count);

    if (__builtin_expect(inside(&value, 1), 1)) {
        exp_vectors(&value, 1, table);
        vector_store_first(y, value, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        y[i] = exp_one(x[i]);
}

void KERNEL_FUNCTION(exp)(double *y, const double *x, size_t count)
{
    enum { MANY = 4 * VECTOR_LANES };
    const struct exp_table table = exp_table_load();

    for (; count >= MANY; count -= MANY, x += MANY, y += MANY) {
        vector a[4];

#pragma GCC unroll 4
        for (int l = 0; l < 4; l++)
            a[l] = vector_load(x + VECTOR_LANES * l);
        if (__builtin_expect(!inside(a, 4), 0)) {
            for (size_t j = 0; j < MANY; j += VECTOR_LANES)
                exp_few(y + j, x + j, VECTOR_LANES, table);
            continue;
        }
        exp_vectors(a, 4, table);
#pragma GCC unroll 4
        for (int l = 0; l < 4; l++)
            vector_store(y + VECTOR_LANES * l, a[l]);
    }
    for (; count >= VECTOR_LANES; count -= VECTOR_LANES, x += VECTOR_LANES, y += VECTOR_LANES)
        exp_few(y, x, VECTOR_LANES, table);
    if (count)
        exp_few(y, x, count, table);
}

/* The argument of exp for each score: at least KERNEL_LEAST_ARGUMENT. max returns its second
 * operand for a NaN: it stays. */
static inline vector argument(vector score, vector top)
{
    return vector_max(vector_set(KERNEL_LEAST_ARGUMENT), vector_sub(score, top));
}

#if VECTOR_LANES == 4
#define EACH _Pragma("GCC unroll 4") for (int l = 0; l < 4; l++)

static inline double horizontal_sum(__m256d x)
{
    __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));

    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

double KERNEL_FUNCTION(weights)(double *score, size_t m, double largest)
{
    const struct exp_table table = exp_table_load();
    const __m256d top = _mm256_set1_pd(largest);
    __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(),
                      _mm256_setzero_pd()};
    size_t j = 0;

    for (; j + 16 <= m; j += 16) {
        __m256d x[4];

        EACH x[l] = argument(vector_load(score + j + 4 * l), top);
        exp_vectors(x, 4, table);
        EACH
        {
            _mm256_store_pd(score + j + 4 * l, x[l]);
            sum[l] = _mm256_add_pd(sum[l], x[l]);
        }
    }
    for (; j < m; j += 4) {
        __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(m - j)),
                                          _mm256_setr_epi64x(0, 1, 2, 3));
        __m256d x = argument(vector_load(score + j), top);

        exp_vectors(&x, 1, table);
        x = _mm256_and_pd(x, _mm256_castsi256_pd(mask));
        _mm256_store_pd(score + j, x);
        sum[0] = _mm256_add_pd(sum[0], x);
    }
    return horizontal_sum(
        _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3])));
}
#else
/* Adds up the weights in the order of the function above: lane l of sum[h] contains what is
 * lane l % 4 of sum[2 h + l / 4] there. */

/* count vectors of scores become weights, which are added to sum[0] and sum[1] in turn. */
static inline __attribute__((always_inline)) void
weigh(double *score, vector top, vector sum[2], struct exp_table table, const int count)
{
    vector x[4];

#pragma GCC unroll 4
    for (int l = 0; l < count; l++)
        x[l] = argument(vector_load(score + 8 * l), top);
    exp_vectors(x, count, table);
#pragma GCC unroll 4
    for (int l = 0; l < count; l++) {
        vector_store(score + 8 * l, x[l]);
        sum[l % 2] = vector_add(sum[l % 2], x[l]);
    }
}

double KERNEL_FUNCTION(weights)(double *score, size_t m, double largest)
{
    const struct exp_table table = exp_table_load();
    const vector top = vector_set(largest);
    vector sum[2] = {vector_set(0.0), vector_set(0.0)}, x;
    __m256d first, second;
    __m128d pair;
    size_t j = 0;

    for (; j + 32 <= m; j += 32)
        weigh(score + j, top, sum, table, 4);
    if (j + 16 <= m) {
        weigh(score + j, top, sum, table, 2);
        j += 16;
    }
    first = _mm512_castpd512_pd256(sum[0]);
    for (; j < m; j += 8) {
        x = argument(vector_load(score + j), top);
        exp_vectors(&x, 1, table);
        x = _mm512_maskz_mov_pd((__mmask8)(m - j < 8 ? (1u << (m - j)) - 1 : 0xff), x);
        vector_store(score + j, x);
        first = _mm256_add_pd(first, _mm512_castpd512_pd256(x));
        first = _mm256_add_pd(first, _mm512_extractf64x4_pd(x, 1));
    }
    first = _mm256_add_pd(first, _mm512_extractf64x4_pd(sum[0], 1));
    second = _mm256_add_pd(_mm512_castpd512_pd256(sum[1]), _mm512_extractf64x4_pd(sum[1], 1));
    first = _mm256_add_pd(first, second);
    pair = _mm_add_pd(_mm256_castpd256_pd128(first), _mm256_extractf128_pd(first, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}
#endif
