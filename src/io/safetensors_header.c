/* safetensors_header.c -- the JSON object at the head of a safetensors file. */
#include "io/safetensors_header.h"

#include <string.h>

#include "base/memory.h"

static attest_status set_shape(attest_safetensors_tensor *tensor, size_t *length,
                               const attest_json_cursor *shape, attest_error *error)
{
    attest_status status = attest_json_get_length(&tensor->rank, shape, error);

    tensor->shape = length;
    for (size_t i = 0; i < tensor->rank && status == ATTEST_OK; i++) {
        attest_json_cursor element = attest_json_get_element(shape, i);
        status = attest_json_get_size(&length[i], &element, error);
    }
    return status;
}

static attest_status set_offsets(attest_safetensors_tensor *tensor,
                                 const attest_json_cursor *offsets, attest_error *error)
{
    size_t count = 0;
    attest_status status = attest_json_get_length(&count, offsets, error);
    attest_json_cursor begin, end;

    if (status != ATTEST_OK)
        return status;
    if (count != 2)
        return attest_json_fail(offsets, error, ATTEST_FORMAT,
                                "two numbers are expected, these are %zu", count);
    begin = attest_json_get_element(offsets, 0);
    end = attest_json_get_element(offsets, 1);
    status = attest_json_get_size(&tensor->begin, &begin, error);
    return status == ATTEST_OK ? attest_json_get_size(&tensor->end, &end, error) : status;
}

static attest_status set_dtype(attest_safetensors_tensor *tensor,
                               const attest_json_cursor *dtype, attest_error *error)
{
    const char *name;
    attest_status status = attest_json_get_string(&name, dtype, error);

    if (status != ATTEST_OK)
        return status;
    for (size_t i = 0; name[i]; i++)
        if (i + 1 == sizeof tensor->dtype || name[i] <= ' ' || name[i] > '~')
            return attest_json_fail(dtype, error, ATTEST_FORMAT, "a short word is expected");
    strcpy(tensor->dtype, name);
    return ATTEST_OK;
}

/* The lengths of the shape go to length[0..rank). */
static attest_status set_tensor(attest_safetensors_tensor *tensor, size_t *length,
                                const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor dtype, shape, offsets, more;
    attest_status status = attest_json_get_member(&dtype, object, "dtype", error);

    if (status == ATTEST_OK)
        status = attest_json_get_member(&shape, object, "shape", error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&offsets, object, "data_offsets", error);
    if (status == ATTEST_OK && attest_json_get_member_at(&more, object, 3))
        status = attest_json_fail(object, error, ATTEST_FORMAT,
                                  "dtype, shape and data_offsets are expected and no more");
    if (status == ATTEST_OK)
        status = set_dtype(tensor, &dtype, error);
    if (status == ATTEST_OK)
        status = set_shape(tensor, length, &shape, error);
    return status == ATTEST_OK ? set_offsets(tensor, &offsets, error) : status;
}

/* Strings only; or null, which some writers put there. */
static attest_status check_metadata(const attest_json_cursor *metadata, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = ATTEST_OK;
    const char *text;

    if (attest_json_is_null(metadata))
        return ATTEST_OK;
    if (!attest_json_is_object(metadata))
        return attest_json_fail(metadata, error, ATTEST_FORMAT, "an object is expected");
    for (size_t i = 0; status == ATTEST_OK && attest_json_get_member_at(&member, metadata, i);
         i++)
        status = attest_json_get_string(&text, &member, error);
    return status;
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

static attest_status set_tensors(attest_safetensors *file, const attest_json_cursor *root,
                                 attest_error *error)
{
    attest_json_cursor entry;
    attest_status status = ATTEST_OK;
    size_t *length;

    file->tensor = attest_memory_alloc(root->value->count, sizeof *file->tensor);
    file->lengths = length = attest_memory_alloc(count_lengths(root), sizeof *length);
    if (!file->tensor || !file->lengths)
        return attest_memory_fail(error);
    for (size_t i = 0; status == ATTEST_OK && attest_json_get_member_at(&entry, root, i); i++) {
        attest_safetensors_tensor *tensor = &file->tensor[file->count];
        if (strcmp(entry.key, "__metadata__") == 0) {
            status = check_metadata(&entry, error);
            continue;
        }
        status = set_tensor(tensor, length, &entry, error);
        tensor->name = entry.key;
        length += tensor->rank;
        file->count++;
    }
    return status;
}

attest_status attest_safetensors_parse_header(attest_safetensors *file, const char *text,
                                              size_t size, attest_budget *budget,
                                              attest_error *error)
{
    attest_json_cursor root;
    attest_status status;

    while (size > 0 && text[size - 1] == ' ')
        size--;
    status = attest_json_document_parse(&file->header, text, size, budget, error);
    if (status == ATTEST_OK && text[size - 1] != '}')
        status =
            attest_error_set(error, ATTEST_FORMAT, "nothing but spaces may follow the object");
    if (status == ATTEST_OK) {
        root = attest_json_root(&file->header);
        status = set_tensors(file, &root, error);
    }
    return status == ATTEST_OK ? ATTEST_OK
                               : attest_error_prefix(error, status, "safetensors header");
}
