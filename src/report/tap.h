/* tap.h -- TAP 12, the Test Anything Protocol: a line a test, and their number. */
#ifndef ATTEST_REPORT_TAP_H
#define ATTEST_REPORT_TAP_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* "ok 1 - " or "not ok 1 - "; the description follows, and a newline. */
void attest_tap_add_test(attest_text *text, bool passed, size_t number);

/* Part of a description: '#', which would begin a directive, and control characters are
 * escaped. */
void attest_tap_add_name(attest_text *text, const char *name);

/* "# WHATline" and a newline; control characters in line are escaped. */
void attest_tap_add_comment(attest_text *text, const char *what, const char *line);

void attest_tap_add_plan(attest_text *text, size_t count);

/* Prints the text and clears it. Status: NOMEM; errors of the stream stay with it. */
attest_status attest_tap_print(attest_text *text, FILE *stream) ATTEST_WARN_UNUSED;

#endif
