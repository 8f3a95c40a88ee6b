/* value.h -- numbers and texts out of a record, for a reader or a plot.
 *
 * Records may lack what an older or smaller run did not measure, so all of these have an answer
 * for what is not there. Doubles are for drawing only. */
#ifndef ATTEST_REPORT_VALUE_H
#define ATTEST_REPORT_VALUE_H

#include "io/json_read.h"
#include "report/markup.h"

/* object.key as text; "" if there is none. It belongs to the document. */
const char *attest_value_text(const attest_json_cursor *object, const char *key);

/* object.key as a double: a JSON number, or a string that holds a number or "-inf", "inf". NAN
 * if there is none. */
double attest_value_number(const attest_json_cursor *object, const char *key);

/* log2 of object.key: a ball (by its log2) or a number. -INFINITY for zero, NAN if there is
 * none or it is negative. */
double attest_value_log2(const attest_json_cursor *object, const char *key);

/* The number of elements of object.key, and the array itself; 0 if there is none. */
size_t attest_value_array(attest_json_cursor *array, const attest_json_cursor *object,
                          const char *key);

/* object.key for people: a ball as 2^e, a number with grouped digits,
 * arrays in brackets, a text as it is (or its beginning, if it is very long), and a dash for
 * what is not there. */
void attest_value_write(attest_markup *markup, const attest_json_cursor *object,
                        const char *key);

/* object.key, two places {sequence, position}, as "[0,3] and [1,3]". */
void attest_value_write_pair(attest_markup *markup, const attest_json_cursor *object,
                             const char *key);

/* The value at the cursor itself. */
void attest_value_write_value(attest_markup *markup, const attest_json_cursor *cursor);

/* 2^e with a raised exponent of two decimals; "0" for -INFINITY, a dash for NAN. */
void attest_value_write_power(attest_markup *markup, double log2);

/* Whether object says that all is as it should be: its "as_expected" if it has one, for a
 * property that looks for violations should find some; else whether its verdict is good. */
bool attest_value_is_expected(const attest_json_cursor *object, const char *good);

/* A verdict with a sign and a class, so that it is not told by colour alone. */
void attest_value_write_verdict(attest_markup *markup, const char *verdict);

#endif
