/* escape.h -- text from files, made harmless for where it goes. */
#ifndef ATTEST_BASE_ESCAPE_H
#define ATTEST_BASE_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

/* Control characters, those that turn the direction of text and bytes that are not UTF-8 become
 * \xNN, and so does nothing else: no escape sequence reaches a terminal, no newline breaks a
 * line of TAP. */
void attest_escape_terminal(attest_text *text, const char *bytes, size_t count);

/* Prints the bytes so escaped, and how many bytes that takes: for report/print.h, by which all
 * others print. */
void attest_escape_print(FILE *stream, const char *bytes, size_t count);
size_t attest_escape_width(const char *bytes, size_t count);

/* to[0..room) = the beginning of the text, for an error to quote: whole characters, control
 * characters and bytes that are not UTF-8 as '?', and "..." at the end of what was cut. Domain:
 * room >= 8. */
void attest_escape_excerpt(char *to, size_t room, const char *bytes, size_t count);

/* The inside of a JSON string. Characters that a terminal must not get become \uXXXX, which is
 * the same string; bytes that are not UTF-8 become U+FFFD. */
void attest_escape_json(attest_text *text, const char *bytes, size_t count);

/* The same for a whole JSON text, whose quotes, backslashes and newlines stay. */
void attest_escape_json_text(attest_text *text, const char *bytes, size_t count);

/* Character data of XML and HTML; what XML 1.0 cannot hold becomes U+FFFD, and so do DEL, C1
 * controls and those that turn the direction of text. A carriage return becomes &#13;. */
void attest_escape_markup(attest_text *text, const char *bytes, size_t count);

/* The same for attribute values, where tabs and newlines become &#9; and &#10;. */
void attest_escape_attribute(attest_text *text, const char *bytes, size_t count);

#endif
