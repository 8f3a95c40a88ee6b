/* attention_avx512.h -- the parts of the AVX-512 kernel. */
#ifndef ATTEST_KERNEL_ATTENTION_AVX512_H
#define ATTEST_KERNEL_ATTENTION_AVX512_H

#include "kernel/attention_avx2.h"

void attest_avx512_exp(double *y, const double *x, size_t count);
kernel_weights attest_avx512_weights;

void attest_avx512_tiny_softmax(const struct kernel_task *task);
void attest_avx512_tiny_hardmax(const struct kernel_task *task);

bool attest_avx512_panel_softmax(const struct kernel_task *task);
bool attest_avx512_panel_hardmax(const struct kernel_task *task);

#endif
