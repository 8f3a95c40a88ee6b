/* weights_avx2.c -- a row of scores becomes weights, four at a time. */
#include "kernel/attention_avx2.h"
#include "kernel/exp_avx2.h"

#define EACH _Pragma("GCC unroll 4") for (int l = 0; l < 4; l++)

/* One vector of scores becomes weights. max returns its second operand for a NaN: it stays. */
static inline __m256d argument(const double *score, __m256d top)
{
    return _mm256_max_pd(_mm256_set1_pd(KERNEL_LEAST_ARGUMENT),
                         _mm256_sub_pd(_mm256_loadu_pd(score), top));
}

static inline double horizontal_sum(__m256d x)
{
    __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));

    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

double attest_avx2_weights(double *score, size_t m, double largest)
{
    const struct exp_table table = exp_table_load();
    const __m256d top = _mm256_set1_pd(largest);
    __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(),
                      _mm256_setzero_pd()};
    size_t j = 0;

    for (; j + 16 <= m; j += 16) {
        __m256d x[4];

        EACH x[l] = argument(score + j + 4 * l, top);
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
        __m256d x = argument(score + j, top);

        exp_vectors(&x, 1, table);
        x = _mm256_and_pd(x, _mm256_castsi256_pd(mask));
        _mm256_store_pd(score + j, x);
        sum[0] = _mm256_add_pd(sum[0], x);
    }
    return horizontal_sum(
        _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3])));
}
