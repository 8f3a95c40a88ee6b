/* progress.h -- reports progress to the callback of <attest/progress.h>. */
#ifndef ATTEST_BASE_PROGRESS_H
#define ATTEST_BASE_PROGRESS_H

#include <stddef.h>

#include <attest/progress.h>

/* Reports done of total; the first report of a stage has done = 0. Cheap without a callback. */
static inline void attest_progress_report(const attest_progress *progress, const char *what,
                                          uint64_t done, uint64_t total, const char *note)
{
    if (progress->report)
        progress->report(progress->context, what, done, total, note);
}

/* Reports the end of a stage, successful or not. */
static inline void attest_progress_end(const attest_progress *progress)
{
    attest_progress_report(progress, NULL, 0, 0, NULL);
}

#endif
