/* json_write.h -- writes JSON to a stream or a file.
 *
 *     attest_json_write_object(&json, NULL);
 *     attest_json_write_string(&json, "verdict", "proved");
 *     attest_json_write_array(&json, "pair");
 *     ...
 *     attest_json_write_close(&json);
 *
 * Every call takes the key of the value; NULL inside an array and at the top. Each member of
 * an object has a line of its own, the elements of an array share one. The output depends on
 * the calls alone. The stream remembers a failed write and the writer a failed allocation;
 * attest_json_write_end returns either, so that a caller checks once. */
#ifndef ATTEST_IO_JSON_WRITE_H
#define ATTEST_IO_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <attest/flint.h>
#include <attest/status.h>

#include "base/file.h"

enum { ATTEST_JSON_DEPTH = 32 };

typedef struct attest_json {
    FILE *stream;
    bool failed; /* memory ran out: the text is incomplete */
    int depth;
    struct {
        bool is_object, used;
    } level[ATTEST_JSON_DEPTH];
} attest_json;

void attest_json_write_begin(attest_json *json, FILE *stream);

/* Writes the final newline. Every object and array must be closed. Status: IO (ferror), NOMEM.
 */
attest_status attest_json_write_end(attest_json *json);

/* Writes the value as JSON. */
typedef void attest_json_writer(attest_json *json, const void *value);

/* Returns the JSON text of the value, which the caller frees, and sets *size to its length
 * unless size is NULL. NULL: out of memory. */
char *attest_json_format(size_t *size, attest_json_writer *write, const void *value);

void attest_json_write_object(attest_json *json, const char *key);
void attest_json_write_array(attest_json *json, const char *key);
void attest_json_write_close(attest_json *json);

/* "format" and "version", 1: the first members of every record; attest_json_check_format reads
 * them. */
void attest_json_write_format(attest_json *json, const char *format);

void attest_json_write_null(attest_json *json, const char *key);
void attest_json_write_bool(attest_json *json, const char *key, bool value);
void attest_json_write_integer(attest_json *json, const char *key, long long value);
void attest_json_write_count(attest_json *json, const char *key, unsigned long long value);

/* A seed: a string in hexadecimal, "0x1f". */
void attest_json_write_seed(attest_json *json, const char *key, unsigned long long seed);

/* A string; NULL is written as null. */
void attest_json_write_string(attest_json *json, const char *key, const char *value);

/* A value given as JSON text that attest_json_write_end has finished; its lines are indented
 * to the current depth. */
void attest_json_write_text(attest_json *json, const char *key, const char *text);

/* A measurement for people (seconds, rates): 6 significant digits; not finite: null. */
void attest_json_write_measure(attest_json *json, const char *key, double value);

/* A double, exactly, in 17 significant digits; not finite: the string "nan", "inf" or "-inf".
 */
void attest_json_write_double(attest_json *json, const char *key, double value);

/* An exact number as the string "p/q", or "p". */
void attest_json_write_rational(attest_json *json, const char *key, const fmpq_t value);

/* An array of numerator[i] / denominator, i < count. */
void attest_json_write_fractions(attest_json *json, const char *key, const fmpz *numerator,
                                 const fmpz_t denominator, size_t count);

/* As an exact hex float, or "nan", "inf", "-inf". */
void attest_json_write_arf(attest_json *json, const char *key, const arf_t value);

/* A ball: mid and rad as exact hex floats, log2 if it is positive, and a text for people.
 * A ball that is not finite is written as null. */
void attest_json_write_ball(attest_json *json, const char *key, const arb_t value);

/* A JSON file that is written whole or not at all. */
typedef struct attest_json_file {
    attest_output output;
    attest_json json; /* write here */
} attest_json_file;

/* Status: IO, NOMEM; the text begins with the path. */
attest_status attest_json_file_open(attest_json_file *file, const char *path,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Completes the file; nothing is left to clear. After a failure the target is unchanged. */
attest_status attest_json_file_commit(attest_json_file *file,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
