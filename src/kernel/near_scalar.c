/* near_scalar.c -- near pairs, for any machine. */
#include "kernel/near.h"

void attest_scalar_near(uint64_t hit[ATTEST_NEAR], const float *a, const float *b, size_t dim,
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
