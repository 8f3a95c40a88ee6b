/* avx2.c -- the kernel for x86 processors with AVX2 and FMA. */
#include "kernel/attention_avx2.h"

static bool has_avx2(void)
{
    /* Asks the processor and the operating system. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static void softmax(const struct kernel_task *task)
{
    if (attention_is_tiny(task))
        attest_avx2_tiny_softmax(task);
    else if (!attest_avx2_panel_softmax(task))
        attest_kernel_scalar.softmax(task); /* needs no memory */
}

static void hardmax(const struct kernel_task *task)
{
    if (attention_is_tiny(task))
        attest_avx2_tiny_hardmax(task);
    else if (!attest_avx2_panel_hardmax(task))
        attest_kernel_scalar.hardmax(task);
}

const struct kernel attest_kernel_avx2 = {
    "avx2", KERNEL_AVX2, has_avx2, attest_avx2_exp, softmax, hardmax, attest_avx2_sums};
