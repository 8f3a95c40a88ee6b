/* Rows of hexadecimal numbers: whatever is read is a full array of numbers of the format. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/hex_rows.h"
#include "format/simulate_in_double.h"
#include "tests/fuzz/fuzz.h"

/* Returns whether the cast leaves x as it is, a NaN included. */
static bool is_of(double x, const attest_format *format)
{
    double y = attest_format_cast(x, format);

    return isnan(x) ? isnan(y) : y == x && !signbit(y) == !signbit(x);
}

static void try_format(const char *name, const uint8_t *data, size_t size)
{
    const size_t whole = (size_t)1 << 20;
    attest_budget budget = {whole};
    attest_error error = {ATTEST_OK, ""};
    attest_format format;
    attest_hex_rows rows;
    attest_status status;

    if (attest_format_parse(&format, name, &error) != ATTEST_OK)
        abort();
    status = attest_hex_rows_parse(&rows, (const char *)data, size, &format, &budget, &error);
    if (budget.left > whole)
        abort();
    if (status != ATTEST_OK) {
        if (error.status != status || error.text[0] == '\0' || strchr(error.text, '\n') ||
            rows.value || rows.rows || rows.cols || budget.left != whole)
            abort();
        return;
    }
    if (rows.rows == 0 || rows.cols == 0 || rows.rows * rows.cols > size / 8)
        abort();
    for (size_t i = 0; i < rows.rows * rows.cols; i++)
        if (!is_of(rows.value[i], &format))
            abort();
    attest_hex_rows_clear(&rows);
}

FUZZ_TARGET(hex)
{
    try_format("binary32", data, size);
    try_format("float8_e4m3fn", data, size);
    return 0;
}
