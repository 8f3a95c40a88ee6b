/* progress.h -- the line on standard error that shows how long work goes on.
 *
 * It is drawn a few times a second, with rate and time to go, and only when standard error is a
 * terminal. */
#ifndef ATTEST_BASE_PROGRESS_H
#define ATTEST_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct attest_progress {
    const char *what; /* "pairs", "trials" */
    uint64_t total;   /* 0: unknown */
    double began, drawn;
    bool shown; /* standard error is a terminal */
    bool dirty; /* a line stands there now */
} attest_progress;

void attest_progress_begin(attest_progress *progress, const char *what, uint64_t total);

/* done so far; note (may be NULL) is put at the end of the line. Cheap when nothing is drawn.
 */
void attest_progress_update(attest_progress *progress, uint64_t done, const char *note);

/* Wipes the line. */
void attest_progress_end(attest_progress *progress);

/* The text of the line, in size bytes: for tests and other displays. */
void attest_progress_format(char *line, int size, const attest_progress *progress,
                            uint64_t done, double seconds, const char *note);

#endif
