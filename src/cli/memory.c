/* memory.c -- what the program does when GMP or FLINT run out of memory or give up. */
#include "cli/memory.h"

#include <stdlib.h>
#include <unistd.h>

#include <gmp.h>
#include <flint/flint.h>

#include "base/fault.h"
#include "base/workers.h"
#include "cli/command.h"
#include "report/print.h"

static void *alloc_or_exit(size_t size)
{
    void *block = attest_fault("bignum") ? NULL : malloc(size ? size : 1);

    if (!block)
        attest_exit_no_memory();
    return block;
}

static void *calloc_or_exit(size_t count, size_t size)
{
    void *block = attest_fault("bignum") ? NULL : calloc(count ? count : 1, size ? size : 1);

    if (!block)
        attest_exit_no_memory();
    return block;
}

static void *realloc_or_exit(void *old, size_t size)
{
    void *block = attest_fault("bignum") ? NULL : realloc(old, size ? size : 1);

    if (!block)
        attest_exit_no_memory();
    return block;
}

static void *gmp_realloc_or_exit(void *old, size_t old_size, size_t size)
{
    (void)old_size;
    return realloc_or_exit(old, size);
}

static void gmp_free(void *block, size_t size)
{
    (void)size;
    free(block);
}

/* A worker dies by the signal, which its parent reports. */
__attribute__((noreturn)) static void stop(void)
{
    static const char line[] =
        "attest: FLINT cannot handle a number of this input: a bug in attest; please report "
        "the command and its files\n";
    ssize_t ignored;

    if (attest_workers_inside())
        abort();
    ignored = write(STDERR_FILENO, line, sizeof line - 1);
    (void)ignored;
    _exit(EXIT_ENVIRONMENT);
}

void attest_cli_guard_memory(void)
{
    flint_set_abort(stop);
    mp_set_memory_functions(alloc_or_exit, gmp_realloc_or_exit, gmp_free);
    __flint_set_memory_functions(alloc_or_exit, calloc_or_exit, realloc_or_exit, free);
}
