/* near.c -- near pairs: for any machine, and by the instruction set of the kernel in use. */
#include "geometry/near.h"

#include "config.h"
#include "kernel/kernel.h"

static void block_scalar(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
                         const float alpha[ATTEST_NEAR], const float beta[ATTEST_NEAR])
{
    for (int i = 0; i < ATTEST_NEAR; i++) {
        float p[ATTEST_NEAR] = {0};
        for (size_t c = 0; c < dim; c++)
            for (int j = 0; j < ATTEST_NEAR; j++)
                p[j] += a[c * ATTEST_NEAR + i] * b[c * ATTEST_NEAR + j];
        hit[i] = 0;
        for (int j = 0; j < ATTEST_NEAR; j++)
            hit[i] |= (uint64_t) !(p[j] < alpha[i] + beta[j]) << j;
    }
}

void attest_near_block(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
                       const float alpha[ATTEST_NEAR], const float beta[ATTEST_NEAR])
{
    switch (attest_kernel_isa()) {
#ifdef ATTEST_KERNEL_AVX512
    case KERNEL_AVX512:
        attest_near_block_avx512(hit, a, b, dim, alpha, beta);
        return;
#endif
#ifdef ATTEST_KERNEL_AVX2
    case KERNEL_AVX2:
        attest_near_block_avx2(hit, a, b, dim, alpha, beta);
        return;
#endif
    default:
        block_scalar(hit, a, b, dim, alpha, beta);
    }
}
