/* names.h -- the names that can be written on the command line: what a mistyped one is compared
 * with, and what a shell completes. */
#ifndef ATTEST_CLI_NAMES_H
#define ATTEST_CLI_NAMES_H

#include <stddef.h>

#include "cli/command.h"

/* The i-th name of a list, NULL at its end; of says which list, where there are several. */
typedef const char *attest_names(const void *of, size_t i);

attest_names attest_names_commands; /* of is not used by these */
attest_names
    attest_names_statements;      /* statements, properties, and the words of the glossary */
attest_names attest_names_topics; /* these, and the commands: what 'attest help' takes */
attest_names attest_names_properties; /* of campaigns, those that were loaded too; "all" */
attest_names attest_names_hypotheses; /* that can be dropped */
attest_names attest_names_kernels;    /* the kernel models that are shipped */
attest_names attest_names_choices;    /* of: const char *const *, ended by NULL */

/* The command of this name, or NULL. */
const attest_command *attest_cli_command_get(const char *name);

/* Complains of a name that is in none of the lists: "unknown WHAT 'WRITTEN': did you mean ...?
 * (see 'SEE')". Returns EXIT_USAGE. */
int attest_cli_refuse_name(const char *what, const char *written, attest_names *names,
                           const void *of, const char *see);

/* Prints what the last of the words after "attest" can be, one a line; nothing where that is
 * the name of a file. */
int attest_cli_complete(int argc, char **argv);

/* While a shell asks for completions: prints those that a command's options, of which there are
 * count, offer for the last of argv. False: nobody asks. */
bool attest_cli_complete_options(const attest_option *options, size_t count, int argc,
                                 char **argv);

#endif
