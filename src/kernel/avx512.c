/* avx512.c -- the kernel for x86 processors with AVX-512: the texts of the AVX2 kernel
 * for eight lanes. The results are those of the AVX2 kernel to the bit. */
#include "kernel/attention_avx512.h"

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && attest_kernel_avx2.available();
}

static void softmax(const struct kernel_task *task)
{
    if (attention_is_tiny(task))
        attest_avx512_tiny_softmax(task);
    else if (!attest_avx512_panel_softmax(task))
        attest_kernel_scalar.softmax(task); /* needs no memory */
}

static void hardmax(const struct kernel_task *task)
{
    if (attention_is_tiny(task))
        attest_avx512_tiny_hardmax(task);
    else if (!attest_avx512_panel_hardmax(task))
        attest_kernel_scalar.hardmax(task);
}

const struct kernel attest_kernel_avx512 = {"avx512",          KERNEL_AVX512, has_avx512,
                                            attest_avx512_exp, softmax,       hardmax,
                                            attest_avx512_sums};
