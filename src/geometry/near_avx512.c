/* near_avx512.c -- near pairs with AVX-512: tiles of 8 x 32. */
#include "geometry/near.h"

#include <immintrin.h>

enum { ROWS = 8, LANES = 16 };

typedef __m512 floats;

static inline floats floats_set(float x)
{
    return _mm512_set1_ps(x);
}

static inline floats floats_load(const float *x)
{
    return _mm512_loadu_ps(x);
}

static inline floats floats_add(floats a, floats b)
{
    return _mm512_add_ps(a, b);
}

static inline floats floats_fma(floats a, floats b, floats c)
{
    return _mm512_fmadd_ps(a, b, c);
}

/* Bit l is that of lane l, set for a NaN. */
static inline uint64_t floats_not_less(floats a, floats b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ);
}

#define NEAR attest_near_block_avx512
#include "geometry/near.inc"
