/* text.h -- a string that grows, UTF-8 and its escapes, and suggestions for misspelt names. */
#ifndef ATTEST_BASE_TEXT_H
#define ATTEST_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <attest/error.h>

/* A string that grows. A failed allocation is remembered: later calls do nothing, and
 * attest_text_take returns NULL. A caller appends without checks and checks once, at the end.
 */
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

/* Append a word in quotes where a shell needs them; add_word adds a blank before it, unless the
 * text is empty. */
void attest_text_add_quoted(attest_text *text, const char *word);
void attest_text_add_word(attest_text *text, const char *word);

/* Returns a stream that appends to the text, to be closed before the text is taken, or NULL:
 * out of memory. The text remembers a failed write. (A write to glibc's open_memstream that
 * runs out of memory is lost, and neither ferror nor fclose report it.) */
FILE *attest_text_open(attest_text *text);

/* Returns the string, which the caller frees, or NULL if memory ran out. The text is empty
 * then. */
char *attest_text_take(attest_text *text);

/* Escapes of untrusted text for terminals, JSON, XML and messages. */

/* Replaces control characters, characters that change the direction of text and bytes that are
 * not UTF-8 by \xNN, so that no escape sequence reaches a terminal and no newline ends a line
 * of TAP. */
void attest_escape_terminal(attest_text *text, const char *bytes, size_t count);

/* Print the bytes with the same escapes, and return the number of bytes that this prints. Only
 * report/print.c calls them: all other code prints by its functions. */
void attest_escape_print(FILE *stream, const char *bytes, size_t count);
size_t attest_escape_width(const char *bytes, size_t count);

/* to[0..room) = the beginning of the text, to be quoted in an error: whole characters, with
 * '?' for control characters and bytes that are not UTF-8, and "..." at the end if it was cut.
 * Domain: room >= 8. */
void attest_escape_excerpt(char *to, size_t room, const char *bytes, size_t count);

/* The contents of a JSON string. Characters that are unsafe in a terminal become \uXXXX, which
 * is the same string; bytes that are not UTF-8 become U+FFFD. */
void attest_escape_json(attest_text *text, const char *bytes, size_t count);

/* Escapes a whole JSON text in this way; its quotes, backslashes and newlines are kept. */
void attest_escape_json_text(attest_text *text, const char *bytes, size_t count);

/* Character data of XML and HTML. Characters that XML 1.0 does not allow, DEL, C1 controls and
 * characters that change the direction of text become U+FFFD, a carriage return &#13;. */
void attest_escape_markup(attest_text *text, const char *bytes, size_t count);

/* Escapes an attribute value in this way; tabs and newlines become &#9; and &#10;. */
void attest_escape_attribute(attest_text *text, const char *bytes, size_t count);

/* UTF-8. */

/* The length of the UTF-8 character at bytes[0..count), or 0 if there is none: no overlong
 * forms, no surrogates, nothing above U+10FFFF. Domain: count >= 1. */
size_t attest_utf8_length(const unsigned char *bytes, size_t count);

/* Writes the character to text, without a final zero, and returns its number of bytes, at
 * most 4. Domain: up to U+10FFFF, no surrogate. */
size_t attest_utf8_write(char *text, uint32_t character);

/* Suggestions for misspelt names. */

/* The number of letters to change, delete, insert or swap with their neighbour that turns a
 * into b; a large number if either has more than 127. Cost: the product of the lengths. */
size_t attest_spelling_distance(const char *a, const char *b);

/* Returns whether a, of at least three letters, may be a misspelling of b: the distance is at
 * most a third of the letters of a, half of them in a short name; or a is a part of b. */
int attest_spelling_is_close(const char *a, const char *b);

/* Sets the error "there is no tensor 'x'; there are 'a', 'b', ... (12 in all)", or one with the
 * closest of count names; name i is at(names, i). Returns USAGE, or NOMEM. */
attest_status attest_spelling_refuse(const char *name, const char *(*at)(const void *, size_t),
                                     const void *names, size_t count, attest_error *error);

/* Returns the first of the closest names that word may be a misspelling of, or NULL.
 * name(of, i) is the i-th name, and NULL after the last. */
const char *attest_spelling_pick(const char *word,
                                 const char *(*name)(const void *of, size_t i), const void *of);

#endif
