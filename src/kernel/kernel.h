/* kernel.h -- the functions that every kernel implements, and its parts. */
#ifndef ATTEST_KERNEL_KERNEL_H
#define ATTEST_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "kernel/sums.h"

/* The hypotheses of the error bound, checked at run time in a build that was configured with
 * --enable-debug. The names H0, H1, ... are those of proofs-notes/kernel-error.md; "domain" is
 * that of proofs-notes/kernel-exp.md. */
#ifdef ATTEST_DEBUG
/* Prints which hypothesis fails where, and aborts. */
_Noreturn void attest_kernel_fail(const char *hypothesis, const char *text, const char *file,
                                  int line);
#define KERNEL_ASSERT(hypothesis, condition)                                                   \
    ((condition) ? (void)0 : attest_kernel_fail(#hypothesis, #condition, __FILE__, __LINE__))
#else
#define KERNEL_ASSERT(hypothesis, condition) ((void)0)
#endif

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
 * proofs-notes/kernel-error.md. No weight is subnormal. */
#define KERNEL_LEAST_ARGUMENT -708.0

/* Instruction sets. Rooms with loops of their own (geometry/near.h, judge/loops.h) choose them
 * by the kernel in use. */
enum kernel_isa { KERNEL_SCALAR, KERNEL_AVX2, KERNEL_AVX512 };

struct kernel {
    const char *name;
    enum kernel_isa isa;
    bool (*available)(void); /* true if this machine can run it */
    void (*exp)(double *y, const double *x, size_t count);
    /* Sequences of at most SHORT_LENGTH tokens; NULL: there is no code of their own. */
    void (*short_softmax)(const struct kernel_task *task);
    void (*short_hardmax)(const struct kernel_task *task);
    /* Sequences of any length; false, and nothing done: there is no memory. */
    bool (*softmax)(const struct kernel_task *task);
    bool (*hardmax)(const struct kernel_task *task);
    size_t (*sums)(double *y, const struct kernel_sums *sums,
                   const struct kernel_rounding *rounding, bool *outside);
};

extern const struct kernel attest_kernel_scalar;

/* The instruction set of the kernel in use. */
enum kernel_isa attest_kernel_isa(void);

/* Files that kernel.am compiles once per instruction set define their functions under the name
 * of the instruction set: KERNEL_FUNCTION(exp) is attest_avx2_exp or attest_avx512_exp. The
 * results of both are the same to the bit. */
#ifdef VECTOR_LANES
#if VECTOR_LANES == 8
#define KERNEL_FUNCTION(name) attest_avx512_##name
#else
#define KERNEL_FUNCTION(name) attest_avx2_##name
#endif
#endif

void attest_avx2_exp(double *y, const double *x, size_t count);
void attest_avx512_exp(double *y, const double *x, size_t count);

/* Replaces the first m scores of a row, whose largest is given, by their weights; those up to a
 * multiple of 8 may become 0, up to a multiple of 4 they do. Returns the sum of the weights,
 * each of which passes at most m/16 + 8 roundings. */
double attest_avx2_weights(double *score, size_t m, double largest);
double attest_avx512_weights(double *score, size_t m, double largest);

/* Short sequences, several at a time, one to a lane: up to these sizes. */
enum { SHORT_LENGTH = 16, SHORT_DIM = 16, SHORT_SIZE = 128 };

void attest_avx2_short_softmax(const struct kernel_task *task);
void attest_avx2_short_hardmax(const struct kernel_task *task);
void attest_avx512_short_softmax(const struct kernel_task *task);
void attest_avx512_short_hardmax(const struct kernel_task *task);

bool attest_avx2_long_softmax(const struct kernel_task *task);
bool attest_avx2_long_hardmax(const struct kernel_task *task);
bool attest_avx512_long_softmax(const struct kernel_task *task);
bool attest_avx512_long_hardmax(const struct kernel_task *task);

#endif
