/* proceed.c -- what the caller is told of long work, and whether it is to go on. */
#include "judge/proceed.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"

/* A caller that asks an interpreter, as Python does, has to wait for it: not for every block.
 */
#define SECONDS_BETWEEN_QUESTIONS 0.04

void attest_judge_proceed_init(attest_judge_proceed *proceed,
                               const attest_judge_options *options)
{
    *proceed = (attest_judge_proceed){options, getpid(), attest_clock_seconds(), false};
}

void attest_judge_proceed_begin(const attest_judge_proceed *proceed, const char *what,
                                size_t total)
{
    attest_progress_report(&proceed->options->progress, what, 0, total, NULL);
}

static void ask(attest_judge_proceed *p)
{
    double now = attest_clock_seconds();

    if (now - p->asked < SECONDS_BETWEEN_QUESTIONS)
        return;
    p->stopped = !p->options->proceed(p->options->proceed_context);
    p->asked = attest_clock_seconds();
}

bool attest_judge_proceed_tell(attest_judge_proceed *proceed, const char *what, size_t done,
                               size_t total)
{
    if (getpid() != proceed->caller)
        return true;
    attest_progress_report(&proceed->options->progress, what, done, total, NULL);
    if (proceed->options->proceed && !proceed->stopped)
        ask(proceed);
    return !proceed->stopped;
}

attest_status attest_judge_proceed_end(const attest_judge_proceed *proceed,
                                       attest_status status, attest_error *error)
{
    attest_progress_end(&proceed->options->progress);
    if (!proceed->stopped)
        return status;
    return attest_error_set(error, ATTEST_STOPPED, "the work was stopped");
}
