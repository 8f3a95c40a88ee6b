/* bound_avx2.h -- attest_bound_row for four rows at once. */
#ifndef ATTEST_KERNEL_BOUND_AVX2_H
#define ATTEST_KERNEL_BOUND_AVX2_H

#include <float.h>
#include <immintrin.h>
#include <math.h>

#include "kernel/bound.h"

/* As attest_bound_row, lane by lane. */
static inline __m256d bound_rows(struct bound_terms terms, __m256d q_square, __m256d key_square,
                                 __m256d value_norm, __m256d denominator)
{
    const __m256d one = _mm256_set1_pd(1.0), most = _mm256_set1_pd(DBL_MAX);
    __m256d delta = _mm256_mul_pd(_mm256_set1_pd(terms.dot),
                                  _mm256_sqrt_pd(_mm256_mul_pd(q_square, key_square)));
    __m256d peak =
        _mm256_fmadd_pd(_mm256_set1_pd(16.0), delta, _mm256_set1_pd(BOUND_PEAK_SLACK));
    __m256d score, bound, good;

    peak = _mm256_fmadd_pd(_mm256_set1_pd(4.0), _mm256_sub_pd(denominator, one), peak);
    /* min returns its second operand for a NaN: the larger, safe value. */
    score = _mm256_mul_pd(delta, _mm256_min_pd(peak, one));
    score = _mm256_min_pd(score, _mm256_set1_pd(2.0));
    bound = _mm256_mul_pd(value_norm, _mm256_add_pd(score, _mm256_set1_pd(terms.fixed)));
    good = _mm256_and_pd(_mm256_cmp_pd(denominator, most, _CMP_LE_OQ),
                         _mm256_cmp_pd(bound, most, _CMP_LE_OQ));
    good = _mm256_and_pd(good, _mm256_cmp_pd(delta, most, _CMP_LE_OQ));
    return _mm256_blendv_pd(_mm256_set1_pd(INFINITY), bound, good);
}

#endif
