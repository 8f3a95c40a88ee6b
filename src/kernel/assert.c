/* assert.c -- what a failed hypothesis says; see assert.h. */
#include "kernel/assert.h"

#ifdef ATTEST_DEBUG
#include <stdio.h>
#include <stdlib.h>

void attest_kernel_fail(const char *hypothesis, const char *text, const char *file, int line)
{
    fprintf(stderr, "attest: %s:%d: hypothesis %s of the kernels does not hold: %s\n", file,
            line, hypothesis, text);
    abort();
}
#else
/* ISO C forbids an empty file. */
typedef int attest_kernel_assert_nothing;
#endif
