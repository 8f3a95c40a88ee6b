/* progress.h -- the line on standard error that shows how long work goes on.
 *
 * It is drawn a few times a second from the second second on, with rate and time to go, and
 * only when standard error is a terminal. Work that reports nothing for a while, or nothing at
 * all, is shown by how long it goes on: a timer draws what was said last. */
#ifndef ATTEST_CLI_PROGRESS_H
#define ATTEST_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/progress.h>

/* What the line shows, and when it was drawn. */
typedef struct attest_cli_line {
    char text[160];      /* of the stage, as it was last formed; empty: there is none */
    const char *work;    /* what goes on around the stages; NULL: nothing is said of it */
    double since;        /* the first report; 0: there was none */
    double began, drawn; /* the stage, the line */
    bool shown;          /* standard error is a terminal */
    size_t width;        /* the columns that it has; 0: not known */
    bool dirty;          /* a line stands there now */
} attest_cli_line;

/* The report of attest_progress, whose context is an attest_cli_line. */
void attest_cli_line_report(void *context, const char *what, uint64_t done, uint64_t total,
                            const char *note);

/* The text of the line, in size bytes, after so many seconds. */
void attest_cli_line_format(char *text, int size, const char *what, uint64_t done,
                            uint64_t total, double seconds, const char *note);

/* What is done from here on, e.g. "reading", until the end; nothing may be printed between. */
void attest_cli_work_begin(const char *what);
void attest_cli_work_end(void);

/* Progress that draws the line of the program: there is one standard error. */
attest_progress attest_cli_progress(void);

#endif
