/* attention-peers.c -- other ways to compute softmax attention, for comparison. */
#include "config.h"

#include "bench/bench-attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <attest/kernel.h>

#if defined(ATTEST_KERNEL_AVX2)
#include <immintrin.h>
#endif
#ifdef ATTEST_PEER_LIBMVEC
#include <gnu/libc-version.h>
#endif
#if defined(ATTEST_PEER_OPENBLAS) && defined(ATTEST_PEER_LIBMVEC)
#include <cblas.h>
#endif

bool bench_is_wide(void)
{
    return strcmp(attest_kernel_name(), "avx512") == 0;
}

#ifdef ATTEST_KERNEL_AVX2
#define FMA(v, i) "vfmadd132pd %%" v #i ", %%" v #i ", %%" v #i "\n\t"
#define TWELVE(v)                                                                              \
    __asm__ volatile(FMA(v, 0) FMA(v, 1) FMA(v, 2) FMA(v, 3) FMA(v, 4) FMA(v, 5) FMA(v, 6)     \
                         FMA(v, 7) FMA(v, 8) FMA(v, 9) FMA(v, 10) FMA(v, 11)                   \
                     :                                                                         \
                     :                                                                         \
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                       "xmm9", "xmm10", "xmm11")

void bench_fma(void *context)
{
    const bool wide = bench_is_wide();

    (void)context;
    if (wide)
        for (long r = 0; r < BENCH_FMA_COUNT / 24; r++)
            TWELVE("zmm");
    else
        for (long r = 0; r < BENCH_FMA_COUNT / 12; r++)
            TWELVE("ymm");
    __asm__ volatile("vzeroall" : : : "xmm0");
}
#else
void bench_fma(void *context)
{
    volatile double x = 0.5;

    (void)context;
    for (long r = 0; r < BENCH_FMA_COUNT; r++)
        x = fma(x, x, x);
}
#endif

static void plain_row(double *out, const double *q, const double *k, const double *v, size_t n,
                      size_t d, double *weight)
{
    double top = -INFINITY, sum = 0.0;

    for (size_t j = 0; j < n; j++) {
        weight[j] = 0.0;
        for (size_t c = 0; c < d; c++)
            weight[j] += q[c] * k[j * d + c];
        top = weight[j] > top ? weight[j] : top;
    }
    for (size_t c = 0; c < d; c++)
        out[c] = 0.0;
    for (size_t j = 0; j < n; j++) {
        weight[j] = exp(weight[j] - top);
        sum += weight[j];
        for (size_t c = 0; c < d; c++)
            out[c] += weight[j] * v[j * d + c];
    }
    for (size_t c = 0; c < d; c++)
        out[c] /= sum;
}

void bench_plain(void *context)
{
    struct attention *a = context;

    for (size_t b = 0; b < a->batch; b++)
        for (size_t i = 0; i < a->n; i++)
            plain_row(a->out + (b * a->n + i) * a->d, a->q + (b * a->n + i) * a->d,
                      a->k + b * a->n * a->d, a->v + b * a->n * a->d, a->n, a->d, a->scratch);
}

#if defined(ATTEST_PEER_OPENBLAS) && defined(ATTEST_PEER_LIBMVEC)
const bool bench_has_openblas = true;

void bench_print_peers(void)
{
    printf("peers: %s, core %s; libmvec of glibc %s, exp of %d lanes\n", openblas_get_config(),
           openblas_get_corename(), gnu_get_libc_version(), bench_is_wide() ? 8 : 4);
}

__m256d _ZGVdN4v_exp(__m256d);

#ifdef ATTEST_KERNEL_AVX512
__m512d _ZGVeN8v_exp(__m512d);

/* The exponentials of a row, eight at a time; returns how many. */
__attribute__((target("avx512f"))) static size_t exp_wide(double *line, size_t n, double top)
{
    size_t j = 0;

    for (; j + 8 <= n; j += 8) {
        __m512d x = _mm512_sub_pd(_mm512_loadu_pd(line + j), _mm512_set1_pd(top));

        _mm512_storeu_pd(line + j, _ZGVeN8v_exp(x));
    }
    return j;
}
#else
static size_t exp_wide(double *line, size_t n, double top)
{
    (void)line;
    (void)n;
    (void)top;
    return 0;
}
#endif

/* A row of scores becomes normalised weights. */
__attribute__((target("avx2,fma"))) static void softmax_line(double *line, size_t n)
{
    double top = line[0], sum = 0.0, scale;
    size_t j = 0;

    for (size_t i = 1; i < n; i++)
        top = line[i] > top ? line[i] : top;
    if (bench_is_wide())
        j = exp_wide(line, n, top);
    for (; j + 4 <= n; j += 4) {
        __m256d x = _mm256_sub_pd(_mm256_loadu_pd(line + j), _mm256_set1_pd(top));

        _mm256_storeu_pd(line + j, _ZGVdN4v_exp(x));
    }
    for (; j < n; j++)
        line[j] = exp(line[j] - top);
    for (size_t i = 0; i < n; i++)
        sum += line[i];
    scale = 1.0 / sum;
    for (size_t i = 0; i < n; i++)
        line[i] *= scale;
}

void bench_openblas(void *context)
{
    struct attention *a = context;
    const int n = (int)a->n, d = (int)a->d;

    openblas_set_num_threads(1);
    for (size_t b = 0; b < a->batch; b++) {
        size_t offset = b * a->n * a->d;

        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, d, 1.0, a->q + offset, d,
                    a->k + offset, d, 0.0, a->scratch, n);
        for (size_t i = 0; i < a->n; i++)
            softmax_line(a->scratch + i * a->n, a->n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, d, n, 1.0, a->scratch, n,
                    a->v + offset, d, 0.0, a->out + offset, d);
    }
}
#else
const bool bench_has_openblas = false;

void bench_print_peers(void)
{
    printf("peers: no OpenBLAS with libmvec here\n");
}

void bench_openblas(void *context)
{
    (void)context;
}
#endif
