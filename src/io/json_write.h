/* json_write.h -- JSON, written as a stream.
 *
 *     attest_json_write_object(&json, NULL);
 *     attest_json_write_string(&json, "verdict", "proved");
 *     attest_json_write_array(&json, "pair");
 *     ...
 *     attest_json_write_close(&json);
 *
 * Every call takes the key under which the value stands; NULL inside an array and at the top.
 * Members of objects stand on lines of their own, elements of arrays follow one another. The
 * output depends on the calls alone. A failure to write is remembered by the stream, one to get
 * memory by the writer: attest_json_write_end tells, and so a caller checks once. */
#ifndef ATTEST_IO_JSON_WRITE_H
#define ATTEST_IO_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <attest/flint.h>
#include <attest/status.h>

enum { ATTEST_JSON_DEPTH = 32 };

typedef struct attest_json {
    FILE *stream;
    bool failed; /* memory ran out, and the text is not what it should be */
    int depth;
    struct {
        bool is_object, used;
    } level[ATTEST_JSON_DEPTH];
} attest_json;

void attest_json_write_begin(attest_json *json, FILE *stream);

/* The final newline. Every object and array must be closed. Status: IO (ferror), NOMEM. */
attest_status attest_json_write_end(attest_json *json);

/* Writes the value as JSON. */
typedef void attest_json_writer(attest_json *json, const void *value);

/* What write writes of the value, the caller's to free, and its length (NULL: not wanted).
 * NULL: out of memory. */
char *attest_json_format(size_t *size, attest_json_writer *write, const void *value);

void attest_json_write_object(attest_json *json, const char *key);
void attest_json_write_array(attest_json *json, const char *key);
void attest_json_write_close(attest_json *json);

void attest_json_write_null(attest_json *json, const char *key);
void attest_json_write_bool(attest_json *json, const char *key, bool value);
void attest_json_write_integer(attest_json *json, const char *key, long long value);
void attest_json_write_count(attest_json *json, const char *key, unsigned long long value);

/* A string; NULL is written as null. */
void attest_json_write_string(attest_json *json, const char *key, const char *value);

/* A value whose JSON text is there already, as attest_json_write_end leaves it; its lines are
 * indented to where it stands. */
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

#endif
