/* weights_avx512.c -- a row of scores becomes weights, eight at a time. Sums are those of
 * weights_avx2.c, in the same order: lane l of sum[h] has what is there lane l % 4 of sum[2 h +
 * l / 4]. */
#include "kernel/attention_avx512.h"
#include "kernel/exp_avx512.h"

/* max returns its second operand for a NaN: it stays. */
static inline vector argument(vector score, vector top)
{
    return vector_max(vector_set(KERNEL_LEAST_ARGUMENT), vector_sub(score, top));
}

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

double attest_avx512_weights(double *score, size_t m, double largest)
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
