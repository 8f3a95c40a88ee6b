/* tensor_file.c -- a file of tensors: safetensors, .npz or .npy. */
#include "io/tensor_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "io/array.h"
#include "io/npy.h"

static const char suffix[] = ".npy"; /* of the entries of an .npz archive */

static attest_status parse(attest_tensor_file *file, attest_error *error)
{
    const unsigned char *bytes = file->input.data;
    size_t size = file->input.size;

    ATTEST_TRY(attest_budget_charge(file->budget, size, error));
    file->charged = size;
    file->is_npy = attest_array_find_format(bytes, size) == ATTEST_ARRAY_NPY;
    file->is_zip = attest_array_find_format(bytes, size) == ATTEST_ARRAY_ZIP;
    if (file->is_npy)
        return ATTEST_OK;
    return file->is_zip
               ? attest_zip_parse(&file->zip, bytes, size, error)
               : attest_safetensors_parse(&file->tensors, bytes, size, file->budget, error);
}

static attest_status open_by(attest_input_opener *open, attest_tensor_file *file,
                             const char *path, attest_budget *budget, attest_error *error)
{
    memset(file, 0, sizeof *file);
    file->budget = budget;
    ATTEST_TRY(open(&file->input, path, attest_budget_left(budget), error));
    ATTEST_TRY_OR(attest_input_locate(&file->input, parse(file, error), error),
                  attest_tensor_file_close(file));
    return ATTEST_OK;
}

attest_status attest_tensor_file_open(attest_tensor_file *file, const char *path,
                                      attest_budget *budget, attest_error *error)
{
    return open_by(attest_input_open, file, path, budget, error);
}

attest_status attest_tensor_file_open_file(attest_tensor_file *file, const char *path,
                                           attest_budget *budget, attest_error *error)
{
    return open_by(attest_input_open_file, file, path, budget, error);
}

void attest_tensor_file_drop(attest_tensor_file *file)
{
    for (size_t i = 0; i < file->blocks; i++)
        free(file->block[i]);
    file->blocks = 0;
    attest_budget_give_back(file->budget, file->charged - file->input.size);
    file->charged = file->input.size;
}

void attest_tensor_file_close(attest_tensor_file *file)
{
    if (file->charged)
        attest_tensor_file_drop(file);
    attest_budget_give_back(file->budget, file->charged);
    free(file->block);
    attest_zip_clear(&file->zip);
    attest_safetensors_clear(&file->tensors);
    attest_input_close(&file->input);
    memset(file, 0, sizeof *file);
}

const char *attest_tensor_file_name(size_t *length, const attest_tensor_file *file, size_t i)
{
    const attest_zip_entry *entry;
    size_t tail = sizeof suffix - 1;

    if (!file->is_zip) {
        if (i >= file->tensors.count)
            return NULL;
        *length = strlen(file->tensors.tensor[i].name);
        return file->tensors.tensor[i].name;
    }
    if (i >= file->zip.count)
        return NULL;
    entry = file->zip.entry + i;
    *length = entry->name_size;
    if (*length >= tail && memcmp(entry->name + *length - tail, suffix, tail) == 0)
        *length -= tail;
    return (const char *)entry->name;
}

/* *block = count * size bytes that the file owns and the budget is charged for. */
static attest_status own(void **block, attest_tensor_file *file, size_t count, size_t size,
                         attest_error *error)
{
    size_t bytes = count > SIZE_MAX / size ? SIZE_MAX : count * size;

    ATTEST_TRY(attest_budget_charge(file->budget, bytes, error));
    file->charged += bytes;
    if (!attest_memory_grow(&file->block, &file->room, file->blocks + 1, sizeof *file->block))
        return attest_memory_fail(error);
    *block = attest_memory_alloc(count, size);
    if (!*block)
        return attest_memory_fail(error);
    file->block[file->blocks++] = *block;
    return ATTEST_OK;
}

/* NAME.npy, as NumPy names its entries, or NAME. */
static attest_status find_entry(const attest_zip_entry **entry, const attest_tensor_file *file,
                                const char *name, attest_error *error)
{
    size_t length = strlen(name);
    char *full = attest_memory_alloc(length + sizeof suffix, 1);

    if (!full)
        return attest_memory_fail(error);
    memcpy(full, name, length);
    memcpy(full + length, suffix, sizeof suffix);
    *entry = attest_zip_get(&file->zip, full);
    if (!*entry)
        *entry = attest_zip_get(&file->zip, name);
    free(full);
    return *entry ? ATTEST_OK
                  : attest_error_set(error, ATTEST_USAGE,
                                     "there is no array '%.80s' in the archive", name);
}

static attest_status inflate(attest_array *array, attest_tensor_file *file, const char *name,
                             attest_error *error)
{
    const attest_zip_entry *entry;
    size_t header_size;
    void *content;

    ATTEST_TRY(find_entry(&entry, file, name, error));
    ATTEST_TRY(attest_npy_read_header(array, &header_size, entry, error));
    ATTEST_TRY(own(&content, file, entry->size, 1, error));
    ATTEST_TRY(attest_zip_read(content, entry->size, entry, error));
    return attest_npy_parse(array, content, entry->size, error);
}

/* "PATH: NAME: text" for a failure with this tensor. */
static attest_status locate(const attest_tensor_file *file, const char *name,
                            attest_status status, attest_error *error)
{
    char shown[88];

    snprintf(shown, sizeof shown, "%.80s", name);
    if (!file->is_npy)
        attest_error_prefix(error, status, shown);
    return attest_input_locate(&file->input, status, error);
}

/* array = the tensor of this name, of floating-point numbers, bytes or truth values, or of
 * integers; the other formats have all types. */
static attest_status get(attest_array *array, attest_tensor_file *file, const char *name,
                         bool integers, attest_error *error)
{
    attest_status status;

    if (file->is_npy)
        status = attest_npy_parse(array, file->input.data, file->input.size, error);
    else if (file->is_zip)
        status = inflate(array, file, name, error);
    else /* its texts name the tensor already */
        return attest_input_locate(
            &file->input,
            integers ? attest_safetensors_get_integers(array, &file->tensors, name, error)
                     : attest_safetensors_get(array, &file->tensors, name, error),
            error);
    return locate(file, name, status, error);
}

attest_status attest_tensor_file_get(attest_array *array, attest_tensor_file *file,
                                     const char *name, attest_error *error)
{
    return get(array, file, name, false, error);
}

attest_status attest_tensor_file_get_integers(attest_array *array, attest_tensor_file *file,
                                              const char *name, attest_error *error)
{
    ATTEST_TRY(get(array, file, name, true, error));
    if (array->type >= ATTEST_ARRAY_I8 && array->type <= ATTEST_ARRAY_U64)
        return ATTEST_OK;
    return locate(file, name,
                  attest_error_set(error, ATTEST_FORMAT, "integers are expected here"), error);
}

/* Finds the type of the program that has the same representation; returns false if no type has.
 */
static bool native_type(attest_tensor_type *type, const attest_array *array)
{
    const uint16_t one = 1;
    unsigned char low;

    memcpy(&low, &one, 1);
    if (attest_array_item_size(array->type) > 1 && array->big_endian == low)
        return false;
    switch (array->type) {
    case ATTEST_ARRAY_F64:
        *type = ATTEST_TENSOR_F64;
        return true;
    case ATTEST_ARRAY_F32:
        *type = ATTEST_TENSOR_F32;
        return true;
    case ATTEST_ARRAY_F16:
        *type = ATTEST_TENSOR_F16;
        return true;
    case ATTEST_ARRAY_BF16:
        *type = ATTEST_TENSOR_BF16;
        return true;
    case ATTEST_ARRAY_F8_E4M3:
        *type = ATTEST_TENSOR_F8_E4M3;
        return true;
    case ATTEST_ARRAY_F8_E5M2:
        *type = ATTEST_TENSOR_F8_E5M2;
        return true;
    case ATTEST_ARRAY_BOOL:
        *type = ATTEST_TENSOR_BOOL;
        return true;
    default:
        return false;
    }
}

static attest_status refuse_element(const attest_array *array, size_t element, const char *what,
                                    attest_error *error)
{
    char index[ATTEST_ARRAY_TEXT_SIZE];

    attest_array_format_index(index, array, element);
    return attest_error_set(error, ATTEST_FORMAT, "%s is %s", index, what);
}

/* Checks that bytes are truth values: others may be numbers of a mask that is added. */
static attest_status check_truth(const attest_array *array, attest_error *error)
{
    for (size_t i = 0; i < array->count; i++)
        if (array->data[i] > 1)
            return refuse_element(array, i,
                                  "neither 0 nor 1; a mask of bytes has truth values, one that "
                                  "is added has floating-point numbers",
                                  error);
    return ATTEST_OK;
}

/* The elements in binary64, in the order of the file. */
static attest_status convert(attest_tensor *tensor, attest_tensor_file *file,
                             const attest_array *array, attest_error *error)
{
    void *copy;

    for (size_t i = 0; !attest_array_type_is_double(array->type) && i < array->count; i++)
        if (!attest_array_integer_is_double(array, i))
            return refuse_element(array, i, "an integer that binary64 does not have", error);
    ATTEST_TRY(own(&copy, file, array->count, sizeof(double), error));
    attest_array_get_doubles(copy, array, 0, 1, array->count);
    tensor->data = copy;
    tensor->type = ATTEST_TENSOR_F64;
    return ATTEST_OK;
}

static attest_status set_data(attest_tensor *tensor, attest_tensor_file *file,
                              const attest_array *array, bool truth, attest_error *error)
{
    tensor->data = array->data;
    if (truth && array->type == ATTEST_ARRAY_U8) {
        tensor->type = ATTEST_TENSOR_BOOL;
        return check_truth(array, error);
    }
    if (!truth)
        ATTEST_TRY(attest_array_check_numbers(array, error));
    return native_type(&tensor->type, array) ? ATTEST_OK : convert(tensor, file, array, error);
}

attest_status attest_tensor_file_view(attest_tensor *tensor, attest_tensor_file *file,
                                      const char *name, const attest_array *array, bool truth,
                                      attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];
    size_t item, missing = 4 - array->rank;
    attest_status status;

    if (array->rank > 4 || array->count == 0) {
        attest_array_format_shape(shape, array);
        status = attest_error_set(error, ATTEST_FORMAT, "shape %s %s", shape,
                                  array->count ? "has more than four axes" : "is empty");
        return locate(file, name, status, error);
    }
    memset(tensor, 0, sizeof *tensor);
    status = set_data(tensor, file, array, truth, error);
    item = tensor->type == ATTEST_TENSOR_F64 ? sizeof(double)
                                             : attest_array_item_size(array->type);
    for (size_t i = 0; i < 4; i++) {
        tensor->shape[i] = i < missing ? 1 : array->shape[i - missing];
        tensor->stride[i] =
            i < missing ? 0 : (ptrdiff_t)(attest_array_step(array, i - missing) * item);
    }
    return locate(file, name, status, error);
}
