/* near_vectors.c -- near pairs with an instruction set: tiles of 4 x 16 with AVX2, of 8 x 32
 * with AVX-512. The sums of a tile stay in registers. kernel.am defines VECTOR_LANES, the
 * doubles of a vector. */
#include <immintrin.h>

#include "geometry/near.h"

enum { ROWS = VECTOR_LANES, LANES = 2 * VECTOR_LANES, COLUMNS = 2 * LANES };

#if VECTOR_LANES == 8
#define FLOATS(operation) _mm512_##operation
#define NEAR attest_near_block_avx512
typedef __m512 floats;
#else
#define FLOATS(operation) _mm256_##operation
#define NEAR attest_near_block_avx2
typedef __m256 floats;
#endif

/* Bit l is that of lane l, set for a NaN. */
static inline uint64_t not_less(floats a, floats b)
{
#if VECTOR_LANES == 8
    return _mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ);
#else
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NLT_UQ));
#endif
}

#define EACH_ROW _Pragma("GCC unroll 8") for (int r = 0; r < ROWS; r++)

static void tile(uint64_t hit[ROWS], const float *a, const float *b, size_t dim,
                 const float *alpha, const float *beta, int column)
{
    floats low[ROWS], high[ROWS];

    EACH_ROW low[r] = high[r] = FLOATS(set1_ps)(0.0f);
    for (size_t c = 0; c < dim; c++) {
        floats left = FLOATS(loadu_ps)(b + c * ATTEST_NEAR);
        floats right = FLOATS(loadu_ps)(b + c * ATTEST_NEAR + LANES);

        EACH_ROW /* unrolled, or the sums would live in memory */
        {
            floats x = FLOATS(set1_ps)(a[c * ATTEST_NEAR + (size_t)r]);

            low[r] = FLOATS(fmadd_ps)(x, left, low[r]);
            high[r] = FLOATS(fmadd_ps)(x, right, high[r]);
        }
    }
    EACH_ROW
    {
        floats row = FLOATS(set1_ps)(alpha[r]);
        uint64_t first = not_less(low[r], FLOATS(add_ps)(row, FLOATS(loadu_ps)(beta)));
        uint64_t last = not_less(high[r], FLOATS(add_ps)(row, FLOATS(loadu_ps)(beta + LANES)));

        hit[r] |= (first | last << LANES) << column;
    }
}

void NEAR(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
          const float alpha[ATTEST_NEAR], const float beta[ATTEST_NEAR])
{
    for (int i = 0; i < ATTEST_NEAR; i++)
        hit[i] = 0;
    for (int j = 0; j < ATTEST_NEAR; j += COLUMNS)
        for (int i = 0; i < ATTEST_NEAR; i += ROWS)
            tile(hit + i, a + i, b + j, dim, alpha + i, beta + j, j);
}
