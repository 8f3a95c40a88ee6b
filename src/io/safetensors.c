/* safetensors.c -- the tensors of a safetensors file. */
#include "io/safetensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "io/safetensors_header.h"

enum { LENGTH_SIZE = 8 };

static uint64_t header_length(const unsigned char *bytes)
{
    uint64_t length = 0;

    for (int i = 0; i < LENGTH_SIZE; i++)
        length |= (uint64_t)bytes[i] << 8 * i;
    return length;
}

bool attest_safetensors_is(const unsigned char *bytes, size_t size)
{
    return size > LENGTH_SIZE && bytes[LENGTH_SIZE] == '{' &&
           header_length(bytes) <= size - LENGTH_SIZE;
}

/* Bytes per element of the types that the format defines in whole bytes; 0 for others. */
static size_t dtype_size(const char *dtype)
{
    static const struct {
        const char *name;
        size_t size;
    } known[] = {{"BOOL", 1}, {"U8", 1},     {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
                 {"I16", 2},  {"U16", 2},    {"F16", 2}, {"BF16", 2},    {"I32", 4},
                 {"U32", 4},  {"F32", 4},    {"I64", 8}, {"U64", 8},     {"F64", 8},
                 {"C64", 8},  {"F8_E8M0", 1}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(dtype, known[i].name) == 0)
            return known[i].size;
    return 0;
}

/* Does the shape fill exactly the bytes between the offsets? */
static bool shape_fits(const attest_safetensors_tensor *tensor)
{
    size_t bytes = dtype_size(tensor->dtype), wanted = tensor->end - tensor->begin;

    if (bytes == 0)
        return true;
    for (size_t i = 0; i < tensor->rank; i++)
        if (tensor->shape[i] == 0)
            return wanted == 0;
    for (size_t i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] > wanted / bytes)
            return false;
        bytes *= tensor->shape[i];
    }
    return bytes == wanted;
}

static int compare_offsets(const void *left, const void *right)
{
    const attest_safetensors_tensor *a = left, *b = right;

    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

static int compare_names(const void *left, const void *right)
{
    const attest_safetensors_tensor *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static attest_status refuse(const attest_safetensors_tensor *tensor, const char *what,
                            attest_error *error)
{
    return attest_error_set(error, ATTEST_FORMAT, "safetensors header: tensor '%.80s' %s",
                            tensor->name, what);
}

static attest_status check_tensors(attest_safetensors *file, size_t data_size,
                                   attest_error *error)
{
    size_t next = 0;

    qsort(file->tensor, file->count, sizeof *file->tensor, compare_offsets);
    for (size_t i = 0; i < file->count; i++) {
        const attest_safetensors_tensor *tensor = &file->tensor[i];
        if (tensor->end < tensor->begin || tensor->end > data_size)
            return refuse(tensor, "lies outside the file", error);
        if (tensor->begin < next)
            return refuse(tensor, "overlaps another one", error);
        if (tensor->begin > next)
            return refuse(tensor, "leaves a gap before it", error);
        if (!shape_fits(tensor))
            return refuse(tensor, "has data of another size than its shape and dtype", error);
        next = tensor->end;
    }
    if (next != data_size)
        return attest_error_set(error, ATTEST_FORMAT,
                                "safetensors: %zu bytes of data belong to no tensor",
                                data_size - next);
    qsort(file->tensor, file->count, sizeof *file->tensor, compare_names);
    return ATTEST_OK;
}

attest_status attest_safetensors_parse(attest_safetensors *file, const unsigned char *bytes,
                                       size_t size, attest_budget *budget, attest_error *error)
{
    size_t length;
    attest_status status;

    memset(file, 0, sizeof *file);
    if (!attest_safetensors_is(bytes, size))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "neither a safetensors file nor an .npz archive, or its header is cut short");
    length = header_length(bytes);
    if (length > ATTEST_SAFETENSORS_MAX_HEADER)
        return attest_error_set(error, ATTEST_FORMAT,
                                "safetensors header of %zu bytes: at most %zu are read", length,
                                ATTEST_SAFETENSORS_MAX_HEADER);
    file->data = bytes + LENGTH_SIZE + length;
    status = attest_safetensors_parse_header(file, (const char *)bytes + LENGTH_SIZE, length,
                                             budget, error);
    if (status == ATTEST_OK)
        status = check_tensors(file, size - LENGTH_SIZE - length, error);
    if (status != ATTEST_OK)
        attest_safetensors_clear(file);
    return status;
}

void attest_safetensors_clear(attest_safetensors *file)
{
    free(file->tensor);
    free(file->lengths);
    attest_json_document_clear(&file->header);
    memset(file, 0, sizeof *file);
}

const attest_safetensors_tensor *attest_safetensors_find(const attest_safetensors *file,
                                                         const char *name)
{
    attest_safetensors_tensor key = {.name = name};

    return file->count ? bsearch(&key, file->tensor, file->count, sizeof key, compare_names)
                       : NULL;
}

static const char *name_at(const void *file, size_t i)
{
    return ((const attest_safetensors *)file)->tensor[i].name;
}

attest_status attest_safetensors_get(attest_array *array, const attest_safetensors *file,
                                     const char *name, attest_error *error)
{
    static const struct {
        const char *name;
        attest_array_type type;
    } known[] = {{"F64", ATTEST_ARRAY_F64},         {"F32", ATTEST_ARRAY_F32},
                 {"F16", ATTEST_ARRAY_F16},         {"BF16", ATTEST_ARRAY_BF16},
                 {"F8_E4M3", ATTEST_ARRAY_F8_E4M3}, {"F8_E5M2", ATTEST_ARRAY_F8_E5M2},
                 {"U8", ATTEST_ARRAY_U8},           {"BOOL", ATTEST_ARRAY_BOOL}};
    const attest_safetensors_tensor *tensor = attest_safetensors_find(file, name);

    if (!tensor)
        return attest_nearest_refuse(name, name_at, file, file->count, error);
    memset(array, 0, sizeof *array);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(tensor->dtype, known[i].name) == 0) {
            array->type = known[i].type;
            array->data = file->data + tensor->begin;
            if (!attest_array_set_shape(array, tensor->shape, tensor->rank))
                return refuse(tensor, "has too many dimensions", error);
            return ATTEST_OK;
        }
    return attest_error_set(
        error, ATTEST_FORMAT,
        "tensor '%.80s' has dtype %s; F64, F32, F16, BF16, F8_E4M3, F8_E5M2, "
        "U8 and BOOL are read",
        tensor->name, tensor->dtype);
}
