/* text.h -- a string that grows.
 *
 * A failed allocation is remembered: later calls do nothing, and attest_text_take returns NULL.
 * So a caller appends freely and checks once. */
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

/* A stream that appends to the text, to be closed before the text is taken. Its own error need
 * not be asked for: the text remembers. (open_memstream of glibc forgets: a write that it has
 * no memory for is missing, and neither ferror nor fclose tell.) NULL: out of memory. */
FILE *attest_text_open(attest_text *text);

/* The string, which is the caller's to free(), or NULL when memory ran out; text is empty then.
 */
char *attest_text_take(attest_text *text);

#endif
