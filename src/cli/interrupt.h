/* interrupt.h -- SIGINT, SIGTERM and SIGHUP as a wish that work which keeps its state ends. */
#ifndef ATTEST_CLI_INTERRUPT_H
#define ATTEST_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Becomes other than 0 when one of the signals arrives from now on. A signal that is ignored
 * stays so. */
const volatile sig_atomic_t *attest_cli_watch_signals(void);

/* Adds a word, in quotes where a shell needs them. */
void attest_cli_add_quoted(attest_text *text, const char *word);

/* The same for a word of a command line: it is separated from the text before it by a blank. */
void attest_cli_add_word(attest_text *text, const char *word);

/* The command line as one types it, in quotes where a shell needs them, with the word added if
 * it is not there; the caller frees it. NULL: out of memory. */
char *attest_cli_command_line(int argc, char *const *argv, const char *added);

#endif
