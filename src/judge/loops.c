/* loops.c -- the choice of the loops by the instruction set of the kernel in use. */
#include "judge/loops.h"

#include "config.h"
#include "kernel/kernel.h"

const struct judge_loops *attest_judge_loops(void)
{
    switch (attest_kernel_isa()) {
#ifdef ATTEST_KERNEL_AVX512
    case KERNEL_AVX512:
        return &attest_judge_loops_avx512;
#endif
#ifdef ATTEST_KERNEL_AVX2
    case KERNEL_AVX2:
        return &attest_judge_loops_avx2;
#endif
    default:
        return &attest_judge_loops_scalar;
    }
}
