/* near_avx2.c -- near pairs with AVX2 and FMA: tiles of 4 x 16 sums stay in registers. */
#include "kernel/near.h"

#include <immintrin.h>

enum { ROWS = 4, COLUMNS = 16 };

/* The 16 bits of row i at columns j, ..., j + 15. */
static uint64_t compare(__m256 low, __m256 high, float alpha, const float *beta)
{
    __m256 row = _mm256_set1_ps(alpha);
    __m256 left = _mm256_add_ps(row, _mm256_loadu_ps(beta));
    __m256 right = _mm256_add_ps(row, _mm256_loadu_ps(beta + 8));
    int first = _mm256_movemask_ps(_mm256_cmp_ps(low, left, _CMP_NLT_UQ));
    int second = _mm256_movemask_ps(_mm256_cmp_ps(high, right, _CMP_NLT_UQ));

    return (uint64_t)(unsigned)(first | second << 8);
}

static void tile(uint64_t hit[ROWS], const float *a, const float *b, size_t dim,
                 const float *alpha, const float *beta, int column)
{
    __m256 low[ROWS], high[ROWS];

#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++)
        low[r] = high[r] = _mm256_setzero_ps();
    for (size_t c = 0; c < dim; c++) {
        __m256 left = _mm256_loadu_ps(b + c * ATTEST_NEAR);
        __m256 right = _mm256_loadu_ps(b + c * ATTEST_NEAR + 8);
#pragma GCC unroll 4 /* or the sums would live in memory */
        for (int r = 0; r < ROWS; r++) {
            __m256 x = _mm256_broadcast_ss(a + c * ATTEST_NEAR + r);
            low[r] = _mm256_fmadd_ps(x, left, low[r]);
            high[r] = _mm256_fmadd_ps(x, right, high[r]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++)
        hit[r] |= compare(low[r], high[r], alpha[r], beta) << column;
}

void attest_avx2_near(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
                      const float alpha[ATTEST_NEAR], const float beta[ATTEST_NEAR])
{
    for (int i = 0; i < ATTEST_NEAR; i++)
        hit[i] = 0;
    for (int j = 0; j < ATTEST_NEAR; j += COLUMNS)
        for (int i = 0; i < ATTEST_NEAR; i += ROWS)
            tile(hit + i, a + i, b + j, dim, alpha + i, beta + j, j);
}
