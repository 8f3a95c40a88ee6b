/* cancel.h -- progress reports to the caller of long work, and its requests to cancel. */
#ifndef ATTEST_JUDGE_CANCEL_H
#define ATTEST_JUDGE_CANCEL_H

#include <sys/types.h>

#include <attest/judge.h>

typedef struct attest_judge_cancel {
    const attest_judge_options *options;
    pid_t caller;  /* forked workers do not call its functions */
    double polled; /* when the caller was last polled */
    bool stopped;
} attest_judge_cancel;

void attest_judge_cancel_init(attest_judge_cancel *cancel, const attest_judge_options *options);

/* Reports that a stage of total steps begins. */
void attest_judge_cancel_begin(const attest_judge_cancel *cancel, const char *what,
                               size_t total);

/* Reports progress and polls the caller at intervals. False: the caller has cancelled. */
bool attest_judge_cancel_check(attest_judge_cancel *cancel, const char *what, size_t done,
                               size_t total);

/* Reports the end of a stage. Returns status, or STOPPED if the caller cancelled. */
attest_status attest_judge_cancel_end(const attest_judge_cancel *cancel, attest_status status,
                                      attest_error *error);

#endif
