/* bound_avx2.h -- attest_bound_row for four rows at once. */
#ifndef ATTEST_KERNEL_BOUND_AVX2_H
#define ATTEST_KERNEL_BOUND_AVX2_H

#include <immintrin.h>
#include <math.h>

#include "kernel/bound.h"

/* As attest_bound_row, lane by lane, in two steps: delta needs only the inputs, and its square
 * root takes long. min returns its second operand where one is a NaN. */
static inline __m256d bound_delta(struct bound_terms terms, __m256d q_square,
                                  __m256d key_square)
{
    return _mm256_mul_pd(_mm256_set1_pd(terms.dot),
                         _mm256_sqrt_pd(_mm256_mul_pd(q_square, key_square)));
}

/* As attest_bound_delta; one root is enough where the product of the squares cannot have
 * underflowed. */
static inline __m256d bound_hardmax_delta(struct bound_terms terms, __m256d q_square,
                                          __m256d key_square)
{
    __m256d product = _mm256_mul_pd(q_square, key_square);
    __m256d small =
        _mm256_cmp_pd(product, _mm256_set1_pd(ATTEST_BOUND_SQUARE_MIN), _CMP_NGE_UQ);
    __m256d norms = _mm256_sqrt_pd(product);

    if (__builtin_expect(!_mm256_testz_pd(small, small), 0))
        norms = _mm256_mul_pd(_mm256_sqrt_pd(q_square), _mm256_sqrt_pd(key_square));
    return _mm256_fmadd_pd(_mm256_set1_pd(terms.dot), norms,
                           _mm256_set1_pd(ATTEST_BOUND_SCORE_FLOOR));
}

static inline __m256d bound_rows(struct bound_terms terms, __m256d delta, __m256d value_norm,
                                 __m256d denominator)
{
    __m256d peak = _mm256_fmadd_pd(_mm256_set1_pd(ATTEST_BOUND_PEAK_DELTA), delta,
                                   _mm256_set1_pd(ATTEST_BOUND_PEAK_SLACK - 4.0));
    /* A denominator that is not finite makes this one a NaN. */
    __m256d fixed =
        _mm256_fmadd_pd(denominator, _mm256_setzero_pd(), _mm256_set1_pd(terms.fixed));
    __m256d bound;

    peak = _mm256_fmadd_pd(_mm256_set1_pd(4.0), denominator, peak);
    peak = _mm256_min_pd(peak, _mm256_set1_pd(1.0));
    bound = _mm256_mul_pd(value_norm, _mm256_fmadd_pd(delta, peak, fixed));
    return _mm256_min_pd(bound, _mm256_set1_pd(INFINITY));
}

/* What the bound by weights needs of four rows. */
struct bound_means {
    __m256d key, value, rounding; /* [|k|_w^2], [|v|^2], [g^2 |v|^2] */
    __m256d out;                  /* |out|^2 */
};

/* The bound by weights, lane by lane, in units of terms.unit until the end. A NaN becomes an
 * infinity. 1 + cancel is rounded by less than what cancel has to spare. */
static inline __m256d bound_sharp(struct bound_terms terms, __m256d q_square,
                                  struct bound_means mean)
{
    __m256d spread = _mm256_fmsub_pd(_mm256_set1_pd(1.0 + terms.cancel), mean.value, mean.out);
    __m256d weights =
        _mm256_fmadd_pd(_mm256_mul_pd(q_square, mean.key), _mm256_set1_pd(terms.score),
                        _mm256_set1_pd(terms.weight));
    __m256d sums = _mm256_mul_pd(mean.rounding, _mm256_set1_pd(ATTEST_BOUND_SHARP_VALUE));
    __m256d bound;

    sums = _mm256_fmadd_pd(mean.out, _mm256_set1_pd(terms.out), sums);
    bound = _mm256_add_pd(_mm256_sqrt_pd(_mm256_mul_pd(weights, spread)), _mm256_sqrt_pd(sums));
    return _mm256_min_pd(_mm256_mul_pd(bound, _mm256_set1_pd(terms.unit)),
                         _mm256_set1_pd(INFINITY));
}

#endif
