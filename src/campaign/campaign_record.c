/* campaign_record.c -- the result of one chunk as JSON, and its frame. */
#include "campaign/campaign_record.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

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
    attest_chunk_result_write(json, "result", &record->result);
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

    record->property = (size_t)attest_json_take_count(object, "property", "is negative");
    record->number = attest_json_take_count(object, "chunk", "is negative");
    result = attest_json_take(object, "result");
    attest_chunk_result_read(&record->result, &result);
}

attest_status attest_campaign_record_parse(attest_campaign_record *record, const char *text,
                                           size_t size, attest_budget *budget,
                                           attest_error *error)
{
    attest_status status =
        attest_json_parse_value(record, read_record, text, size, budget, error);

    if (status != ATTEST_OK)
        attest_campaign_record_clear(record);
    return status;
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
