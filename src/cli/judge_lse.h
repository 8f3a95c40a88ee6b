/* judge_lse.h -- the log-sum-exp that attest judge judges beside an output. */
#ifndef ATTEST_CLI_JUDGE_LSE_H
#define ATTEST_CLI_JUDGE_LSE_H

#include "cli/qkv.h"
#include "judge/lse_judgement.h"

typedef struct attest_cli_lse {
    const char *text; /* --lse; NULL: there is none */
    int base, empty;  /* indices of choices; -1: as the model */
    attest_qkv_output input;
    attest_lse_judgement *layer; /* by layers */
    size_t layers;               /* done */
} attest_cli_lse;

extern const char *const attest_cli_lse_bases[], *const attest_cli_lse_empties[];

/* Rows of a table of options. */
#define ATTEST_CLI_LSE_OPTIONS(x)                                                              \
    {"lse",       0,                                                                           \
     "FILE:NAME", "judge the log-sum-exp of every row, too (default NAME: lse)",               \
     OPTION_TEXT, &(x)->text,                                                                  \
     NULL},                                                                                    \
        {"lse-base",                                                                           \
         0,                                                                                    \
         "BASE",                                                                               \
         "base of the log-sum-exp: e or 2 (default: the model's)",                             \
         OPTION_CHOICE,                                                                        \
         &(x)->base,                                                                           \
         attest_cli_lse_bases},                                                                \
    {                                                                                          \
        "empty-lse", 0, "WHAT",                                                                \
            "log-sum-exp of a row that sees no key: neg-inf, pos-inf, zero, nan or\nany "      \
            "(default: the model's)",                                                          \
            OPTION_CHOICE, &(x)->empty, attest_cli_lse_empties                                 \
    }

/* Sets the options to those that are not given. */
void attest_cli_lse_init(attest_cli_lse *lse);

/* Refuses options that need --lse. */
int attest_cli_lse_check(const attest_cli_lse *lse);

/* What the options set. */
attest_judge_lse_options attest_cli_lse_options(const attest_cli_lse *lse);

/* Opens the file, if there is one; EXIT_HOLDS, or a complaint and its exit code. Close it in
 * either case. */
int attest_cli_lse_open(attest_cli_lse *lse, attest_cli_qkv *x);
void attest_cli_lse_close(attest_cli_lse *lse);

/* Judges the layer at this place, which was read last. */
int attest_cli_lse_judge(attest_cli_lse *lse, attest_cli_qkv *x, size_t place);

/* The exit code of the verdict; EXIT_HOLDS without a log-sum-exp. */
int attest_cli_lse_code(const attest_cli_lse *lse);

/* Prints the verdict and the worst row. */
void attest_cli_lse_print(const attest_cli_lse *lse, const attest_cli_qkv *x);

/* Writes the member "lse", if there is one. */
void attest_cli_lse_write(attest_json *json, const attest_cli_lse *lse);

#endif
