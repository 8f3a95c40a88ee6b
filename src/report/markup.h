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
 * text remembers a failed allocation.
 *
 * Tables are accessible to screen readers:
 *
 *     attest_table_open(markup, "Formats", headings, 3);
 *     attest_table_row(markup, "binary16");
 *     attest_table_cell(markup, "number", "12");
 *     ...
 *     attest_table_close(markup);
 */
#ifndef ATTEST_REPORT_MARKUP_H
#define ATTEST_REPORT_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/status.h>

#include "base/text.h"
#include "io/json_read.h"

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

/* Begins a table with a caption and a heading for every column, in a region that scrolls by
 * itself and can be reached by keyboard. A heading that begins with '#' is that of a column of
 * numbers. */
void attest_table_open(attest_markup *markup, const char *caption, const char *const *heading,
                       size_t columns);

/* Begins a row whose heading is the given text; ends the row before. */
void attest_table_row(attest_markup *markup, const char *heading);

/* The same with an id that links lead to; NULL: none. */
void attest_table_named_row(attest_markup *markup, const char *id, const char *heading);

/* A cell; class "number" aligns numbers, "long" lets hashes and names break. NULL: none. */
void attest_table_cell(attest_markup *markup, const char *class_name, const char *text);

/* Begins a cell; its content follows, and attest_markup_close. */
void attest_table_open_cell(attest_markup *markup, const char *class_name);

/* A cell with a number in grouped digits; NAN is a dash. */
void attest_table_number(attest_markup *markup, double value, int digits);

/* Cells with 2^log2, with object.key, and with a verdict: see attest_value_write_power,
 * attest_value_write and attest_value_write_verdict below. */
void attest_table_power(attest_markup *markup, double log2);
void attest_table_value(attest_markup *markup, const char *class_name,
                        const attest_json_cursor *object, const char *key);
void attest_table_verdict(attest_markup *markup, const char *verdict);

void attest_table_close(attest_markup *markup);

/* Values of records. A record may lack values that an older or smaller run did not measure, so
 * all functions have a result for a missing value. Doubles are for display only.
 *
 * object.key as text; "" if there is none. It belongs to the document. */
const char *attest_value_text(const attest_json_cursor *object, const char *key);

/* object.key as a double: a JSON number, or a string with a number, "-inf" or "inf". NAN if
 * there is none. */
double attest_value_number(const attest_json_cursor *object, const char *key);

/* log2 of object.key: a ball (by its log2) or a number. -INFINITY for zero, NAN if there is
 * none or it is negative. */
double attest_value_log2(const attest_json_cursor *object, const char *key);

/* The number of elements of object.key, and the array itself; 0 if there is none. */
size_t attest_value_array(attest_json_cursor *array, const attest_json_cursor *object,
                          const char *key);

/* Writes object.key: a ball as 2^e, a number with grouped digits, arrays in brackets, a text
 * unchanged (or its beginning, if it is very long), and a dash for a missing value. */
void attest_value_write(attest_markup *markup, const attest_json_cursor *object,
                        const char *key);

/* object.key, two places {sequence, position}, as "[0,3] and [1,3]". */
void attest_value_write_pair(attest_markup *markup, const attest_json_cursor *object,
                             const char *key);

/* The value at the cursor itself. */
void attest_value_write_value(attest_markup *markup, const attest_json_cursor *cursor);

/* 2^e with a raised exponent of two decimals; "0" for -INFINITY, a dash for NAN. */
void attest_value_write_power(attest_markup *markup, double log2);

/* Returns whether the result is the expected one: the value of "as_expected", which is true
 * for a search that found a violation, or, without that member, whether the verdict is good. */
bool attest_value_is_expected(const attest_json_cursor *object, const char *good);

/* Writes a verdict with a symbol and a class, so that colour is not its only mark. */
void attest_value_write_verdict(attest_markup *markup, const char *verdict);

#endif
