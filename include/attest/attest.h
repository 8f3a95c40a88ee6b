/* attest.h -- the whole public interface of libattest.
 *
 * Threads. Two threads may use different objects at the same time, and read the same one. There
 * is no global state but the kernel in use (kernel.h), which is chosen once. FLINT keeps caches
 * for each thread: a thread ends with flint_cleanup(), a program with flint_cleanup_master().
 *
 * Memory. The library's own allocations fail cleanly, with ATTEST_NOMEM. GMP and FLINT cannot
 * fail: they end the process by abort() if memory is exhausted. A program that needs another
 * message installs its own handlers, mp_set_memory_functions and __flint_set_memory_functions,
 * before its first number, and does not return from them; one that must survive works in a
 * child process. attest_budget limits the memory for the contents of files.
 *
 * The library never prints, never ends the process, reads no environment and draws no progress:
 * errors are texts in attest_error, progress is a function of the caller's (progress.h).
 * Standard input and output are used where a path is "-", and nowhere else. An
 * assertion that fails is a bug of ours and ends the process; NDEBUG leaves assertions out.
 * MPFR's exponent range and flags are restored.
 *
 * Objects are made by init and given back by clear, which the caller pairs; after a failure
 * they can be cleared, too. Outputs come before inputs and, unless a contract states
 * otherwise, do not overlap them. */
#ifndef ATTEST_ATTEST_H
#define ATTEST_ATTEST_H

#include <attest/attention.h>
#include <attest/ball.h>
#include <attest/block.h>
#include <attest/certificate.h>
#include <attest/certify.h>
#include <attest/check.h>
#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/export.h>
#include <attest/filter.h>
#include <attest/flint.h>
#include <attest/format.h>
#include <attest/input.h>
#include <attest/judge.h>
#include <attest/judgement.h>
#include <attest/kernel.h>
#include <attest/lse.h>
#include <attest/matrix.h>
#include <attest/number.h>
#include <attest/pairing.h>
#include <attest/progress.h>
#include <attest/sequence.h>
#include <attest/status.h>
#include <attest/version.h>
#include <attest/weights.h>

#endif
