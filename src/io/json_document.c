/* json_document.c -- a whole JSON text as json-c's objects. */
#include "io/json_read.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/fault.h"
#include "base/input.h"
#include "base/memory.h"
#include "io/json_scan.h"

/* json-c takes int lengths. */
#define CHUNK ((size_t)1 << 30)

static attest_status parse_error(struct json_tokener *tokener, const char *text, size_t size,
                                 size_t at, attest_error *error)
{
    enum json_tokener_error reason = json_tokener_get_error(tokener);

    /* Brackets and strings are known to be closed. */
    if (reason == json_tokener_success || reason == json_tokener_continue)
        return attest_memory_fail(error);
    return attest_json_scan_fail(error, text, size, at, json_tokener_error_desc(reason));
}

/* json-c does not survive that it gets no memory for a key. So see first whether all that it
 * can need is there; a limit of the process (RLIMIT_AS) is noticed here. */
static bool memory_is_there(size_t bytes)
{
    void *block = attest_memory_resize(NULL, bytes, 1);

    free(block);
    return block != NULL;
}

/* Builds json-c's objects. Words are known to be good; this finds bad order. */
static attest_status build(struct json_object **root, const char *text, size_t size,
                           attest_error *error)
{
    struct json_tokener *tokener =
        attest_fault("alloc") ? NULL : json_tokener_new_ex(ATTEST_JSON_MAX_DEPTH + 1);
    attest_status status = ATTEST_OK;
    size_t at = 0;

    *root = NULL;
    if (!tokener)
        return attest_memory_fail(error);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    do {
        size_t some = size - at < CHUNK ? size - at : CHUNK;
        *root = json_tokener_parse_ex(tokener, text + at, (int)some);
        at += json_tokener_get_parse_end(tokener);
    } while (!*root && json_tokener_get_error(tokener) == json_tokener_continue && at < size);
    if (!*root)
        status = parse_error(tokener, text, size, at, error);
    json_tokener_free(tokener);
    return status;
}

/* What the scan has counted, compared with what json-c has built. */
typedef struct census {
    const uint32_t *member; /* of the next object in the order of opening braces */
    size_t words;
} census;

static attest_status count(census *found, const attest_json_cursor *cursor,
                           attest_error *error);

static attest_status count_members(census *found, const attest_json_cursor *cursor,
                                   attest_error *error)
{
    attest_status status = ATTEST_OK;
    uint32_t members = (uint32_t)json_object_object_length(cursor->value);

    /* json-c keeps the last value only. Everything before this object is complete, so that this
     * is the object that is too small. */
    if (members != *found->member++)
        return attest_json_fail(cursor, error, ATTEST_FORMAT,
                                "the same key stands twice in this object");
    found->words += members;
    json_object_object_foreach(cursor->value, key, value)
    {
        attest_json_cursor child = {value, cursor, key, 0, cursor->budget};
        if (status == ATTEST_OK)
            status = count(found, &child, error);
    }
    return status;
}

/* Counts the value and all that is in it. */
static attest_status count(census *found, const attest_json_cursor *cursor, attest_error *error)
{
    attest_status status = ATTEST_OK;

    found->words++;
    if (json_object_is_type(cursor->value, json_type_object))
        return count_members(found, cursor, error);
    if (!json_object_is_type(cursor->value, json_type_array))
        return ATTEST_OK;
    size_t length = json_object_array_length(cursor->value);
    for (size_t i = 0; i < length && status == ATTEST_OK; i++) {
        attest_json_cursor element = attest_json_get_element(cursor, i);
        status = count(found, &element, error);
    }
    return status;
}

/* Finds keys that stand twice; and elements that are not there, because json-c does not always
 * tell when memory runs out. */
static attest_status check_complete(const attest_json_document *document,
                                    const attest_json_scan *scan, attest_error *error)
{
    attest_json_cursor root = attest_json_root(document);
    census found = {scan->member, 0};
    attest_status status = count(&found, &root, error);

    if (status == ATTEST_OK && found.words != scan->words)
        status = attest_memory_fail(error);
    return status;
}

static attest_status parse_scanned(attest_json_document *document, const char *text,
                                   size_t size, const attest_json_scan *scan,
                                   attest_error *error)
{
    attest_status status = attest_budget_charge(document->budget, scan->memory, error);

    if (status != ATTEST_OK)
        return status;
    document->charged = scan->memory;
    if (document->budget && scan->numbers > document->budget->left)
        return attest_budget_charge(document->budget, SIZE_MAX, error);
    if (!memory_is_there(scan->memory))
        return attest_memory_fail(error);
    if (!scan->begins_object)
        return attest_error_set(error, ATTEST_FORMAT, "this is not a JSON object");
    status = build(&document->root, text, size, error);
    return status == ATTEST_OK ? check_complete(document, scan, error) : status;
}

attest_status attest_json_document_parse(attest_json_document *document, const char *text,
                                         size_t size, attest_budget *budget,
                                         attest_error *error)
{
    attest_json_scan scan;
    attest_status status;

    memset(document, 0, sizeof *document);
    document->budget = budget;
    status = attest_json_scan_text(&scan, text, size, error);
    if (status == ATTEST_OK)
        status = parse_scanned(document, text, size, &scan, error);
    attest_json_scan_clear(&scan);
    if (status != ATTEST_OK)
        attest_json_document_clear(document);
    return status;
}

attest_status attest_json_document_read(attest_json_document *document, const char *path,
                                        attest_budget *budget, attest_error *error)
{
    attest_input input;
    attest_status status = attest_input_open(&input, path, attest_budget_left(budget), error);

    memset(document, 0, sizeof *document);
    if (status != ATTEST_OK)
        return status;
    status = attest_json_document_parse(document, (const char *)input.data, input.size, budget,
                                        error);
    return attest_input_end(&input, status, error);
}

void attest_json_document_clear(attest_json_document *document)
{
    json_object_put(document->root);
    attest_budget_give_back(document->budget, document->charged);
    memset(document, 0, sizeof *document);
}
