/* hex_rows.c -- rows of binary32 numbers as text. */
#include "io/hex_rows.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "format/simulate_in_double.h"

enum { DIGITS = 8, EXCERPT = 40 };

typedef struct reader {
    const char *at, *end;
    size_t line; /* from 1 */
    attest_in_double hosted;
    attest_hex_rows *rows;
    size_t count; /* values so far */
} reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int get_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Sets the error for a word that is not 8 hexadecimal digits. */
static attest_status refuse_word(const reader *r, size_t length, attest_error *error)
{
    char shown[EXCERPT];

    attest_escape_excerpt(shown, sizeof shown, r->at, length);
    return attest_error_set(error, ATTEST_FORMAT,
                            "line %zu: 8 hexadecimal digits of binary32 are expected, this is "
                            "'%s'",
                            r->line, shown);
}

/* One number, at r->at. */
static attest_status read_value(reader *r, attest_error *error)
{
    size_t length = 0;
    uint32_t bits = 0;
    float value;
    double x, cast;

    while (r->at + length < r->end && !is_blank(r->at[length]) && r->at[length] != '\n')
        length++;
    for (size_t i = 0; i < length && i <= DIGITS; i++) {
        int digit = get_digit(r->at[i]);

        if (digit < 0 || i == DIGITS)
            return refuse_word(r, length, error);
        bits = bits << 4 | (uint32_t)digit;
    }
    if (length != DIGITS)
        return refuse_word(r, length, error);
    memcpy(&value, &bits, sizeof value);
    x = value;
    cast = attest_in_double_nearest(x, &r->hosted);
    if (isnan(x) ? !isnan(cast) : cast != x || signbit(cast) != signbit(x))
        return attest_error_set(error, ATTEST_FORMAT,
                                "line %zu: %.8s is %g, which is not a number of %s", r->line,
                                r->at, x, r->hosted.format.name);
    r->rows->value[r->count++] = x;
    r->at += length;
    return ATTEST_OK;
}

static attest_status read_line(reader *r, attest_error *error)
{
    attest_hex_rows *rows = r->rows;
    size_t first = r->count, found;

    r->line++;
    for (;;) {
        while (r->at < r->end && is_blank(*r->at))
            r->at++;
        if (r->at == r->end || *r->at == '\n')
            break;
        ATTEST_TRY(read_value(r, error));
    }
    r->at += r->at < r->end;
    found = r->count - first;
    if (found == 0)
        return attest_error_set(error, ATTEST_FORMAT, "line %zu has no numbers", r->line);
    if (rows->rows == 0)
        rows->cols = found;
    if (found != rows->cols)
        return attest_error_set(error, ATTEST_FORMAT,
                                "line %zu has %zu numbers, and the first line %zu", r->line,
                                found, rows->cols);
    rows->rows++;
    return ATTEST_OK;
}

/* Reads all lines. The result has room for most numbers. */
static attest_status read_lines(reader *r, size_t most, attest_error *error)
{
    r->rows->value = attest_memory_alloc(most, sizeof *r->rows->value);
    if (!r->rows->value)
        return attest_memory_fail(error);
    while (r->at < r->end)
        ATTEST_TRY(read_line(r, error));
    return ATTEST_OK;
}

attest_status attest_hex_rows_parse(attest_hex_rows *rows, const char *text, size_t size,
                                    const attest_format *format, attest_budget *budget,
                                    attest_error *error)
{
    reader r = {.at = text, .end = text + size, .rows = rows};
    size_t most = size / (DIGITS + 1) + 1; /* a number and a separator */

    *rows = (attest_hex_rows){0};
    if (size == 0)
        return attest_error_set(error, ATTEST_FORMAT, "the file is empty");
    attest_in_double_init(&r.hosted, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    ATTEST_TRY(attest_budget_charge(budget, most * sizeof *rows->value, error));
    ATTEST_TRY_OR(read_lines(&r, most, error), {
        attest_budget_give_back(budget, most * sizeof *rows->value);
        attest_hex_rows_clear(rows);
    });
    return ATTEST_OK;
}

void attest_hex_rows_clear(attest_hex_rows *rows)
{
    free(rows->value);
    *rows = (attest_hex_rows){0};
}

attest_status attest_hex_rows_read(attest_hex_rows *rows, const char *path,
                                   const attest_format *format, attest_budget *budget,
                                   attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    *rows = (attest_hex_rows){0};
    ATTEST_TRY(attest_input_open(&input, path, attest_budget_left(budget), error));
    return attest_input_locate(&input,
                               attest_hex_rows_parse(rows, (const char *)input.data, input.size,
                                                     format, budget, error),
                               error);
}
