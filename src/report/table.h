/* table.h -- tables for people who read them, and for those who have them read.
 *
 *     attest_table_open(markup, "Formats", headings, 3);
 *     attest_table_row(markup, "binary16");
 *     attest_table_cell(markup, "number", "12");
 *     ...
 *     attest_table_close(markup);
 */
#ifndef ATTEST_REPORT_TABLE_H
#define ATTEST_REPORT_TABLE_H

#include "report/markup.h"

/* A table with a caption and a heading for every column, in a region that scrolls by itself
 * and can be reached by keyboard. A heading that begins with '#' stands over numbers. */
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

void attest_table_close(attest_markup *markup);

#endif
