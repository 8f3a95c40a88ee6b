/* print.h -- text for people.
 *
 * The commands and the reports print text by these functions only (tests/meta/symbols.sh):
 * every string argument is escaped, as any of them may come from a file. Formats are the
 * program's own. Documents with an escape of their own (JSON, TAP, XML, HTML, CSV) are written
 * by their writers. */
#ifndef ATTEST_REPORT_PRINT_H
#define ATTEST_REPORT_PRINT_H

#include <stddef.h>
#include <stdio.h>

#include <attest/status.h>

/* Like printf and fprintf, but the strings of %s are printed as attest_escape_terminal makes
 * them: no control character, no change of direction, no newline comes from an argument. A
 * width counts the bytes of the escaped string, a precision those of the string. Takes the
 * conversions d i u x X o c s and those of floating-point numbers, with h, l, ll, z and L.
 * Returns the number of bytes. */
int attest_print(const char *format, ...) ATTEST_PRINTF(1, 2);
int attest_fprint(FILE *stream, const char *format, ...) ATTEST_PRINTF(2, 3);

/* Prints a text of several lines: all but its newlines is escaped. */
void attest_print_lines(FILE *stream, const char *text, size_t size);

#endif
