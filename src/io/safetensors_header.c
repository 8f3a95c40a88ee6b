/* safetensors_header.c -- the JSON object at the head of a safetensors file. */
#include "io/safetensors_header.h"

#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "io/json_take.h"

/* The lengths of the shape go to length[0..rank). */
static void set_tensor(attest_safetensors_tensor *tensor, size_t *length,
                       const attest_json_cursor *object)
{
    attest_json_cursor dtype = attest_json_take(object, "dtype");
    attest_json_cursor shape = attest_json_take(object, "shape");
    attest_json_cursor offsets = attest_json_take(object, "data_offsets"), more, end[2];
    const char *name;
    size_t count;

    if (attest_json_get_member_at(&more, object, 3))
        attest_json_refuse(object, "dtype, shape and data_offsets are expected and no more");
    name = attest_json_take_string(&dtype, NULL);
    for (size_t i = 0; name[i] && !attest_json_failed(object); i++)
        if (i + 1 == sizeof tensor->dtype || name[i] <= ' ' || name[i] > '~')
            attest_json_refuse(&dtype, "a short word is expected");
    if (!attest_json_failed(object))
        strcpy(tensor->dtype, name);
    tensor->shape = length;
    tensor->rank = attest_json_take_length(&shape, NULL);
    for (size_t i = 0; i < tensor->rank && !attest_json_failed(object); i++) {
        attest_json_cursor element = attest_json_get_element(&shape, i);

        length[i] = attest_json_take_size(&element, NULL);
    }
    count = attest_json_take_length(&offsets, NULL);
    if (count != 2)
        attest_json_refuse(&offsets, "two numbers are expected, these are %zu", count);
    if (attest_json_failed(object))
        return;
    end[0] = attest_json_get_element(&offsets, 0);
    end[1] = attest_json_get_element(&offsets, 1);
    tensor->begin = attest_json_take_size(&end[0], NULL);
    tensor->end = attest_json_take_size(&end[1], NULL);
}

/* Strings only; or null, which some writers put there. */
static void check_metadata(const attest_json_cursor *metadata)
{
    attest_json_cursor member;

    if (attest_json_is_null(metadata))
        return;
    if (!attest_json_is_object(metadata))
        attest_json_refuse(metadata, "an object is expected");
    for (size_t i = 0; attest_json_get_member_at(&member, metadata, i); i++)
        (void)attest_json_take_string(&member, NULL);
}

/* How many lengths all shapes have, at most: whatever is an array counts. */
static size_t count_lengths(const attest_json_cursor *root)
{
    attest_json_cursor entry, shape;
    size_t total = 0, length;

    for (size_t i = 0; attest_json_get_member_at(&entry, root, i); i++)
        if (attest_json_find_member(&shape, &entry, "shape") &&
            attest_json_get_length(&length, &shape, NULL) == ATTEST_OK)
            total += length;
    return total;
}

static void set_tensors(attest_safetensors *file, const attest_json_cursor *root)
{
    attest_json_cursor entry;
    size_t *length;

    file->tensor = attest_memory_alloc(root->value->count, sizeof *file->tensor);
    file->lengths = length = attest_memory_alloc(count_lengths(root), sizeof *length);
    if (!file->tensor || !file->lengths)
        attest_json_note_memory(root);
    for (size_t i = 0; attest_json_get_member_at(&entry, root, i); i++) {
        attest_safetensors_tensor *tensor = &file->tensor[file->count];

        if (strcmp(entry.key, "__metadata__") == 0) {
            check_metadata(&entry);
            continue;
        }
        set_tensor(tensor, length, &entry);
        tensor->name = entry.key;
        length += tensor->rank;
        file->count++;
    }
}

static attest_status parse(attest_safetensors *file, const char *text, size_t size,
                           attest_budget *budget, attest_error *error)
{
    attest_json_failure failure;
    attest_json_cursor root;

    ATTEST_TRY(attest_json_document_parse(&file->header, text, size, budget, error));
    if (text[size - 1] != '}')
        return attest_error_set(error, ATTEST_FORMAT,
                                "nothing but spaces may follow the object");
    root = attest_json_begin(&file->header, &failure, error);
    set_tensors(file, &root);
    return failure.status;
}

attest_status attest_safetensors_parse_header(attest_safetensors *file, const char *text,
                                              size_t size, attest_budget *budget,
                                              attest_error *error)
{
    attest_status status;

    while (size > 0 && text[size - 1] == ' ')
        size--;
    status = parse(file, text, size, budget, error);
    return status == ATTEST_OK ? ATTEST_OK
                               : attest_error_prefix(error, status, "safetensors header");
}
