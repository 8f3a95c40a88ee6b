/* markup.h -- HTML and SVG, written element by element.
 *
 *     attest_markup_open(markup, "p");
 *     attest_markup_attribute(markup, "class", "remark");
 *     attest_markup_text(markup, name);
 *     attest_markup_close(markup);
 *
 * Text and attribute values are escaped here and nowhere else, so that the contents of a file
 * never become markup; names of elements and attributes are the program's own. Elements
 * without content end in "/>", which HTML and XML accept: the output is well-formed XML. The
 * text remembers a failed allocation. */
#ifndef ATTEST_REPORT_MARKUP_H
#define ATTEST_REPORT_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/status.h>

#include "base/text.h"

enum { ATTEST_MARKUP_DEPTH = 32 };

typedef struct attest_markup {
    attest_text text;
    bool indented;    /* each element has a line of its own, indented by two spaces a level */
    bool in_tag;      /* the start tag is still open for attributes */
    bool was_element; /* the last item written is an element, not text */
    int depth;
    const char *open[ATTEST_MARKUP_DEPTH];
} attest_markup;

void attest_markup_init(attest_markup *markup);
void attest_markup_clear(attest_markup *markup);

/* Begins an element; its attributes follow, then its content, then close or empty. The name
 * must outlive the element. */
void attest_markup_open(attest_markup *markup, const char *name);
void attest_markup_close(attest_markup *markup);

/* Ends an element that has attributes only. */
void attest_markup_empty(attest_markup *markup);

/* Attributes of the element just begun. A number is written with at most two decimals. */
void attest_markup_attribute(attest_markup *markup, const char *name, const char *value);
void attest_markup_attribute_number(attest_markup *markup, const char *name, double value);
void attest_markup_attribute_printf(attest_markup *markup, const char *name, const char *format,
                                    ...) ATTEST_PRINTF(3, 4);

/* Content. */
void attest_markup_text(attest_markup *markup, const char *text);

/* The same for a text of one line: line ends, which a file name may contain, become character
 * references, as in attributes. */
void attest_markup_line(attest_markup *markup, const char *text);

void attest_markup_printf(attest_markup *markup, const char *format, ...) ATTEST_PRINTF(2, 3);

/* Content that is already markup. */
void attest_markup_raw(attest_markup *markup, const char *bytes, size_t count);

/* <name class="class">text</name>; class may be NULL. */
void attest_markup_element(attest_markup *markup, const char *name, const char *class_name,
                           const char *text);

/* Begins <name class="class">. */
void attest_markup_open_class(attest_markup *markup, const char *name, const char *class_name);

/* Formats a number for an attribute, in at least 32 bytes: fixed point, at most two decimals,
 * no locale, and 0 if it is not finite or beyond 10^9. */
void attest_markup_format(char text[32], double value);

/* Appends "sha256-" and the hash of the text in base 64, by which a content security policy
 * identifies a style or a script. */
void attest_markup_hash(attest_text *hash, const char *text, size_t size);

#endif
