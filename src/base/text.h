/* text.h -- a string that grows.
 *
 * A failed allocation is remembered: later calls do nothing, and attest_text_take returns
 * NULL. A caller appends without checks and checks once, at the end. */
#ifndef ATTEST_BASE_TEXT_H
#define ATTEST_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <attest/status.h>

typedef struct attest_text {
    char *data; /* zero-terminated once something was appended */
    size_t size, room;
    bool failed;
} attest_text;

void attest_text_init(attest_text *text);
void attest_text_clear(attest_text *text);
void attest_text_append(attest_text *text, const char *bytes, size_t count);
void attest_text_add(attest_text *text, const char *string);
void attest_text_printf(attest_text *text, const char *format, ...) ATTEST_PRINTF(2, 3);

/* Returns a stream that appends to the text, to be closed before the text is taken, or NULL:
 * out of memory. The text remembers a failed write. (A write to glibc's open_memstream that
 * runs out of memory is lost, and neither ferror nor fclose report it.) */
FILE *attest_text_open(attest_text *text);

/* Returns the string, which the caller frees, or NULL if memory ran out. The text is empty
 * then. */
char *attest_text_take(attest_text *text);

#endif
