/* attention_avx2.h -- the parts of the AVX2 kernel. */
#ifndef ATTEST_KERNEL_ATTENTION_AVX2_H
#define ATTEST_KERNEL_ATTENTION_AVX2_H

#include "kernel/kernel.h"

/* Sequences up to these sizes are evaluated several at a time, one to a lane. */
#define TINY_LENGTH 16
#define TINY_DIM 16
#define TINY_SIZE 128

static inline bool attention_is_tiny(const struct kernel_task *task)
{
    return task->n <= TINY_LENGTH && task->d <= TINY_DIM && task->n * task->d <= TINY_SIZE;
}

void attest_avx2_exp(double *y, const double *x, size_t count);

void attest_avx2_tiny_softmax(const struct kernel_task *task);
void attest_avx2_tiny_hardmax(const struct kernel_task *task);

/* The first m scores of a row, whose largest is given, become weights; those up to a multiple
 * of 8 may become 0, up to a multiple of 4 they do. Returns the sum of the weights, each of
 * which passes at most m/16 + 8 roundings. */
typedef double kernel_weights(double *score, size_t m, double largest);
kernel_weights attest_avx2_weights;

/* Return false, having done nothing, when there is no memory. */
bool attest_avx2_panel_softmax(const struct kernel_task *task);
bool attest_avx2_panel_hardmax(const struct kernel_task *task);

#endif
