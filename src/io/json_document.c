/* json_document.c -- a whole JSON text, held to what the readers count on. */
#include "io/json_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"

static int compare_keys(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Refuses an object that has a key twice. Sorted keys show it: a table of hashes would be slow
 * for keys that are made to collide. */
static attest_status check_keys(const attest_json_cursor *object, attest_error *error)
{
    const attest_json_node *node = object->value;
    attest_status status =
        attest_budget_charge(object->budget, node->count * sizeof(char *), error);
    const char **key;

    if (status != ATTEST_OK)
        return status;
    key = attest_memory_alloc(node->count, sizeof *key);
    for (size_t i = 0; key && i < node->count; i++)
        key[i] = node->child[2 * i].text;
    if (key)
        qsort(key, node->count, sizeof *key, compare_keys);
    else
        status = attest_memory_fail(error);
    for (size_t i = 1; status == ATTEST_OK && i < node->count; i++)
        if (strcmp(key[i - 1], key[i]) == 0)
            status = attest_json_fail(object, error, ATTEST_FORMAT,
                                      "the same key stands twice in this object");
    free(key);
    attest_budget_give_back(object->budget, node->count * sizeof(char *));
    return status;
}

/* The same for all objects in the value; the depth of the tree bounds the recursion. */
static attest_status check_all_keys(const attest_json_cursor *cursor, attest_error *error)
{
    const attest_json_node *node = cursor->value;
    bool object = node->kind == ATTEST_JSON_OBJECT;
    attest_status status = object ? check_keys(cursor, error) : ATTEST_OK;

    for (size_t i = 0; i < node->count && status == ATTEST_OK; i++) {
        attest_json_cursor inner;
        if (object)
            (void)attest_json_get_member_at(&inner, cursor, i);
        else
            inner = attest_json_get_element(cursor, i);
        if (inner.value->kind == ATTEST_JSON_ARRAY || inner.value->kind == ATTEST_JSON_OBJECT)
            status = check_all_keys(&inner, error);
    }
    return status;
}

static attest_status parse(attest_json_document *document, const char *text, size_t size,
                           attest_error *error)
{
    attest_status status =
        attest_json_tree_parse(&document->tree, text, size, document->budget, error);
    attest_json_cursor root;

    if (status != ATTEST_OK)
        return status;
    if (document->budget && document->tree.numbers > document->budget->left)
        return attest_budget_charge(document->budget, SIZE_MAX, error);
    root = attest_json_root(document);
    if (!attest_json_is_object(&root))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "this is not a JSON object (files.md of the manual describes them)");
    return check_all_keys(&root, error);
}

attest_status attest_json_document_parse(attest_json_document *document, const char *text,
                                         size_t size, attest_budget *budget,
                                         attest_error *error)
{
    attest_status status;

    memset(document, 0, sizeof *document);
    document->budget = budget;
    status = parse(document, text, size, error);
    if (status != ATTEST_OK)
        attest_json_document_clear(document);
    return status;
}

static attest_status read_by(attest_input_opener *open, attest_json_document *document,
                             const char *path, attest_budget *budget, attest_error *error)
{
    attest_input input;
    attest_status status = open(&input, path, attest_budget_left(budget), error);

    memset(document, 0, sizeof *document);
    if (status != ATTEST_OK)
        return status;
    status = attest_json_document_parse(document, (const char *)input.data, input.size, budget,
                                        error);
    return attest_input_end(&input, status, error);
}

attest_status attest_json_document_read(attest_json_document *document, const char *path,
                                        attest_budget *budget, attest_error *error)
{
    return read_by(attest_input_open, document, path, budget, error);
}

attest_status attest_json_document_read_file(attest_json_document *document, const char *path,
                                             attest_budget *budget, attest_error *error)
{
    return read_by(attest_input_open_file, document, path, budget, error);
}

void attest_json_document_clear(attest_json_document *document)
{
    attest_json_tree_clear(&document->tree, document->budget);
    memset(document, 0, sizeof *document);
}
