/* hex_rows.h -- rows of binary32 numbers as text: 8 hexadecimal digits each, one row per line.
 *
 * Numbers are separated by blanks or tabs, and lines may end with them; a line ends with LF, or
 * CR and LF, and the last one need not. Every line has as many numbers as the first, at least
 * one. */
#ifndef ATTEST_IO_HEX_ROWS_H
#define ATTEST_IO_HEX_ROWS_H

#include <stddef.h>

#include <attest/format.h>
#include <attest/number.h>

typedef struct attest_hex_rows {
    size_t rows, cols;
    double *value; /* row by row */
} attest_hex_rows;

/* rows = the numbers of the text, to be cleared. Every value must be a number of the format,
 * or NaN or an infinity if it has them. budget (NULL: none) is charged. Status: FORMAT, NOMEM,
 * UNABLE (budget); rows is then empty. */
attest_status attest_hex_rows_parse(attest_hex_rows *rows, const char *text, size_t size,
                                    const attest_format *format, attest_budget *budget,
                                    attest_error *error) ATTEST_WARN_UNUSED;
void attest_hex_rows_clear(attest_hex_rows *rows);

/* Reads a file in this way; the error's text begins with the path. */
attest_status attest_hex_rows_read(attest_hex_rows *rows, const char *path,
                                   const attest_format *format, attest_budget *budget,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
