/* cancel.h -- what the caller is told of long work, and whether it is to go on. */
#ifndef ATTEST_JUDGE_CANCEL_H
#define ATTEST_JUDGE_CANCEL_H

#include <sys/types.h>

#include <attest/judge.h>

typedef struct attest_judge_cancel {
    const attest_judge_options *options;
    pid_t caller; /* its functions are not called in forked workers */
    double asked; /* when it was asked last */
    bool stopped;
} attest_judge_cancel;

void attest_judge_cancel_init(attest_judge_cancel *cancel, const attest_judge_options *options);

/* A stage of so many steps begins. */
void attest_judge_cancel_begin(const attest_judge_cancel *cancel, const char *what,
                               size_t total);

/* Tells how far the work is, and asks now and then. False: it is to end. */
bool attest_judge_cancel_tell(attest_judge_cancel *cancel, const char *what, size_t done,
                              size_t total);

/* The stage has ended with this status; STOPPED, if it is because the caller said so. */
attest_status attest_judge_cancel_end(const attest_judge_cancel *cancel, attest_status status,
                                      attest_error *error);

#endif
