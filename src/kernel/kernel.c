/* kernel.c -- the public functions, and the kernel that they call.
 *
 * Dispatch is one plain pointer, set once. Linker-level dispatch (ifunc) would save its load, a
 * nanosecond per call, but runs before the program starts: no kernel could be chosen, it is
 * absent on many systems, and a test could not switch kernels within a process. */
#include <attest/kernel.h>

#include <stdatomic.h>
#include <string.h>

#include "kernel/kernel.h"

#ifdef ATTEST_DEBUG
#include <stdio.h>
#include <stdlib.h>

void attest_kernel_fail(const char *hypothesis, const char *text, const char *file, int line)
{
    fprintf(stderr, "attest: %s:%d: hypothesis %s of the kernels does not hold: %s\n", file,
            line, hypothesis, text);
    abort();
}
#endif

#ifdef ATTEST_KERNEL_AVX2
/* Returns whether processor and operating system support AVX2 and FMA. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static const struct kernel avx2_kernel = {"avx2",
                                          KERNEL_AVX2,
                                          has_avx2,
                                          attest_avx2_exp,
                                          attest_avx2_short_softmax,
                                          attest_avx2_short_hardmax,
                                          attest_avx2_long_softmax,
                                          attest_avx2_long_hardmax,
                                          attest_avx2_sums};
#endif

#ifdef ATTEST_KERNEL_AVX512
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && has_avx2();
}

static const struct kernel avx512_kernel = {"avx512",
                                            KERNEL_AVX512,
                                            has_avx512,
                                            attest_avx512_exp,
                                            attest_avx512_short_softmax,
                                            attest_avx512_short_hardmax,
                                            attest_avx512_long_softmax,
                                            attest_avx512_long_hardmax,
                                            attest_avx512_sums};
#endif

/* Fastest first. */
static const struct kernel *const kernels[] = {
#ifdef ATTEST_KERNEL_AVX512
    &avx512_kernel,
#endif
#ifdef ATTEST_KERNEL_AVX2
    &avx2_kernel,
#endif
    &attest_kernel_scalar,
};
#define KERNELS (sizeof kernels / sizeof kernels[0])

/* NULL until the first choice. Atomic, because threads may race to choose: all choose the same
 * kernel, which is constant. */
static _Atomic(const struct kernel *) active;

/* Returns the available kernel with that name, the fastest one for a name of NULL, or NULL if
 * it is not available. */
static const struct kernel *find(const char *name)
{
    for (size_t i = 0; i < KERNELS; i++)
        if ((!name || strcmp(name, kernels[i]->name) == 0) && kernels[i]->available())
            return kernels[i];
    return NULL;
}

attest_status attest_kernel_select(const char *name)
{
    const struct kernel *kernel = find(name);

    if (!kernel)
        return ATTEST_USAGE;
    atomic_store_explicit(&active, kernel, memory_order_relaxed);
    return ATTEST_OK;
}

#ifdef ATTEST_DEBUG
/* H0, tested on results: ties go to even upwards and downwards, and half the least normal
 * number is not 0. */
static bool rounds_to_nearest(void)
{
    volatile double one = 1.0, half = 0x1p-53, least = 0x1p-1022;

    return one + half == one && one + 0x1.8p-53 > one && -one - half == -one &&
           -one - 0x1.8p-53 < -one && least * 0.5 != 0.0;
}
#endif

static const struct kernel *get(void)
{
    const struct kernel *kernel = atomic_load_explicit(&active, memory_order_relaxed);

    KERNEL_ASSERT(H0, rounds_to_nearest());
    if (!kernel) {
        kernel = find(NULL); /* there is always scalar */
        atomic_store_explicit(&active, kernel, memory_order_relaxed);
    }
    return kernel;
}

const char *attest_kernel_name(void)
{
    return get()->name;
}

const char *attest_kernel_list(size_t i)
{
    for (size_t j = 0; j < KERNELS; j++)
        if (kernels[j]->available() && i-- == 0)
            return kernels[j]->name;
    return NULL;
}

size_t attest_kernel_sums(double *y, const struct kernel_sums *sums,
                          const struct kernel_rounding *rounding, bool *outside)
{
    return get()->sums(y, sums, rounding, outside);
}

void attest_kernel_exp(double *y, const double *x, size_t count)
{
    get()->exp(y, x, count);
}

/* Computes short sequences one to a lane, others in tiles or, where there is no memory, by the
 * scalar kernel, which allocates nothing. */
static void attend(const struct kernel_task *task, bool hardmax)
{
    const struct kernel *kernel = get(), *scalar = &attest_kernel_scalar;
    bool is_short =
        task->n <= SHORT_LENGTH && task->d <= SHORT_DIM && task->n * task->d <= SHORT_SIZE;

    if (is_short && kernel->short_softmax)
        (hardmax ? kernel->short_hardmax : kernel->short_softmax)(task);
    else if (!(hardmax ? kernel->hardmax : kernel->softmax)(task))
        (hardmax ? scalar->hardmax : scalar->softmax)(task);
}

void attest_kernel_softmax_attention(double *out, const double *q, const double *k,
                                     const double *v, size_t batch, size_t n, size_t d,
                                     double *error)
{
    attend(&(struct kernel_task){out, q, k, v, batch, n, d, error, false}, false);
}

void attest_kernel_softmax_attention_causal(double *out, const double *q, const double *k,
                                            const double *v, size_t batch, size_t n, size_t d,
                                            double *error)
{
    attend(&(struct kernel_task){out, q, k, v, batch, n, d, error, true}, false);
}

void attest_kernel_hardmax_attention(double *out, const double *q, const double *k,
                                     const double *v, size_t batch, size_t n, size_t d,
                                     double *error)
{
    attend(&(struct kernel_task){out, q, k, v, batch, n, d, error, false}, true);
}

void attest_kernel_hardmax_attention_causal(double *out, const double *q, const double *k,
                                            const double *v, size_t batch, size_t n, size_t d,
                                            double *error)
{
    attend(&(struct kernel_task){out, q, k, v, batch, n, d, error, true}, true);
}

enum kernel_isa attest_kernel_isa(void)
{
    return get()->isa;
}
