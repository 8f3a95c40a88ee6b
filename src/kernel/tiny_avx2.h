/* tiny_avx2.h -- four short sequences, one to a lane (structure of arrays). */
#ifndef ATTEST_KERNEL_TINY_AVX2_H
#define ATTEST_KERNEL_TINY_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "kernel/attention_avx2.h"
#include "kernel/bound.h"

#define TINY_SIZE (TINY_LENGTH * TINY_DIM)
/* Loads that agree with a recent store in the low 12 bits of the address have to wait for it:
 * an odd number of vectors more keeps the arrays apart. */
#define TINY_ROOM (TINY_SIZE + 33)

/* Entry c of token i of the four sequences is vector i*d + c. */
struct tiny {
    size_t n, d;
    __m256d q[TINY_ROOM], k[TINY_ROOM], v[TINY_ROOM], out[TINY_ROOM];
    __m256d denominator[TINY_LENGTH];              /* softmax only */
    __m256d delta[TINY_LENGTH], norm[TINY_LENGTH]; /* softmax with bounds: see bound.h */
    __m256d error[TINY_LENGTH];
};

/* Four arrays of count doubles become count vectors. */
static inline void tiny_load(__m256d *to, const double *const from[4], size_t count)
{
    size_t i = 0;

    for (; i + 2 <= count; i += 2) {
        __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(from[0] + i)),
                                            _mm_loadu_pd(from[2] + i), 1);
        __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(from[1] + i)),
                                           _mm_loadu_pd(from[3] + i), 1);

        to[i] = _mm256_unpacklo_pd(even, odd);
        to[i + 1] = _mm256_unpackhi_pd(even, odd);
    }
    if (i < count)
        to[i] = _mm256_setr_pd(from[0][i], from[1][i], from[2][i], from[3][i]);
}

/* The reverse. The first `lanes` arrays are written. */
static inline void tiny_store(double *const to[4], const __m256d *from, size_t count,
                              size_t lanes)
{
    size_t i = 0;

    for (; lanes == 4 && i + 2 <= count; i += 2) {
        __m256d even = _mm256_unpacklo_pd(from[i], from[i + 1]);
        __m256d odd = _mm256_unpackhi_pd(from[i], from[i + 1]);

        _mm_storeu_pd(to[0] + i, _mm256_castpd256_pd128(even));
        _mm_storeu_pd(to[1] + i, _mm256_castpd256_pd128(odd));
        _mm_storeu_pd(to[2] + i, _mm256_extractf128_pd(even, 1));
        _mm_storeu_pd(to[3] + i, _mm256_extractf128_pd(odd, 1));
    }
    for (; i < count; i++) {
        double lane[4];

        _mm256_storeu_pd(lane, from[i]);
        for (size_t l = 0; l < lanes; l++)
            to[l][i] = lane[l];
    }
}

/* Loads batch entries b, b+1, b+2, b+3; past the end of the batch the last one is repeated, so
 * that the lanes in use see the same arithmetic as always. Returns the number in use. */
static inline size_t tiny_fetch(struct tiny *tiny, const struct kernel_task *task, size_t b)
{
    size_t size = task->n * task->d, lanes = task->batch - b < 4 ? task->batch - b : 4;
    const double *q[4], *k[4], *v[4];

    for (size_t l = 0; l < 4; l++) {
        size_t offset = (b + (l < lanes ? l : lanes - 1)) * size;

        q[l] = task->q + offset;
        k[l] = task->k + offset;
        v[l] = task->v + offset;
    }
    tiny_load(tiny->q, q, size);
    tiny_load(tiny->k, k, size);
    tiny_load(tiny->v, v, size);
    return lanes;
}

static inline void tiny_put(const struct tiny *tiny, const struct kernel_task *task, size_t b,
                            size_t lanes)
{
    size_t size = task->n * task->d;
    double *out[4], *error[4];

    for (size_t l = 0; l < lanes; l++)
        out[l] = task->out + (b + l) * size;
    tiny_store(out, tiny->out, size, lanes);
    if (!task->error)
        return;
    for (size_t l = 0; l < lanes; l++)
        error[l] = task->error + (b + l) * task->n;
    tiny_store(error, tiny->error, task->n, lanes);
}

/* The squares of the norm and of the weighted norm of a token, at least; see bound.h. */
static inline __attribute__((always_inline)) __m256d tiny_square(const __m256d *x, size_t d)
{
    __m256d square = _mm256_set1_pd(ATTEST_BOUND_SQUARE_FLOOR);

#pragma GCC unroll 4
    for (size_t c = 0; c < d; c++)
        square = _mm256_fmadd_pd(x[c], x[c], square);
    return square;
}

static inline __attribute__((always_inline)) __m256d tiny_weighted_square(const __m256d *x,
                                                                          size_t d)
{
    __m256d square = _mm256_set1_pd(ATTEST_BOUND_SQUARE_FLOOR), sum = _mm256_setzero_pd();

#pragma GCC unroll 4
    for (size_t c = 0; c < d; c++) { /* entry c is in d - c of the squares that are added up */
        square = _mm256_fmadd_pd(x[c], x[c], square);
        sum = _mm256_add_pd(sum, square);
    }
    return sum;
}

/* score[j] = q . k_j for the first m keys, m a compile-time constant or not. */
static inline __attribute__((always_inline)) void
tiny_scores(__m256d *score, const __m256d *q, const __m256d *k, size_t d, const int m)
{
#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        score[j] = _mm256_mul_pd(q[0], k[(size_t)j * d]);
    for (size_t c = 1; c < d; c++) {
#pragma GCC unroll 8
        for (int j = 0; j < m; j++)
            score[j] = _mm256_fmadd_pd(q[c], k[(size_t)j * d + c], score[j]);
    }
}

#endif
