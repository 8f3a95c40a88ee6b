/* audit.h -- what attest audit and attest heads share. */
#ifndef ATTEST_CLI_AUDIT_H
#define ATTEST_CLI_AUDIT_H

#include "audit/audit.h"
#include "audit/gate.h"
#include "audit/record.h"
#include "cli/command.h"
#include "io/texts.h"
#include "theory/theorem2.h"

enum {
    AUDIT_MOST_FORMATS = 64,
    AUDIT_STRATEGIES = 3,
    AUDIT_MOST_PATH = 4096,
    AUDIT_MOST_BITS = 1 << 20 /* the widest format: memory and time grow with it */
};

/* The options that attest audit and attest heads share. */
typedef struct audit_settings {
    const char *formats, *accumulate, *stage, *kernel, *gate, *report, *tokens;
    int round, softmax, sum;
    bool fma;
    unsigned long seed, block, jobs;
    /* parsed */
    size_t format_count;
    attest_format format[AUDIT_MOST_FORMATS];
    attest_format accumulate_format;
} audit_settings;

extern const char *const attest_cli_audit_roundings[], *const attest_cli_audit_softmaxes[],
                                                           *const attest_cli_audit_sums[];

/* Their rows of a table of options. */
/* clang-format off */
#define ATTEST_CLI_AUDIT_OPTIONS(s)                                                               \
    {"formats", 0, "LIST",                                                                        \
     "formats, separated by commas: binary64, binary32, tfloat32,\nbfloat16, binary16, "          \
     "float8_e4m3fn, float8_e5m2 (default: these seven);\nothers of doc/formats.md, "             \
     "p=N, p=N:emin=E:emax=E",                                                                    \
     OPTION_TEXT, &(s)->formats, NULL},                                                           \
    {"stage", 0, "LIST",                                                                          \
     "audit a kernel with these formats, too: STAGE=VALUE,..., of in, q, k,\nv, kv "              \
     "(schemes), score, softmax, p, pv, out, tile",                                               \
     OPTION_TEXT, &(s)->stage, NULL},                                                             \
    {"kernel", 0, "MODEL", "audit this kernel, too: a shipped model or a file", OPTION_TEXT,      \
     &(s)->kernel, NULL},                                                                         \
    {"accumulate", 0, "FORMAT", "compute dot products and sums in this format", OPTION_TEXT,      \
     &(s)->accumulate, NULL},                                                                     \
    {"round", 0, "MODE", "nearest, zero or stochastic (default: nearest)", OPTION_CHOICE,         \
     &(s)->round, attest_cli_audit_roundings},                                                    \
    {"seed", 0, "N", "seed of stochastic rounding (default: 1)", OPTION_COUNT, &(s)->seed, NULL}, \
    {"softmax", 0, "ALGORITHM", "naive, shifted or online (default: shifted)", OPTION_CHOICE,     \
     &(s)->softmax, attest_cli_audit_softmaxes},                                                  \
    {"block", 0, "B", "keys per block of the online algorithm (default: 16)", OPTION_POSITIVE,    \
     &(s)->block, NULL},                                                                          \
    {"sum", 0, "ORDER", "sequential or pairwise (default: sequential)", OPTION_CHOICE, &(s)->sum, \
     attest_cli_audit_sums},                                                                      \
    {"fma", 0, NULL, "fuse multiplications and additions", OPTION_FLAG, &(s)->fma, NULL},         \
    {"tokens", 0, "FILE",                                                                         \
     "read the texts of the tokens, for the record and its page:\n{\"tokens\": [[\"The\", "        \
     "\"art\"], ...]}",                                                                           \
     OPTION_TEXT, &(s)->tokens, NULL},                                                            \
    {"gate", 0, "FILE", "exit with 1 if this audit is worse than the record FILE", OPTION_TEXT,   \
     &(s)->gate, NULL},                                                                           \
    {"report", 0, "OUT.html", "write a page with plots, as 'attest report' does", OPTION_TEXT,    \
     &(s)->report, NULL},                                                                         \
    ATTEST_CLI_JOBS(&(s)->jobs)
/* clang-format on */

/* The command line of attest audit. */
typedef struct audit_request {
    audit_settings settings;
    const char *data, *weights, *construct, *sweep;
    int mask;
    bool compare, quick;
    attest_number_option r, delta;
    long low, high; /* of --sweep; 0: not given */
    size_t strategies;
    attest_strategy strategy[AUDIT_STRATEGIES];
} audit_request;

/* One set of weights under audit. */
typedef struct audit_subject {
    attest_construction construction; /* or weights: */
    attest_weights given;
    bool constructed;
    attest_audit audit;
    char *file[AUDIT_MOST_FORMATS]; /* of the counterexamples, or NULL */
} audit_subject;

typedef struct audit_job {
    const audit_request *request;
    attest_common *common;
    attest_dataset dataset;
    size_t subjects;
    audit_subject subject[AUDIT_STRATEGIES];
    char data_sha256[65], weights_sha256[65]; /* empty: not hashed */
    attest_audit_gate gate;
    attest_judge_model *kernel; /* of --stage or --kernel, or NULL */
    attest_texts texts;
} audit_job;

/* Sets the default values of the options. */
void attest_cli_audit_set_defaults(audit_settings *settings);

/* Parses --formats and --accumulate; EXIT_HOLDS, or an error message. */
int attest_cli_audit_parse_formats(audit_settings *settings);

/* Copies the next element of a list, up to a comma, and moves on; false at the end. An element
 * that does not fit is cut. */
bool attest_cli_audit_next_element(char *element, size_t size, const char **list);

/* Reads the file of --tokens, if path is not NULL, and checks that there is a text for each
 * token of the dataset, or of this many sequences of one length. Status: FORMAT, IO, UNABLE,
 * NOMEM. Clear texts in any case. */
attest_status attest_cli_audit_read_texts(attest_texts *texts, const char *path,
                                          const attest_dataset *dataset, size_t sequences,
                                          size_t length, attest_budget *budget,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the algorithm from the options. */
void attest_cli_audit_set_algorithm(attest_simulated_arithmetic *like,
                                    const audit_settings *settings);

/* The path of the record, and the prefix of the paths of files beside it. */
typedef struct audit_target {
    char record[AUDIT_MOST_PATH], stem[AUDIT_MOST_PATH];
} audit_target;
int attest_cli_audit_find_target(audit_target *target, const char *output);

/* "gate": the stored record, and the regressions from it. */
void attest_cli_audit_write_gate(attest_json *json, const attest_audit_gate *gate,
                                 const char *path);
void attest_cli_audit_print_gate(const attest_audit_gate *gate);

/* Prints a hint below the summary. */
void attest_cli_audit_print_next(const audit_settings *settings, const attest_common *common);

/* Writes the page of --report for the record that `write` writes; output is the argument of -o,
 * or NULL. */
int attest_cli_audit_write_page(const char *page, const char *output,
                                void (*write)(attest_json *json, const void *context),
                                const void *context);

/* Prints the table of the errors' effects: on outputs, attention weights and pairs. */
void attest_cli_audit_print_meaning(const attest_audit_result *result, size_t count);

/* *model = the kernel of --stage or --kernel, which the caller frees, or NULL. EXIT_HOLDS, or
 * an error message. */
int attest_cli_audit_load_kernel(attest_judge_model **model, const audit_settings *settings);

/* Returns whether -o names the record itself ("X.json"), not a directory. */
bool attest_cli_audit_is_record(const char *output);

/* Prints the audit as tables. */
void attest_cli_audit_print(const audit_job *job);

/* "theorem", "gap", "tuned", or NULL for weights that were given. */
const char *attest_cli_audit_subject_name(const audit_subject *subject);

#endif
