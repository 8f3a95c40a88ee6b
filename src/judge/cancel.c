/* cancel.c -- progress reports to the caller of long work, and its requests to cancel. */
#include "judge/cancel.h"

#include <unistd.h>

#include "base/machine.h"
#include "base/progress.h"

/* Polling may be expensive: a caller in Python takes the lock of its interpreter. */
#define SECONDS_BETWEEN_POLLS 0.04

void attest_judge_cancel_init(attest_judge_cancel *cancel, const attest_judge_options *options)
{
    *cancel = (attest_judge_cancel){options, getpid(), attest_clock_seconds(), false};
}

void attest_judge_cancel_begin(const attest_judge_cancel *cancel, const char *what,
                               size_t total)
{
    attest_progress_report(&cancel->options->progress, what, 0, total, NULL);
}

static void poll_caller(attest_judge_cancel *p)
{
    double now = attest_clock_seconds();

    if (now - p->polled < SECONDS_BETWEEN_POLLS)
        return;
    p->stopped = !p->options->proceed(p->options->proceed_context);
    p->polled = attest_clock_seconds();
}

bool attest_judge_cancel_check(attest_judge_cancel *cancel, const char *what, size_t done,
                               size_t total)
{
    if (getpid() != cancel->caller)
        return true;
    attest_progress_report(&cancel->options->progress, what, done, total, NULL);
    if (cancel->options->proceed && !cancel->stopped)
        poll_caller(cancel);
    return !cancel->stopped;
}

attest_status attest_judge_cancel_end(const attest_judge_cancel *cancel, attest_status status,
                                      attest_error *error)
{
    attest_progress_end(&cancel->options->progress);
    if (!cancel->stopped)
        return status;
    return attest_error_set(error, ATTEST_STOPPED, "the work was stopped");
}
