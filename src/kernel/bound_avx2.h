/* bound_avx2.h -- the bounds of bound_vectors.h for four rows at once. */
#ifndef ATTEST_KERNEL_BOUND_AVX2_H
#define ATTEST_KERNEL_BOUND_AVX2_H

#include "kernel/vector_avx2.h"

#include "kernel/bound_vectors.h"

#endif
