/* avx512.c -- the kernel for x86 processors with AVX-512: its own exponential, and the
 * attention of the AVX2 kernel, with the same results to the bit. */
#include "kernel/attention_avx2.h"
#include "kernel/attention_avx512.h"

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           attest_kernel_avx2.available();
}

const struct kernel attest_kernel_avx512 = {
    "avx512",        has_avx512, attest_avx512_exp, attest_avx2_softmax, attest_avx2_hardmax,
    attest_avx2_near};
