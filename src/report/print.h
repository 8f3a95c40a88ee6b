/* print.h -- prints text for people: escaped, and in colour on a terminal.
 *
 * The commands and the reports print text by these functions only (tests/meta/symbols.sh).
 * Every string argument is escaped, since it may come from a file; formats are the program's
 * own. JSON, TAP, XML, HTML and CSV have escapes and writers of their own. */
#ifndef ATTEST_REPORT_PRINT_H
#define ATTEST_REPORT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <attest/status.h>

/* Like printf and fprintf, but strings are escaped as by attest_escape_terminal: an argument
 * prints no control character, no change of direction and no newline. A width counts the bytes
 * of the escaped string, a precision those of the string. Supported are the conversions d i u
 * x X o c s and those of floating-point numbers, with h, l, ll, z and L. Returns the number of
 * bytes. */
int attest_print(const char *format, ...) ATTEST_PRINTF(1, 2);
int attest_fprint(FILE *stream, const char *format, ...) ATTEST_PRINTF(2, 3);

/* Prints a text of several lines, escaped except for its newlines. */
void attest_print_lines(FILE *stream, const char *text, size_t size);

typedef enum attest_paint {
    ATTEST_PAINT_GOOD,   /* holds, proved */
    ATTEST_PAINT_BAD,    /* fails, refuted, the worst number */
    ATTEST_PAINT_OPEN,   /* undecided, not run */
    ATTEST_PAINT_HEADING /* a heading */
} attest_paint;

/* Turns colours on standard output on or off (default: off). */
void attest_paint_use(bool on);

/* Prints the text; in the colour of its kind if the stream is standard output and colours are
 * on. */
void attest_paint_print(FILE *stream, attest_paint kind, const char *text);

/* Prints "out of memory" and exits with code 4; a worker does not print, since its parent
 * reports the failure. Uses no heap. */
_Noreturn void attest_exit_no_memory(void);

/* Returns the text, or exits by attest_exit_no_memory if it is NULL. */
const char *attest_or_exit(const char *text);

#endif
