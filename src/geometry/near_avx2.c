/* near_avx2.c -- near pairs with AVX2 and FMA: tiles of 4 x 16. */
#include "geometry/near.h"

#include <immintrin.h>

enum { ROWS = 4, LANES = 8 };

typedef __m256 floats;

static inline floats floats_set(float x)
{
    return _mm256_set1_ps(x);
}

static inline floats floats_load(const float *x)
{
    return _mm256_loadu_ps(x);
}

static inline floats floats_add(floats a, floats b)
{
    return _mm256_add_ps(a, b);
}

static inline floats floats_fma(floats a, floats b, floats c)
{
    return _mm256_fmadd_ps(a, b, c);
}

/* Bit l is that of lane l, set for a NaN. */
static inline uint64_t floats_not_less(floats a, floats b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NLT_UQ));
}

#define NEAR attest_near_block_avx2
#include "geometry/near.inc"
