/* command.h -- what every command shares: its description, its options, lists of names, its way
 * to fail. */
#ifndef ATTEST_CLI_COMMAND_H
#define ATTEST_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/attest.h>

#include "io/json_write.h"
#include "report/print.h"

/* The exit codes of the program. */
enum {
    EXIT_HOLDS = 0,       /* proved, no violation found, or done */
    EXIT_FAILS = 1,       /* the claim or a hypothesis fails */
    EXIT_USAGE = 2,       /* usage or bad input */
    EXIT_UNDECIDED = 3,   /* a precision, size or time cap was reached */
    EXIT_ENVIRONMENT = 4, /* disk full, out of memory */
    EXIT_INTERRUPTED = 5, /* by a signal; the state is saved and the work can be resumed */
    EXIT_HELP = -1        /* help was printed: the command returns */
};

typedef enum attest_option_type {
    OPTION_FLAG,     /* bool: set to true */
    OPTION_TEXT,     /* const char *: the argument */
    OPTION_COUNT,    /* unsigned long: a whole number >= 0, decimal or 0x... */
    OPTION_POSITIVE, /* the same, >= 1: 0 can stand for an option that is not given */
    OPTION_SIZE,     /* size_t: bytes, with K, M, G or T */
    OPTION_WORK,     /* double: a number >= 0, such as 1e15 */
    OPTION_NUMBER,   /* attest_number_option: a rational >= 0 */
    OPTION_SIGNED,   /* attest_number_option: a rational */
    OPTION_CHOICE,   /* int: the index of the argument in choices */
    OPTION_MAYBE     /* the same; the argument may be left out, which means choices[1] */
} attest_option_type;

/* Returns from the function with the exit code of the call unless it is EXIT_HOLDS. */
#define ATTEST_CLI_TRY(call)                                                                   \
    do {                                                                                       \
        int attest_cli_try_code = (call);                                                      \
        if (attest_cli_try_code != EXIT_HOLDS)                                                 \
            return attest_cli_try_code;                                                        \
    } while (0)

/* A rational that may be absent. The command inits and clears it. */
typedef struct attest_number_option {
    bool given;
    fmpq_t value;
} attest_number_option;

typedef struct attest_option {
    const char *name; /* without the dashes, "": a letter only; a NULL name ends the list */
    char letter;      /* 0: none */
    const char
        *argument; /* what --help calls it, "[=KIND]" for OPTION_MAYBE; NULL for a flag */
    const char *help;
    attest_option_type type;
    void *target;
    const char *const *choices; /* OPTION_CHOICE, OPTION_MAYBE: the names, ended by NULL */
} attest_option;

/* The option --jobs; target is an unsigned long. */
#define ATTEST_CLI_JOBS(target)                                                                \
    {                                                                                          \
        "jobs", 'j', "J", "processes (default: all processors)", OPTION_POSITIVE, target, NULL \
    }

/* Returns the number of processes: the value of --jobs, or all processors if it is 0. */
size_t attest_cli_jobs(unsigned long given);

/* The options that every command has. */
typedef struct attest_common {
    bool json;
    const char *output;    /* -o, or NULL */
    const char *stdout_by; /* the option that writes to standard output, in place of the
                            * summary, or NULL */
    const char *tensor;    /* --tensor, or NULL */
    bool homogeneous;      /* --homogeneous */
    int color;             /* --color: an index of attest_color_names */
    size_t max_memory;     /* limit of the memory for parsed numbers, in bytes */
    double max_work;       /* limit of exact and ball evaluation, in bit operations */
    attest_budget budget;
} attest_common;

typedef struct attest_command {
    const char *name;      /* one word, or two: "campaign merge" */
    const char *arguments; /* "DATA --weights W [OPTION]..." */
    const char *summary;   /* one line */
    const char *details;   /* a paragraph, may be NULL */
    const char *example;   /* commands that can be typed as they are */
    const char *product;   /* what -o writes; NULL: the command has no -o */
    bool directory;        /* -o names a directory, not a file or standard output */
    bool data;             /* it reads a dataset: --tensor, --homogeneous */
    bool works;            /* it evaluates exactly or in balls: --max-work */
    int (*run)(int argc, char **argv);
} attest_command;

extern const attest_command attest_command_approximate;
extern const attest_command attest_command_audit;
extern const attest_command attest_command_campaign;
extern const attest_command attest_command_campaign_merge;
extern const attest_command attest_command_campaign_new;
extern const attest_command attest_command_campaign_status;
extern const attest_command attest_command_certify;
extern const attest_command attest_command_check;
extern const attest_command attest_command_construct;
extern const attest_command attest_command_counterexample;
extern const attest_command attest_command_demo;
extern const attest_command attest_command_dot;
extern const attest_command attest_command_eval;
extern const attest_command attest_command_heads;
extern const attest_command attest_command_import;
extern const attest_command attest_command_judge;
extern const attest_command attest_command_memorize;
extern const attest_command attest_command_range;
extern const attest_command attest_command_replay;
extern const attest_command attest_command_report;
extern const attest_command attest_command_separated;
extern const attest_command attest_command_show;
extern const attest_command attest_command_simulate;
extern const attest_command attest_command_tolerance;

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

/* The i-th alias of the command's options, NULL at the end. */
const attest_alias *attest_cli_option_alias(const attest_command *command, size_t i);

/* Returns the i-th name of a list, NULL at its end; of selects one of several lists. */
typedef const char *attest_names(const void *of, size_t i);

attest_names attest_names_statements; /* statements, properties and words of the glossary */
attest_names attest_names_properties; /* of campaigns, including loaded ones; "all" */
attest_names attest_names_hypotheses; /* that --without can drop */
attest_names attest_names_choices;    /* of: const char *const *, ended by NULL */

/* Refuses a name that is not in the list: "unknown WHAT 'WRITTEN': did you mean ...? (see
 * 'SEE')". Returns EXIT_USAGE. */
int attest_cli_refuse_name(const char *what, const char *written, attest_names *names,
                           const void *of, const char *see);

/* While the program prints completions: prints those of the last word of argv for a command
 * with these options, and returns true. */
bool attest_cli_complete_options(const attest_option *options, size_t count, int argc,
                                 char **argv);

/* Returns the long name of the command's -o: "output", or "" where that is an old option. */
const char *attest_cli_output_name(const attest_command *command);

/* Parses argv[1..]: options anywhere, GNU style; "--" ends them. On success returns EXIT_HOLDS,
 * *operands and *count are the rest. EXIT_HELP: --help was given; the help was printed.
 * EXIT_USAGE: an error was printed. least and most bound the number of operands. */
int attest_cli_parse(const attest_command *command, attest_common *common,
                     const attest_option *options, int argc, char **argv, size_t least,
                     size_t most, char ***operands, size_t *count);

/* Notes that an option, e.g. "-o -", writes to standard output; refuses a second one. */
int attest_cli_take_stdout(attest_common *common, const char *option);

/* Complains if the file (NULL: none) could not be written; called before long work. */
int attest_cli_check_output(const char *path);

/* Refuses more than one "-" among the files to read (NULL: none): it can be read only once. */
int attest_cli_check_stdin(const char *const *paths, size_t count);

/* Reads the dataset at path: the tensor that --tensor names, if it is given, and with one more
 * coordinate, 1, under --homogeneous. EXIT_HOLDS, or an error
 * message and its exit code. */
int attest_cli_read_dataset(attest_dataset *dataset, const char *path, attest_common *common);

/* The same from an open input, which stays open for callers that need its hash. */
int attest_cli_read_dataset_input(attest_dataset *dataset, const attest_input *input,
                                  attest_common *common);

/* Makes the dataset fit the weights, as pairing.h does, or refuses them. input is the file of
 * the dataset (NULL: none); path is that of the weights. */
int attest_cli_pair(attest_common *common, attest_dataset *dataset, const attest_input *input,
                    const char *data, attest_weights *weights, const char *path);

/* Prints "attest: TEXT" in one line to standard error, made harmless for a terminal. */
void attest_cli_complain(const char *format, ...) ATTEST_PRINTF(1, 2);

/* Complains, and returns EXIT_USAGE; EXIT_ENVIRONMENT where there is no memory for the line. */
int attest_cli_refuse(const char *format, ...) ATTEST_PRINTF(1, 2);

/* Returns the library's message, written to shown, with the remedy at its end named as an
 * option of the program: the library does not have the names of options. */
enum { ATTEST_CLI_TEXT_SIZE = ATTEST_ERROR_SIZE + 64 };
const char *attest_cli_name_options(char shown[ATTEST_CLI_TEXT_SIZE], const char *text);

/* Prints the error and returns its exit code. A file that cannot be read is bad input (2) in
 * the first; in the second an I/O error is one of the environment (4). */
int attest_cli_fail_input(const attest_error *error);
int attest_cli_fail(const attest_error *error);

/* The same for the journal of a campaign: beyond --max-memory it is bad input (2); if it cannot
 * be read, the environment failed (4). */
int attest_cli_fail_journal(const attest_error *error);

/* The same for work that failed. If a cap left it undecided, --json prints an object with the
 * verdict "undecided" and the reason. */
int attest_cli_fail_work(const attest_error *error, const attest_common *common);

/* Returns the exit code of a verdict on a claim. */
int attest_cli_verdict_code(attest_verdict verdict);

/* Returns the more severe of two exit codes, for commands on several files: 4, 2, 1, 3, 0. */
int attest_cli_worse(int a, int b);

/* Prints the command's help to standard output. */
void attest_cli_help(const attest_command *command, const attest_option *options);

/* Ends the JSON object on standard output; returns code, or EXIT_ENVIRONMENT if the object is
 * incomplete. Prints a line if memory ran out; attest_cli_finish prints one for write errors.
 */
int attest_cli_end_json(attest_json *json, int code);

/* Writes a JSON document, by write(json, value), to the file at path. EXIT_HOLDS, or a
 * complaint and its exit code. */
int attest_cli_save(const char *path, attest_json_writer *write, const void *value);

/* seconds = the time in the text: seconds, or a number with s, m, h or d; false if it is none.
 */
bool attest_cli_parse_time(double *seconds, const char *text);

/* Prints a hint below the summary, such as the next command to try: only on a terminal, and not
 * with --json or when an option has standard output. */
void attest_cli_print_hint(const attest_common *common, const char *format, ...)
    ATTEST_PRINTF(2, 3);

/* GMP and FLINT cannot report that memory ran out, and may not be left by longjmp. After this
 * call they print one line and end the process with exit code 4. So does FLINT instead of
 * aborting on an invalid argument, which callers must not pass. Call it once, before any number
 * is initialised. */
void attest_cli_guard_memory(void);

/* Flushes standard output; EXIT_ENVIRONMENT, with an error message, if that fails. */
int attest_cli_finish(int code);

#endif
