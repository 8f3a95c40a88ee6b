/* memory.h -- what the program does when GMP or FLINT run out of memory or give up. */
#ifndef ATTEST_CLI_MEMORY_H
#define ATTEST_CLI_MEMORY_H

/* GMP and FLINT cannot report that memory ran out, and may not be left by longjmp. After this
 * call they print one line and end the process with exit code 4. So does FLINT instead of
 * aborting on an invalid argument, which callers must not pass. Call it once, before any number
 * is initialised. */
void attest_cli_guard_memory(void);

#endif
