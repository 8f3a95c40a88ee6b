/* bench-exp.c -- the exponential against libmvec, SLEEF and the C library. */
#include "config.h"

#include <string.h>

#include <attest/kernel.h>

#include "bench/timing.h"

#if defined(ATTEST_PEER_LIBMVEC) || defined(ATTEST_PEER_SLEEF)
#include <immintrin.h>
#endif

#define COUNT 1024
#define REPEAT 20

struct arrays {
    double x[COUNT], y[COUNT];
};

/* Keeps the compiler from removing a repetition. */
static void use(double *y)
{
    __asm__ volatile("" : : "r"(y) : "memory");
}

static void run_kernel(void *context)
{
    struct arrays *arrays = context;

    for (int r = 0; r < REPEAT; r++) {
        attest_kernel_exp(arrays->y, arrays->x, COUNT);
        use(arrays->y);
    }
}

static void run_libm(void *context)
{
    struct arrays *arrays = context;

    for (int r = 0; r < REPEAT; r++) {
        for (size_t i = 0; i < COUNT; i++)
            arrays->y[i] = exp(arrays->x[i]);
        use(arrays->y);
    }
}

#ifdef ATTEST_PEER_LIBMVEC
__m256d _ZGVdN4v_exp(__m256d);

__attribute__((target("avx2,fma"))) static void run_libmvec(void *context)
{
    struct arrays *arrays = context;

    for (int r = 0; r < REPEAT; r++) {
#pragma GCC unroll 4
        for (size_t i = 0; i < COUNT; i += 4)
            _mm256_storeu_pd(arrays->y + i, _ZGVdN4v_exp(_mm256_loadu_pd(arrays->x + i)));
        use(arrays->y);
    }
}
#endif

#if defined(ATTEST_PEER_LIBMVEC) && defined(ATTEST_KERNEL_AVX512)
__m512d _ZGVeN8v_exp(__m512d);

__attribute__((target("avx512f"))) static void run_libmvec_avx512(void *context)
{
    struct arrays *arrays = context;

    for (int r = 0; r < REPEAT; r++) {
#pragma GCC unroll 4
        for (size_t i = 0; i < COUNT; i += 8)
            _mm512_storeu_pd(arrays->y + i, _ZGVeN8v_exp(_mm512_loadu_pd(arrays->x + i)));
        use(arrays->y);
    }
}
#endif

#ifdef ATTEST_PEER_SLEEF
__m256d Sleef_expd4_u10avx2(__m256d); /* <sleef.h> has it only where all code may use AVX2 */

__attribute__((target("avx2,fma"))) static void run_sleef(void *context)
{
    struct arrays *arrays = context;

    for (int r = 0; r < REPEAT; r++) {
        for (size_t i = 0; i < COUNT; i += 4)
            _mm256_storeu_pd(arrays->y + i,
                             Sleef_expd4_u10avx2(_mm256_loadu_pd(arrays->x + i)));
        use(arrays->y);
    }
}
#endif

static void race(struct arrays *arrays, double low, double high)
{
    struct contestant all[8] = {{"libm", run_libm, 0}};
    const char *kernel[8];
    size_t peers = 1, count;
    uint64_t state = 7;

    for (size_t i = 0; i < COUNT; i++)
        arrays->x[i] = 0.5 * (low + high) + 0.5 * (high - low) * timing_random(&state);
#ifdef ATTEST_PEER_LIBMVEC
    all[peers++] = (struct contestant){"libmvec", run_libmvec, 0};
#endif
#ifdef ATTEST_PEER_SLEEF
    all[peers++] = (struct contestant){"SLEEF u10", run_sleef, 0};
#endif
#if defined(ATTEST_PEER_LIBMVEC) && defined(ATTEST_KERNEL_AVX512)
    if (strcmp(attest_kernel_list(0), "avx512") == 0)
        all[peers++] = (struct contestant){"libmvec AVX-512", run_libmvec_avx512, 0};
#endif
    printf("exp, %d doubles in [%g, %g], ns per element\n", COUNT, low, high);
    for (size_t k = 0; (kernel[k] = attest_kernel_list(k)) != NULL; k++) {
        if (attest_kernel_select(kernel[k]) != ATTEST_OK)
            continue;
        count = peers;
        all[count++] = (struct contestant){kernel[k], run_kernel, 0};
        timing_race(all, count, arrays, 1.0);
        printf("  attest %-7s %7.3f", kernel[k], all[peers].best * 1e9 / COUNT / REPEAT);
        for (size_t i = 0; i < peers; i++)
            printf("   %.2fx %s (%.3f)", all[i].best / all[peers].best, all[i].name,
                   all[i].best * 1e9 / COUNT / REPEAT);
        printf("\n");
    }
}

int main(void)
{
    static struct arrays arrays;

    race(&arrays, -40.0, 0.0);
    race(&arrays, -700.0, 700.0);
    return 0;
}
