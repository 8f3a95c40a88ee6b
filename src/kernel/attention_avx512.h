/* attention_avx512.h -- the parts of the AVX-512 kernel. */
#ifndef ATTEST_KERNEL_ATTENTION_AVX512_H
#define ATTEST_KERNEL_ATTENTION_AVX512_H

#include <stddef.h>

void attest_avx512_exp(double *y, const double *x, size_t count);

#endif
