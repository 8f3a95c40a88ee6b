/* audit.h -- what the files of attest audit share. */
#ifndef ATTEST_CLI_AUDIT_H
#define ATTEST_CLI_AUDIT_H

#include "audit/audit.h"
#include "audit/gate.h"
#include "audit/record.h"
#include "cli/command.h"
#include "cli/qkv.h"
#include "model/model_qkv.h"
#include "io/texts.h"
#include "theory/theorem2.h"

enum { AUDIT_MOST_FORMATS = 64, AUDIT_STRATEGIES = 3, AUDIT_MOST_PATH = 4096 };

/* What the command line asked for. */
typedef struct audit_request {
    const char *data, *weights, *construct, *formats, *accumulate, *sweep, *gate, *report,
        *stage, *kernel;
    const char *recorded;       /* --qkv: recorded activations in place of data */
    attest_cli_qkv qkv;         /* their options; the name of its mask is --mask */
    attest_model_stream stream; /* --model: the stream of a model, likewise */
    unsigned long heads;        /* of a layer; 0: not given */
    const char *save_qkv;       /* where to put what it forms, or NULL */
    const char *tokens;         /* what they are called, or NULL */
    bool all;
    unsigned long layer, head; /* ULONG_MAX: not given */
    unsigned long positions;
    const char *parts, *shard, *sbatch; /* of --qkv --all, in parts */
    unsigned long slurm;
    bool dry_run;
    int argc;
    char **argv;
    int round, softmax, sum, mask;
    bool fma, compare, quick;
    unsigned long seed, block, jobs;
    attest_number_option r, delta;
    size_t format_count;
    attest_format format[AUDIT_MOST_FORMATS];
    attest_format accumulate_format;
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

/* Audits recorded activations: all that 'audit --qkv' does. */
int attest_cli_audit_heads(audit_request *request, attest_common *common);

/* Submits that audit to Slurm, some heads per task. EXIT_HOLDS, or a complaint. */
int attest_cli_audit_submit(const audit_request *request);

/* Does an option ask for a model? */
bool attest_cli_audit_has_model(const audit_request *request);

/* Checks these options, and makes the stream the recording; EXIT_HOLDS, or a complaint. */
int attest_cli_audit_check_model(audit_request *request);

/* Writes the queries, keys and values that a model formed. Status: IO, NOMEM, DOMAIN. */
attest_status attest_cli_audit_save_qkv(const char *path, const attest_qkv_source *source,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Reads --tokens, if path is one, and checks that there is a text for each token: of the
 * dataset, or of so many sequences of one length. Status: FORMAT, IO, UNABLE, NOMEM. Clear
 * texts in any case. */
attest_status attest_cli_audit_read_texts(attest_texts *texts, const char *path,
                                          const attest_dataset *dataset, size_t sequences,
                                          size_t length, attest_budget *budget,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the algorithm that the options ask for. */
void attest_cli_audit_set_algorithm(attest_simulated_arithmetic *like,
                                    const audit_request *request);

/* Where -o puts the record, and what begins the names of files beside it. */
typedef struct audit_target {
    char record[AUDIT_MOST_PATH], stem[AUDIT_MOST_PATH];
} audit_target;
int attest_cli_audit_find_target(audit_target *target, const char *output);

/* "gate": what was compared, and what is worse. */
void attest_cli_audit_write_gate(attest_json *json, const attest_audit_gate *gate,
                                 const char *path);
void attest_cli_audit_print_gate(const attest_audit_gate *gate);

/* What to try next with what was audited. */
void attest_cli_audit_print_next(const audit_request *request, const attest_common *common);

/* The page that --report asks for, of the record that `write` writes; output: that of -o, where
 * the record was saved, or NULL. */
int attest_cli_audit_write_page(const char *page, const char *output,
                                void (*write)(attest_json *json, const void *context),
                                const void *context);

/* The table of what errors mean. */
void attest_cli_audit_print_meaning(const attest_audit_result *result, size_t count);

/* *model = what --stage or --kernel ask for, to be freed; NULL: neither does. EXIT_HOLDS, or a
 * complaint. */
int attest_cli_audit_load_kernel(attest_judge_model **model, const audit_request *request);

/* Parses --formats, --accumulate, --sweep and --construct; EXIT_HOLDS, or a complaint. */
int attest_cli_audit_parse_lists(audit_request *request);

/* Saves record and colliding pairs where -o says: X.json names the record itself, any other
 * path a folder for audit.json and its collision files. EXIT_HOLDS, or a complaint. */
int attest_cli_audit_save(audit_job *job);

/* Whether -o names the record itself, not a folder for it: "X.json". */
bool attest_cli_audit_is_record(const char *output);

/* Writes the page that --report asks for. EXIT_HOLDS, or a complaint. */
int attest_cli_audit_report(const audit_job *job);

/* Writes the whole record of an audit_job: an attest_json_writer. */
void attest_cli_audit_write_job(attest_json *json, const void *job);

/* A table for people. */
void attest_cli_audit_print(const audit_job *job);

/* Its line of bits: what is necessary, observed, and suffices. */
void attest_cli_audit_print_bits(const attest_audit *audit);

/* "theorem", "gap", "tuned", or NULL for weights that were given. */
const char *attest_cli_audit_subject_name(const audit_subject *subject);

#endif
