/* cancel.c -- what the caller is told of long work, and whether it is to go on. */
#include "judge/cancel.h"

#include <unistd.h>

#include "base/machine.h"
#include "base/progress.h"

/* A caller that asks an interpreter, as Python does, has to wait for it: not for every block.
 */
#define SECONDS_BETWEEN_QUESTIONS 0.04

void attest_judge_cancel_init(attest_judge_cancel *cancel, const attest_judge_options *options)
{
    *cancel = (attest_judge_cancel){options, getpid(), attest_clock_seconds(), false};
}

void attest_judge_cancel_begin(const attest_judge_cancel *cancel, const char *what,
                               size_t total)
{
    attest_progress_report(&cancel->options->progress, what, 0, total, NULL);
}

static void ask(attest_judge_cancel *p)
{
    double now = attest_clock_seconds();

    if (now - p->asked < SECONDS_BETWEEN_QUESTIONS)
        return;
    p->stopped = !p->options->proceed(p->options->proceed_context);
    p->asked = attest_clock_seconds();
}

bool attest_judge_cancel_tell(attest_judge_cancel *cancel, const char *what, size_t done,
                              size_t total)
{
    if (getpid() != cancel->caller)
        return true;
    attest_progress_report(&cancel->options->progress, what, done, total, NULL);
    if (cancel->options->proceed && !cancel->stopped)
        ask(cancel);
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
