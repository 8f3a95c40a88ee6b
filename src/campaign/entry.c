/* entry.c -- the result of one chunk with its place in the campaign. */
#include "campaign/entry.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void attest_entry_init(attest_entry *entry)
{
    entry->property = 0;
    entry->number = 0;
    attest_chunk_result_init(&entry->result);
}

void attest_entry_clear(attest_entry *entry)
{
    attest_chunk_result_clear(&entry->result);
    attest_entry_init(entry);
}

static void write_entry(attest_json *json, const void *value)
{
    const attest_entry *entry = value;

    attest_json_write_object(json, NULL);
    attest_json_write_count(json, "property", entry->property);
    attest_json_write_count(json, "chunk", entry->number);
    attest_chunk_result_write(json, "result", &entry->result);
    attest_json_write_close(json);
}

char *attest_entry_format(const attest_entry *entry)
{
    return attest_json_format(NULL, write_entry, entry);
}

/* How the text of every entry ends. */
static const char last_member[] = "    \"seconds\": \"%a\"\n  }\n}\n";

attest_status attest_entry_set_seconds(attest_text *text, double seconds, attest_error *error)
{
    char end[96];
    size_t length = (size_t)snprintf(end, sizeof end, last_member, 0.0);

    if (text->size < length || memcmp(text->data + text->size - length, end, length) != 0)
        return attest_error_set(error, ATTEST_FORMAT, "a worker sent what is no entry");
    text->size -= length;
    attest_text_printf(text, last_member, seconds);
    return text->failed ? attest_memory_fail(error) : ATTEST_OK;
}

static void read_entry(void *value, const attest_json_cursor *object)
{
    attest_entry *entry = value;
    attest_json_cursor result;

    entry->property = (size_t)attest_json_take_count(object, "property", "is negative");
    entry->number = attest_json_take_count(object, "chunk", "is negative");
    result = attest_json_take(object, "result");
    attest_chunk_result_read(&entry->result, &result);
}

attest_status attest_entry_parse(attest_entry *entry, const char *text, size_t size,
                                 attest_budget *budget, attest_error *error)
{
    attest_status status =
        attest_json_parse_value(entry, read_entry, text, size, budget, error);

    if (status != ATTEST_OK)
        attest_entry_clear(entry);
    return status;
}
