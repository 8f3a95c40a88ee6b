/* memory.h -- what the program does when GMP or FLINT run out of memory or give up. */
#ifndef ATTEST_CLI_MEMORY_H
#define ATTEST_CLI_MEMORY_H

/* GMP and FLINT cannot report that memory ran out, and may not be left by longjmp. After this
 * call they say so in one line and leave the process with exit code 4. So does FLINT where it
 * would abort on an argument: the last resort, since callers must not pass it one. Once, before
 * any number is made. */
void attest_cli_guard_memory(void);

#endif
