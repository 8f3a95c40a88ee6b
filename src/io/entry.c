/* entry.c -- the result of one chunk with its place in the campaign. */
#include "io/entry.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/chunk_result.h"

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

char *attest_entry_format(const attest_entry *entry)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    attest_status status;
    attest_json json;

    if (!stream)
        return NULL;
    attest_json_write_begin(&json, stream);
    attest_json_write_object(&json, NULL);
    attest_json_write_count(&json, "property", entry->property);
    attest_json_write_count(&json, "chunk", entry->number);
    attest_chunk_result_write(&json, "result", &entry->result);
    attest_json_write_close(&json);
    status = attest_json_write_end(&json);
    if (fclose(stream) != 0 || status != ATTEST_OK) {
        free(text);
        return NULL;
    }
    return text;
}

static attest_status get_index(uint64_t *index, const attest_json_cursor *object,
                               const char *key, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, object, key, error);
    int64_t value = 0;

    if (status == ATTEST_OK)
        status = attest_json_get_integer(&value, &member, error);
    if (status == ATTEST_OK && value < 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "is negative");
    *index = (uint64_t)value;
    return status;
}

static attest_status read_entry(attest_entry *entry, const attest_json_cursor *root,
                                attest_error *error)
{
    attest_json_cursor result;
    uint64_t property;
    attest_status status = get_index(&property, root, "property", error);

    if (status == ATTEST_OK)
        status = get_index(&entry->number, root, "chunk", error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&result, root, "result", error);
    if (status == ATTEST_OK)
        status = attest_chunk_result_read(&entry->result, &result, error);
    entry->property = (size_t)property;
    return status;
}

attest_status attest_entry_parse(attest_entry *entry, const char *text, size_t size,
                                 attest_error *error)
{
    attest_json_document document;
    attest_json_cursor root;
    attest_status status = attest_json_document_parse(&document, text, size, NULL, error);

    if (status != ATTEST_OK)
        return status;
    root = attest_json_root(&document);
    status = read_entry(entry, &root, error);
    attest_json_document_clear(&document);
    if (status != ATTEST_OK)
        attest_entry_clear(entry);
    return status;
}
