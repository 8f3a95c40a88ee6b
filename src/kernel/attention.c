/* attention.c -- attention with the instruction set that this file is compiled for: short
 * sequences one to a lane, others in tiles, or by the scalar kernel, which allocates nothing,
 * where there is no memory. */
#include "kernel/kernel.h"

void KERNEL_FUNCTION(softmax)(const struct kernel_task *task)
{
    if (kernel_is_short(task))
        KERNEL_FUNCTION(short_softmax)(task);
    else if (!KERNEL_FUNCTION(long_softmax)(task))
        attest_kernel_scalar.softmax(task);
}

void KERNEL_FUNCTION(hardmax)(const struct kernel_task *task)
{
    if (kernel_is_short(task))
        KERNEL_FUNCTION(short_hardmax)(task);
    else if (!KERNEL_FUNCTION(long_hardmax)(task))
        attest_kernel_scalar.hardmax(task);
}
