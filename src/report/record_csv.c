/* record_csv.c -- the table of 'attest approximate --csv' as a record. */
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/scope.h"
#include "report/record.h"

/* What is taken of a line, in the order of its fields; NULL: nothing. Errors are enclosed, and
 * shown by their upper ends. */
static const char *const keys[] = {"function", "dim", "length", "grid",     NULL,   "l1",
                                   "l1_bound", NULL,  "l2",     "l2_bound", "units"};
static const char header[] =
    "function,d,n,grid,l1_low,l1_high,l1_bound,l2_low,l2_high,l2_bound,units";

enum { FIELDS = sizeof keys / sizeof keys[0] };

/* The bytes of the first line, "\n" or "\r\n" included, if it is the header; else 0. */
static size_t header_length(const char *bytes, size_t size)
{
    size_t length = sizeof header - 1;

    if (size <= length || memcmp(bytes, header, length) != 0)
        return 0;
    length += bytes[length] == '\r';
    return length < size && bytes[length] == '\n' ? length + 1 : 0;
}

bool attest_records_is_csv(const char *bytes, size_t size)
{
    return header_length(bytes, size) > 0;
}

/* One line as a JSON object; false: it has not as many fields as the header. */
static bool add_line(attest_text *json, const char *line, size_t length, bool first)
{
    size_t begin = 0;

    attest_text_add(json, first ? "{" : ",{");
    for (size_t i = 0; i < FIELDS; i++) {
        const char *comma = memchr(line + begin, ',', length - begin);
        size_t end = comma ? (size_t)(comma - line) : length;
        if ((i + 1 < FIELDS) != (comma != NULL))
            return false;
        if (keys[i]) {
            attest_text_printf(json, "%s\"%s\":\"", i ? "," : "", keys[i]);
            attest_escape_json(json, line + begin, end - begin);
            attest_text_add(json, "\"");
        }
        begin = end + 1;
    }
    attest_text_add(json, "}");
    return true;
}

/* All lines below the header. */
static attest_status add_lines(attest_text *json, const char *bytes, size_t size,
                               attest_error *error)
{
    size_t begin = header_length(bytes, size), line = 1;
    bool first = true;

    while (begin < size) {
        const char *newline = memchr(bytes + begin, '\n', size - begin);
        size_t end = newline ? (size_t)(newline - bytes) : size, length = end - begin;
        line++;
        length -= length > 0 && bytes[end - 1] == '\r';
        if (length > 0 && !add_line(json, bytes + begin, length, first))
            return attest_error_set(error, ATTEST_FORMAT, "line %zu: %d fields are expected",
                                    line, (int)FIELDS);
        first = first && length == 0;
        begin = end + 1;
    }
    return ATTEST_OK;
}

attest_status attest_records_add_csv(attest_records *records, const char *path,
                                     const char *bytes, size_t size, attest_budget *budget,
                                     attest_error *error)
{
    ATTEST_SCOPED(attest_text, json);

    attest_text_add(&json, "{\"format\":\"attest/approximate\",\"version\":1,\"errors\":[");
    ATTEST_TRY(add_lines(&json, bytes, size, error));
    attest_text_add(&json, "]}");
    if (json.failed)
        return attest_memory_fail(error);
    return attest_records_add(records, path, json.data, json.size, budget, error);
}
