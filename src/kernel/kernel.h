/* kernel.h -- what a kernel is. */
#ifndef ATTEST_KERNEL_KERNEL_H
#define ATTEST_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/sums.h"

/* One call for a whole batch; row-major arrays as in <attest/kernel.h>. */
struct kernel_task {
    double *out;
    const double *q, *k, *v;
    size_t batch, n, d;
    double *error; /* or NULL */
    bool causal;
};

/* The keys that row i sees are 0, ..., kernel_visible - 1. */
static inline size_t kernel_visible(const struct kernel_task *task, size_t i)
{
    return task->causal ? i + 1 : task->n;
}

/* The least argument of an exponential in softmax; smaller ones are replaced by it: step (3) of
 * proofs-notes/kernel-error.md. Above it no weight is subnormal. */
#define KERNEL_LEAST_ARGUMENT -708.0

/* Instruction sets. Rooms with loops of their own (geometry/near.h, judge/loops.h) choose them
 * by the kernel in use. */
enum kernel_isa { KERNEL_SCALAR, KERNEL_AVX2, KERNEL_AVX512 };

struct kernel {
    const char *name;
    enum kernel_isa isa;
    bool (*available)(void); /* whether this machine can run it */
    void (*exp)(double *y, const double *x, size_t count);
    void (*softmax)(const struct kernel_task *task);
    void (*hardmax)(const struct kernel_task *task);
    size_t (*sums)(double *y, const struct kernel_sums *sums,
                   const struct kernel_rounding *rounding, bool *outside);
};

extern const struct kernel attest_kernel_scalar;
extern const struct kernel attest_kernel_avx2;
extern const struct kernel attest_kernel_avx512;

/* The instruction set of the kernel in use. */
enum kernel_isa attest_kernel_isa(void);

#endif
