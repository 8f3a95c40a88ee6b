/* progress.h -- telling the caller how far the work is; <attest/progress.h> says how. */
#ifndef ATTEST_BASE_PROGRESS_H
#define ATTEST_BASE_PROGRESS_H

#include <stddef.h>

#include <attest/progress.h>

/* One report; the first of a stage has done = 0. Cheap when nobody is told. */
static inline void attest_progress_report(const attest_progress *progress, const char *what,
                                          uint64_t done, uint64_t total, const char *note)
{
    if (progress->report)
        progress->report(progress->context, what, done, total, note);
}

/* The stage has ended, successfully or not. */
static inline void attest_progress_end(const attest_progress *progress)
{
    attest_progress_report(progress, NULL, 0, 0, NULL);
}

#endif
