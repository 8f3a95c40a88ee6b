/* json_write.c -- writes JSON to a stream or a file. */
#include "io/json_write.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/number.h>

#include "base/memory.h"
#include "base/text.h"
#include "number/scope.h"

static void quote(attest_json *json, const char *string)
{
    attest_text text;
    char *escaped;

    attest_text_init(&text);
    attest_escape_json(&text, string, strlen(string));
    escaped = attest_text_take(&text);
    json->failed = json->failed || !escaped;
    fprintf(json->stream, "\"%s\"", escaped ? escaped : "");
    free(escaped);
}

static void indent(attest_json *json)
{
    fprintf(json->stream, "\n%*s", 2 * json->depth, "");
}

/* Writes a comma, a line break and the key before a value. */
static void lead(attest_json *json, const char *key)
{
    if (json->depth > 0) {
        bool is_object = json->level[json->depth - 1].is_object;
        bool used = json->level[json->depth - 1].used;
        json->level[json->depth - 1].used = true;
        assert(is_object == (key != NULL));
        if (used)
            fputs(is_object ? "," : ", ", json->stream);
        if (is_object)
            indent(json);
    }
    if (key) {
        quote(json, key);
        fputs(": ", json->stream);
    }
}

static void open(attest_json *json, const char *key, bool is_object)
{
    lead(json, key);
    assert(json->depth < ATTEST_JSON_DEPTH);
    json->level[json->depth].is_object = is_object;
    json->level[json->depth].used = false;
    json->depth++;
    fputc(is_object ? '{' : '[', json->stream);
}

void attest_json_write_begin(attest_json *json, FILE *stream)
{
    memset(json, 0, sizeof *json);
    json->stream = stream;
}

attest_status attest_json_write_end(attest_json *json)
{
    assert(json->depth == 0);
    fputc('\n', json->stream);
    if (json->failed)
        return ATTEST_NOMEM;
    return ferror(json->stream) ? ATTEST_IO : ATTEST_OK;
}

char *attest_json_format(size_t *size, attest_json_writer *write, const void *value)
{
    attest_text text;
    attest_json json;
    FILE *stream;
    bool whole;

    attest_text_init(&text);
    stream = attest_text_open(&text);
    if (!stream)
        return NULL;
    attest_json_write_begin(&json, stream);
    write(&json, value);
    whole = attest_json_write_end(&json) == ATTEST_OK;
    if (fclose(stream) != 0 || !whole)
        text.failed = true;
    if (size)
        *size = text.size;
    return attest_text_take(&text);
}

void attest_json_write_object(attest_json *json, const char *key)
{
    open(json, key, true);
}

void attest_json_write_array(attest_json *json, const char *key)
{
    open(json, key, false);
}

void attest_json_write_close(attest_json *json)
{
    assert(json->depth > 0);
    json->depth--;
    if (json->level[json->depth].is_object) {
        if (json->level[json->depth].used)
            indent(json);
        fputc('}', json->stream);
    } else {
        fputc(']', json->stream);
    }
}

void attest_json_write_format(attest_json *json, const char *format)
{
    attest_json_write_string(json, "format", format);
    attest_json_write_integer(json, "version", 1);
}

void attest_json_write_null(attest_json *json, const char *key)
{
    lead(json, key);
    fputs("null", json->stream);
}

void attest_json_write_bool(attest_json *json, const char *key, bool value)
{
    lead(json, key);
    fputs(value ? "true" : "false", json->stream);
}

void attest_json_write_integer(attest_json *json, const char *key, long long value)
{
    lead(json, key);
    fprintf(json->stream, "%lld", value);
}

void attest_json_write_count(attest_json *json, const char *key, unsigned long long value)
{
    lead(json, key);
    fprintf(json->stream, "%llu", value);
}

void attest_json_write_seed(attest_json *json, const char *key, unsigned long long seed)
{
    lead(json, key);
    fprintf(json->stream, "\"0x%llx\"", seed);
}

void attest_json_write_string(attest_json *json, const char *key, const char *value)
{
    if (!value) {
        attest_json_write_null(json, key);
        return;
    }
    lead(json, key);
    quote(json, value);
}

void attest_json_write_text(attest_json *json, const char *key, const char *text)
{
    attest_text harmless;

    lead(json, key);
    attest_text_init(&harmless);
    attest_escape_json_text(&harmless, text, strlen(text));
    json->failed = json->failed || harmless.failed;
    for (const char *at = harmless.data; at && *at; at++) {
        if (*at != '\n')
            fputc(*at, json->stream);
        else if (at[1])
            indent(json);
    }
    attest_text_clear(&harmless);
}

void attest_json_write_measure(attest_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        attest_json_write_null(json, key);
        return;
    }
    lead(json, key);
    fprintf(json->stream, "%.6g", value);
}

void attest_json_write_double(attest_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        attest_json_write_string(json, key, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    lead(json, key);
    fprintf(json->stream, "%.17g", value);
}

/* A string made for this call; NULL: memory ran out. */
static void write_made(attest_json *json, const char *key, char *text)
{
    json->failed = json->failed || !text;
    attest_json_write_string(json, key, text);
    free(text);
}

void attest_json_write_rational(attest_json *json, const char *key, const fmpq_t value)
{
    write_made(json, key, attest_number_format(value));
}

void attest_json_write_fractions(attest_json *json, const char *key, const fmpz *numerator,
                                 const fmpz_t denominator, size_t count)
{
    FMPQ(value);

    attest_json_write_array(json, key);
    for (size_t i = 0; i < count; i++) {
        fmpq_set_fmpz_frac(value, numerator + i, denominator);
        attest_json_write_rational(json, NULL, value);
    }
    attest_json_write_close(json);
}

void attest_json_write_arf(attest_json *json, const char *key, const arf_t value)
{
    if (arf_is_finite(value))
        write_made(json, key, attest_ball_format_arf(value));
    else
        attest_json_write_string(json, key,
                                 arf_is_nan(value)    ? "nan"
                                 : arf_sgn(value) < 0 ? "-inf"
                                                      : "inf");
}

void attest_json_write_ball(attest_json *json, const char *key, const arb_t value)
{

    if (!arb_is_finite(value)) {
        attest_json_write_null(json, key);
        return;
    }
    ARF(radius);
    arf_set_mag(radius, arb_radref(value));
    attest_json_write_object(json, key);
    write_made(json, "mid", attest_ball_format_arf(arb_midref(value)));
    write_made(json, "rad", attest_ball_format_arf(radius));
    if (arb_is_positive(value))
        write_made(json, "log2", attest_ball_format_log2(value));
    write_made(json, "text", attest_ball_format_text(value));
    attest_json_write_close(json);
}

attest_status attest_json_file_open(attest_json_file *file, const char *path,
                                    attest_error *error)
{
    ATTEST_TRY(attest_output_open(&file->output, path, error));
    attest_json_write_begin(&file->json, file->output.stream);
    return ATTEST_OK;
}

attest_status attest_json_file_commit(attest_json_file *file, attest_error *error)
{
    /* attest_output_commit reports an earlier failure to write. */
    if (attest_json_write_end(&file->json) == ATTEST_NOMEM) {
        attest_memory_fail_at(error, file->output.path);
        attest_output_abandon(&file->output);
        return ATTEST_NOMEM;
    }
    return attest_output_commit(&file->output, error);
}
