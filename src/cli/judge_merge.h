/* judge_merge.h -- attest judge --merge: outputs of a kernel that merges recorded parts. */
#ifndef ATTEST_CLI_JUDGE_MERGE_H
#define ATTEST_CLI_JUDGE_MERGE_H

#include "cli/judge_lse.h"
#include "judge/judgement.h"

typedef struct attest_cli_merge {
    attest_qkv_output output;
    attest_judgement judgement;
    size_t parts;
} attest_cli_merge;

/* Judges the output text beside the parts in the file path, and the log-sum-exp of lse, if
 * there is one. x has the options; its model, source and shape are set. EXIT_HOLDS, or a
 * complaint and its exit code; clear it in either case. */
int attest_cli_merge_judge(attest_cli_merge *merge, attest_cli_lse *lse, attest_cli_qkv *x,
                           attest_common *common, const char *path, const char *text);
void attest_cli_merge_clear(attest_cli_merge *merge);

/* Writes the record. */
void attest_cli_merge_write(attest_json *json, attest_cli_merge *merge,
                            const attest_cli_lse *lse, attest_cli_qkv *x);

#endif
