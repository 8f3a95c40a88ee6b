/* judge.h -- an output that was judged, for those who show it. */
#ifndef ATTEST_CLI_JUDGE_H
#define ATTEST_CLI_JUDGE_H

#include "cli/qkv.h"
#include "judge/judgement.h"

typedef struct judge_job {
    attest_cli_qkv x;
    const char *output, *against;
    attest_qkv_output first, second;
    /* by layers, for the output and for the other one */
    attest_judgement *layer, *other;
    attest_judge_difference *difference;
    size_t layers; /* done */
} judge_job;

/* The object that --json prints and a record holds. */
void attest_cli_judge_write(attest_json *json, judge_job *job);

void attest_cli_judge_print(judge_job *job);

#endif
