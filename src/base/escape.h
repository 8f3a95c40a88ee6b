/* escape.h -- UTF-8, and escaping of untrusted text for terminals, JSON, XML and messages. */
#ifndef ATTEST_BASE_ESCAPE_H
#define ATTEST_BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* Replaces control characters, characters that change the direction of text and bytes that are
 * not UTF-8 by \xNN, so that no escape sequence reaches a terminal and no newline ends a line
 * of TAP. */
void attest_escape_terminal(attest_text *text, const char *bytes, size_t count);

/* Prints the bytes with the same escapes; returns the number of bytes that takes. Only
 * report/print.h calls them: all other code prints by its functions. */
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

/* Characters in UTF-8. */

/* The length of the UTF-8 character at bytes[0..count), or 0 if there is none: no overlong
 * forms, no surrogates, nothing above U+10FFFF. Domain: count >= 1. */
size_t attest_utf8_length(const unsigned char *bytes, size_t count);

/* Writes the character to text, without a final zero; how many bytes it took, at most 4.
 * Domain: up to U+10FFFF, no surrogate. */
size_t attest_utf8_write(char *text, uint32_t character);

#endif
