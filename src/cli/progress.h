/* progress.h -- the line on standard error that shows the progress of long work.
 *
 * After the first second it is redrawn a few times a second, with the rate and the time left,
 * but only if standard error is a terminal. If work reports no progress for a while, or none at
 * all, a timer redraws the last report with the elapsed time. */
#ifndef ATTEST_CLI_PROGRESS_H
#define ATTEST_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/progress.h>

/* The progress line: its text, and when it was drawn. */
typedef struct attest_cli_line {
    char text[160];     /* text of the stage; empty: none */
    const char *work;   /* the work that the stages belong to, or NULL */
    double work_began;  /* time of the first report; 0: none */
    double stage_began; /* time of the first report of the stage */
    double last_drawn;  /* time at which the line was drawn last */
    bool on_terminal;   /* standard error is a terminal */
    size_t width;       /* the columns of the terminal; 0: not known */
    bool visible;       /* the line is on the screen */
} attest_cli_line;

/* The callback of attest_progress; its context is an attest_cli_line. */
void attest_cli_line_report(void *context, const char *what, uint64_t done, uint64_t total,
                            const char *note);

/* Formats the text of the line in size bytes. */
void attest_cli_line_format(char *text, int size, const char *what, uint64_t done,
                            uint64_t total, double seconds, const char *note);

/* Names the current work, e.g. "reading", until attest_cli_work_end; nothing may be printed in
 * between. */
void attest_cli_work_begin(const char *what);
void attest_cli_work_end(void);

/* Returns an attest_progress that draws the program's line on standard error. */
attest_progress attest_cli_progress(void);

#endif
