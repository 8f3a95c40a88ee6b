/* assert.h -- the hypotheses of the error bound, checked at run time in a build that was
 * configured with --enable-debug. The names H0, H1, ... are those of
 * proofs-notes/kernel-error.md; "domain" is that of proofs-notes/kernel-exp.md. */
#ifndef ATTEST_KERNEL_ASSERT_H
#define ATTEST_KERNEL_ASSERT_H

#include "config.h"

#ifdef ATTEST_DEBUG
/* Says which hypothesis fails where, and aborts. */
_Noreturn void attest_kernel_fail(const char *hypothesis, const char *text, const char *file,
                                  int line);
#define KERNEL_ASSERT(hypothesis, condition)                                                   \
    ((condition) ? (void)0 : attest_kernel_fail(#hypothesis, #condition, __FILE__, __LINE__))
#else
#define KERNEL_ASSERT(hypothesis, condition) ((void)0)
#endif

#endif
