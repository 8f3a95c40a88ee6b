/* terminal.h -- the terminal: its width, colours and hints on standard output, and on standard
 * error the line that shows the progress of long work.
 *
 * After the first second that line is redrawn a few times a second, with the rate and the time
 * left, but only if standard error is a terminal. If work reports no progress for a while, or
 * none at all, a timer redraws the last report with the elapsed time. */
#ifndef ATTEST_CLI_TERMINAL_H
#define ATTEST_CLI_TERMINAL_H

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

/* Returns the width of standard output in columns: $COLUMNS, that of the terminal, or 80. */
size_t attest_cli_width(void);

/* Prints the first paragraph of the text in lines of at most 78 characters, fewer on a narrow
 * terminal, broken at spaces and newlines. Each line is indented; the cursor must already be in
 * that column. A line that is empty or begins with a space is printed unchanged. Returns the
 * next paragraph. */
const char *attest_cli_print_wrapped(const char *text, int indent);

/* Prints no hints from now on: the tour explains its steps itself. */
void attest_cli_disable_hints(void);

/* --color: auto, always, never. Returns whether standard output gets colours; with auto it does
 * if it is a terminal with colours and NO_COLOR is not set. */
extern const char *const attest_color_names[];
bool attest_cli_paints(int color);

#endif
