/* campaign_record.c -- the results of chunks, as JSON, and the frames in which they are sent
 * and kept. */
#include "campaign/campaign_record.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/memory.h"
#include "base/scope.h"

void attest_chunk_result_init(attest_chunk_result *result)
{
    memset(result, 0, sizeof *result);
}

void attest_chunk_result_clear(attest_chunk_result *result)
{
    for (size_t l = 0; l < result->labels; l++)
        free(result->label[l].name);
    free(result->label);
    for (size_t v = 0; v < result->violations; v++) {
        free(result->violation[v].reason);
        free(result->violation[v].text);
    }
    free(result->violation);
    free(result->tightest_text);
    free(result->open_reason);
    free(result->death);
    free(result->observations);
    attest_chunk_result_init(result);
}

attest_status attest_chunk_result_add_label(attest_chunk_result *result, const char *name,
                                            uint64_t count)
{
    attest_label_count *all;
    char *copy;

    for (size_t l = 0; l < result->labels; l++) {
        if (strcmp(result->label[l].name, name) == 0) {
            result->label[l].count += count;
            return ATTEST_OK;
        }
    }
    all = attest_memory_resize(result->label, result->labels + 1, sizeof *all);
    if (!all)
        return ATTEST_NOMEM;
    result->label = all;
    copy = attest_memory_copy(name);
    if (!copy)
        return ATTEST_NOMEM;
    all[result->labels++] = (attest_label_count){copy, count};
    return ATTEST_OK;
}

attest_status attest_chunk_result_add_violation(attest_chunk_result *result,
                                                const attest_violation *violation)
{
    attest_violation *all = NULL;

    if (violation->text && violation->reason)
        all = attest_memory_resize(result->violation, result->violations + 1, sizeof *all);
    if (!all) {
        free(violation->text);
        free(violation->reason);
        return ATTEST_NOMEM;
    }
    result->violation = all;
    all[result->violations++] = *violation;
    return ATTEST_OK;
}

attest_status attest_chunk_result_add_death(attest_chunk_result *result,
                                            const attest_death *death)
{
    attest_death *all = attest_memory_resize(result->death, result->deaths + 1, sizeof *all);

    if (!all)
        return ATTEST_NOMEM;
    result->death = all;
    all[result->deaths++] = *death;
    return ATTEST_OK;
}

static const char *const death_kinds[] = {"memory", "timeout", "signal", "exit"};

enum { DEATH_KINDS = sizeof death_kinds / sizeof *death_kinds };

const char *attest_death_kind_name(attest_death_kind kind)
{
    return death_kinds[kind];
}

/* Writes a double exactly, in hexadecimal; infinities and NaN are possible. */
static void write_double(attest_json *json, const char *key, double value)
{
    char text[64];

    snprintf(text, sizeof text, "%a", value);
    attest_json_write_string(json, key, text);
}

static void write_lists(attest_json *json, const attest_chunk_result *result)
{
    attest_json_write_object(json, "labels");
    for (size_t l = 0; l < result->labels; l++)
        attest_json_write_count(json, result->label[l].name, result->label[l].count);
    attest_json_write_close(json);
    attest_json_write_array(json, "violations");
    for (size_t v = 0; v < result->violations; v++) {
        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "trial", result->violation[v].trial);
        write_double(json, "margin", result->violation[v].margin);
        attest_json_write_string(json, "reason", result->violation[v].reason);
        attest_json_write_string(json, "text", result->violation[v].text);
        if (result->violation[v].flaky)
            attest_json_write_bool(json, "flaky", true);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_array(json, "deaths");
    for (size_t d = 0; d < result->deaths; d++) {
        const attest_death *death = &result->death[d];

        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "kind", attest_death_kind_name(death->kind));
        attest_json_write_integer(json, "detail", death->detail);
        attest_json_write_count(json, "trial", death->trial);
        attest_json_write_seed(json, "seed", death->seed);
        attest_json_write_bool(json, "shrinking", death->shrinking);
        attest_json_write_count(json, "steps", death->steps);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* Writes the result as a JSON object under key. */
static void write_result(attest_json *json, const char *key, const attest_chunk_result *result)
{
    attest_json_write_object(json, key);
    attest_json_write_count(json, "passed", result->passed);
    attest_json_write_count(json, "failed", result->failed);
    attest_json_write_count(json, "discarded", result->discarded);
    attest_json_write_count(json, "undecided", result->undecided);
    attest_json_write_count(json, "searched", result->searched);
    if (result->has_tightest) {
        write_double(json, "tightest", result->tightest);
        attest_json_write_string(json, "tightest_text", result->tightest_text);
    }
    if (result->open_reason)
        attest_json_write_string(json, "open_reason", result->open_reason);
    write_lists(json, result);
    if (result->observations)
        attest_json_write_string(json, "observations", result->observations);
    write_double(json, "seconds", result->seconds);
    attest_json_write_close(json);
}

static uint64_t take_count(const attest_json_cursor *object, const char *key)
{
    return attest_json_take_count(object, key, "is negative");
}

static double take_double(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member = attest_json_take(object, key);
    const char *text = attest_json_take_string(&member, NULL);
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end)
        attest_json_refuse(&member, ATTEST_HINT_NUMBER);
    return value;
}

static void read_violation(attest_chunk_result *result, const attest_json_cursor *object)
{
    attest_violation violation = {0};

    violation.trial = take_count(object, "trial");
    violation.margin = take_double(object, "margin");
    violation.reason = attest_json_take_copy(object, "reason");
    if (attest_json_has(object, "flaky"))
        violation.flaky = attest_json_take_bool(object, "flaky");
    violation.text = attest_json_take_copy(object, "text");
    /* After a failure text is NULL, and add_violation frees the rest. */
    if (attest_chunk_result_add_violation(result, &violation) != ATTEST_OK)
        attest_json_note_memory(object);
}

static void read_death(attest_chunk_result *result, const attest_json_cursor *object)
{
    attest_death death = {0};

    death.kind =
        (attest_death_kind)attest_json_take_choice(object, "kind", death_kinds, DEATH_KINDS);
    death.detail = (int)attest_json_take_integer(object, "detail");
    death.trial = take_count(object, "trial");
    death.steps = take_count(object, "steps");
    death.shrinking = attest_json_take_bool(object, "shrinking");
    death.seed = strtoull(attest_json_take_string(object, "seed"), NULL, 0);
    if (!attest_json_failed(object) && attest_chunk_result_add_death(result, &death))
        attest_json_note_memory(object);
}

static void read_labels(attest_chunk_result *result, const attest_json_cursor *labels)
{
    attest_json_cursor label;

    for (size_t l = 0; attest_json_get_member_at(&label, labels, l); l++) {
        size_t count = attest_json_take_size(&label, NULL);

        if (!attest_json_failed(labels) &&
            attest_chunk_result_add_label(result, label.key, count) != ATTEST_OK)
            attest_json_note_memory(labels);
    }
}

static void read_array(attest_chunk_result *result, const attest_json_cursor *object,
                       const char *key,
                       void (*read)(attest_chunk_result *, const attest_json_cursor *))
{
    attest_json_cursor array = attest_json_take(object, key);
    size_t length = attest_json_take_length(&array, NULL);

    for (size_t i = 0; i < length && !attest_json_failed(&array); i++) {
        attest_json_cursor element = attest_json_get_element(&array, i);

        read(result, &element);
    }
}

/* Reads what write_result writes, bit for bit. After a failure the result can only be cleared.
 */
static void read_result(attest_chunk_result *result, const attest_json_cursor *object)
{
    attest_json_cursor labels;

    result->passed = take_count(object, "passed");
    result->failed = take_count(object, "failed");
    result->discarded = take_count(object, "discarded");
    result->undecided = take_count(object, "undecided");
    result->searched = take_count(object, "searched");
    result->seconds = take_double(object, "seconds");
    result->has_tightest = attest_json_has(object, "tightest");
    if (result->has_tightest) {
        result->tightest = take_double(object, "tightest");
        result->tightest_text = attest_json_take_copy(object, "tightest_text");
    }
    result->open_reason = attest_json_take_optional(object, "open_reason");
    result->observations = attest_json_take_optional(object, "observations");
    labels = attest_json_take(object, "labels");
    read_labels(result, &labels);
    read_array(result, object, "violations", read_violation);
    read_array(result, object, "deaths", read_death);
}

/* Returns the length of the line at text, with its line break. */
static size_t line_length(const char *text)
{
    const char *end = strchr(text, '\n');

    return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* Returns whether the line is about how the instance was found. */
static bool is_origin(const char *line)
{
    line += strspn(line, " ");
    return strncmp(line, "\"seed\":", 7) == 0 || strncmp(line, "\"shrink_steps\":", 15) == 0;
}

/* Compares two counterexample files, which have one member per line, without the lines about
 * their origin. */
static bool is_same(const char *one, const char *other)
{
    while (*one && *other) {
        size_t length = line_length(one), there = line_length(other);

        if (is_origin(one) ? !is_origin(other)
                           : length != there || memcmp(one, other, length) != 0)
            return false;
        one += length;
        other += there;
    }
    return *one == *other;
}

/* Moves the flaky violations to the end. */
static void order(attest_violation *violation, size_t count)
{
    for (size_t v = 1; v < count; v++) {
        attest_violation moved = violation[v];
        size_t place = v;

        for (; !moved.flaky && place > 0 && violation[place - 1].flaky; place--)
            violation[place] = violation[place - 1];
        violation[place] = moved;
    }
}

void attest_chunk_result_unite(attest_chunk_result *result)
{
    size_t kept = 0;

    for (size_t v = 0; v < result->violations; v++) {
        attest_violation *next = &result->violation[v];
        size_t first = 0;

        while (first < kept && (result->violation[first].flaky != next->flaky ||
                                !is_same(result->violation[first].text, next->text)))
            first++;
        if (first == kept) {
            result->violation[kept++] = *next;
            continue;
        }
        result->violation[first].more += next->more + 1;
        free(next->reason);
        free(next->text);
    }
    result->violations = kept;
    order(result->violation, kept);
}

/* ---- The record of one chunk. */

void attest_campaign_record_init(attest_campaign_record *record)
{
    record->property = 0;
    record->number = 0;
    attest_chunk_result_init(&record->result);
}

void attest_campaign_record_clear(attest_campaign_record *record)
{
    attest_chunk_result_clear(&record->result);
    attest_campaign_record_init(record);
}

static void write_record(attest_json *json, const void *value)
{
    const attest_campaign_record *record = value;

    attest_json_write_object(json, NULL);
    attest_json_write_count(json, "property", record->property);
    attest_json_write_count(json, "chunk", record->number);
    write_result(json, "result", &record->result);
    attest_json_write_close(json);
}

char *attest_campaign_record_format(const attest_campaign_record *record)
{
    return attest_json_format(NULL, write_record, record);
}

/* The end of the text of every record. */
static const char last_member[] = "    \"seconds\": \"%a\"\n  }\n}\n";

attest_status attest_campaign_record_set_seconds(attest_text *text, double seconds,
                                                 attest_error *error)
{
    char end[96];
    size_t length = (size_t)snprintf(end, sizeof end, last_member, 0.0);

    if (text->size < length || memcmp(text->data + text->size - length, end, length) != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a worker sent something other than a record");
    text->size -= length;
    attest_text_printf(text, last_member, seconds);
    return text->failed ? attest_memory_fail(error) : ATTEST_OK;
}

static void read_record(void *value, const attest_json_cursor *object)
{
    attest_campaign_record *record = value;
    attest_json_cursor result;

    record->property = (size_t)take_count(object, "property");
    record->number = take_count(object, "chunk");
    result = attest_json_take(object, "result");
    read_result(&record->result, &result);
}

attest_status attest_campaign_record_parse(attest_campaign_record *record, const char *text,
                                           size_t size, attest_budget *budget,
                                           attest_error *error)
{
    ATTEST_TRY_OR(attest_json_parse_value(record, read_record, text, size, budget, error),
                  attest_campaign_record_clear(record));
    return ATTEST_OK;
}

static const char magic[] = "attest-record ";

enum { MAGIC = sizeof magic - 1, HEX = 2 * ATTEST_SHA256_SIZE, LENGTH_DIGITS = 12 };

static void hash_record(attest_frame_chain *next, const attest_frame_chain *chain,
                        const char *kind, const char *payload, size_t size)
{
    char head[64];
    int length = snprintf(head, sizeof head, " %s %zu\n", kind, size);
    attest_sha256 hash;

    attest_sha256_init(&hash);
    attest_sha256_add(&hash, chain->hash, sizeof chain->hash);
    attest_sha256_add(&hash, head, (size_t)length);
    attest_sha256_add(&hash, payload, size);
    attest_sha256_get(next->hash, &hash);
}

void attest_frame_format(attest_text *text, attest_frame_chain *chain, const char *kind,
                         const char *payload, size_t size)
{
    char hex[HEX + 1];

    hash_record(chain, chain, kind, payload, size);
    attest_sha256_format(hex, chain->hash);
    attest_text_printf(text, "%s%s %zu %s\n", magic, kind, size, hex);
    attest_text_append(text, payload, size);
    attest_text_append(text, "\n", 1);
}

/* A position in the bytes; each function below advances it. */
typedef struct reader {
    const char *bytes;
    size_t size, at;
} reader;

/* WHOLE if the text is at the position, TORN if the bytes end within it. */
static attest_frame_state read_text(reader *in, const char *text, size_t length)
{
    size_t there = in->size - in->at < length ? in->size - in->at : length;

    if (memcmp(in->bytes + in->at, text, there) != 0)
        return ATTEST_FRAME_DAMAGED;
    in->at += there;
    return there == length ? ATTEST_FRAME_WHOLE : ATTEST_FRAME_TORN;
}

/* A word of lower-case letters and the space after it. */
static attest_frame_state read_kind(reader *in, char kind[ATTEST_FRAME_KIND])
{
    for (size_t i = 0; i < ATTEST_FRAME_KIND; i++, in->at++) {
        if (in->at == in->size)
            return ATTEST_FRAME_TORN;
        kind[i] = in->bytes[in->at];
        if (kind[i] == ' ' && i > 0) {
            kind[i] = '\0';
            in->at++;
            return ATTEST_FRAME_WHOLE;
        }
        if (kind[i] < 'a' || kind[i] > 'z')
            return ATTEST_FRAME_DAMAGED;
    }
    return ATTEST_FRAME_DAMAGED;
}

static attest_frame_state read_length(reader *in, size_t *length)
{
    *length = 0;
    for (size_t i = 0; i <= LENGTH_DIGITS; i++, in->at++) {
        char c;

        if (in->at == in->size)
            return ATTEST_FRAME_TORN;
        c = in->bytes[in->at];
        if (c == ' ' && i > 0) {
            in->at++;
            return ATTEST_FRAME_WHOLE;
        }
        if (c < '0' || c > '9')
            return ATTEST_FRAME_DAMAGED;
        *length = 10 * *length + (size_t)(c - '0');
    }
    return ATTEST_FRAME_DAMAGED;
}

attest_frame_state attest_frame_parse(attest_frame *frame, attest_frame_chain *chain,
                                      const char *bytes, size_t size)
{
    reader in = {bytes, size, 0};
    attest_frame_chain next;
    char hex[HEX + 1], found[HEX + 1];
    attest_frame_state state = read_text(&in, magic, MAGIC);

    if (state == ATTEST_FRAME_WHOLE)
        state = read_kind(&in, frame->kind);
    if (state == ATTEST_FRAME_WHOLE)
        state = read_length(&in, &frame->size);
    if (state != ATTEST_FRAME_WHOLE)
        return state;
    if (in.size - in.at < HEX + 1)
        return ATTEST_FRAME_TORN;
    memcpy(found, in.bytes + in.at, HEX);
    found[HEX] = '\0';
    in.at += HEX;
    if (in.bytes[in.at++] != '\n')
        return ATTEST_FRAME_DAMAGED;
    if (in.size - in.at < 1 || in.size - in.at - 1 < frame->size)
        return ATTEST_FRAME_TORN;
    frame->payload = in.bytes + in.at;
    frame->total = in.at + frame->size + 1;
    hash_record(&next, chain, frame->kind, frame->payload, frame->size);
    attest_sha256_format(hex, next.hash);
    if (strcmp(hex, found) != 0 || bytes[frame->total - 1] != '\n')
        return ATTEST_FRAME_DAMAGED;
    *chain = next;
    return ATTEST_FRAME_WHOLE;
}
