/* judge.h -- an output that was judged, for those who show it. */
#ifndef ATTEST_CLI_JUDGE_H
#define ATTEST_CLI_JUDGE_H

#include "cli/qkv.h"
#include "judge/fault.h"
#include "judge/tally.h"

/* What was found of the output of one layer. */
typedef struct judge_layer {
    size_t number;
    attest_judge_tally tally;
    const char *unbounded;           /* why some elements are undecided, or NULL */
    bool by_schedule;                /* the tally is that of one schedule, ... */
    size_t schedule;                 /* ... which explains the most */
    bool fault[ATTEST_JUDGE_FAULTS]; /* a kernel with it returns exactly such an output */
} judge_layer;

typedef struct judge_job {
    attest_cli_qkv x;
    const char *output, *against;
    attest_qkv_output first, second;
    /* by layers, for the output and for the other one */
    judge_layer *layer, *other;
    attest_judge_difference *difference;
    size_t layers; /* done */
} judge_job;

/* The counts of all layers together. */
attest_judge_counts attest_cli_judge_total(const judge_layer *layer, size_t count);

/* The layer with the worst element of all, or NULL. */
const judge_layer *attest_cli_judge_worst(const judge_layer *layer, size_t count);

/* The object that --json prints and a record holds. */
void attest_cli_judge_write(attest_json *json, judge_job *job);

void attest_cli_judge_print(judge_job *job);

#endif
