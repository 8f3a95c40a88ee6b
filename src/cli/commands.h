/* commands.h -- the table of commands, the old names that still work, and the lists of names
 * that a shell completes and that a mistyped name is compared with. */
#ifndef ATTEST_CLI_COMMANDS_H
#define ATTEST_CLI_COMMANDS_H

#include <stddef.h>

#include "cli/command.h"

/* An old spelling of a command or an option. It works for one release; neither help nor
 * completion shows it. */
typedef struct attest_alias {
    const char *command;    /* as it was written */
    const char *option;     /* the old option of this command; NULL: the command was renamed */
    const char *to_command; /* the command now; NULL: the same */
    const char *to_option;  /* NULL: the argument of the old option is an operand now */
} attest_alias;

/* Values of to_option: the old option had no effect here, and is ignored. */
#define ATTEST_ALIAS_IGNORED_FLAG "-"
#define ATTEST_ALIAS_IGNORED_VALUE "="

extern const attest_alias attest_aliases[]; /* ended by a NULL command */

/* The i-th alias of the command's options, NULL at the end. */
const attest_alias *attest_cli_option_alias(const attest_command *command, size_t i);

/* Returns the i-th name of a list, NULL at its end; of selects one of several lists. */
typedef const char *attest_names(const void *of, size_t i);

attest_names attest_names_commands;
attest_names attest_names_statements; /* statements, properties and words of the glossary */
attest_names attest_names_topics;     /* these and the commands: operands of 'attest help' */
attest_names attest_names_properties; /* of campaigns, including loaded ones; "all" */
attest_names attest_names_hypotheses; /* that --without can drop */
attest_names attest_names_kernels;    /* the shipped kernel models */
attest_names attest_names_choices;    /* of: const char *const *, ended by NULL */

/* Returns the i-th command that help lists, NULL at the end. */
const attest_command *attest_cli_command_get(size_t i);

/* Returns the command that the first words name, NULL if there is none; *words is the number of
 * words of its name: 1, or 2 as in "campaign merge". */
const attest_command *attest_cli_command_find(int *words, int argc, char *const *argv);

/* Refuses a name that is not in the list: "unknown WHAT 'WRITTEN': did you mean ...? (see
 * 'SEE')". Returns EXIT_USAGE. */
int attest_cli_refuse_name(const char *what, const char *written, attest_names *names,
                           const void *of, const char *see);

/* Prints the completions of the last of the words after "attest", one per line; nothing where a
 * file name is expected. */
int attest_cli_complete(int argc, char **argv);

/* While attest_cli_complete runs: prints the completions of the last word of argv for a command
 * with these options, and returns true. */
bool attest_cli_complete_options(const attest_option *options, size_t count, int argc,
                                 char **argv);

#endif
