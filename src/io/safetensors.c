/* safetensors.c -- reads and writes safetensors files. */
#include "io/safetensors.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "io/json_read.h"

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

/* Returns an upper bound of the number of lengths in all shapes: the elements of all arrays. */
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

/* Parses the object, which must fill text[0..size) up to spaces at its end, into file->header,
 * and file->tensor in the order of the object. The tensors are not checked yet. Status:
 * FORMAT, UNABLE (the budget), NOMEM; the file must be cleared after a failure, too. */
static attest_status parse_header(attest_safetensors *file, const char *text, size_t size,
                                  attest_budget *budget, attest_error *error)
{
    while (size > 0 && text[size - 1] == ' ')
        size--;
    return attest_error_prefix(error, parse(file, text, size, budget, error),
                               "safetensors header");
}

/* The file. */

enum { LENGTH_SIZE = 8 };

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

/* Returns whether the shape fills exactly the bytes between the offsets. */
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
    size_t length = 0;

    memset(file, 0, sizeof *file);
    if (attest_array_find_format(bytes, size) != ATTEST_ARRAY_SAFETENSORS)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "neither a safetensors file nor an .npz archive, or its header is cut short");
    for (int i = 0; i < LENGTH_SIZE; i++)
        length |= (size_t)bytes[i] << 8 * i;
    if (length > ATTEST_SAFETENSORS_MAX_HEADER)
        return attest_error_set(error, ATTEST_FORMAT,
                                "safetensors header of %zu bytes: at most %zu are read", length,
                                ATTEST_SAFETENSORS_MAX_HEADER);
    file->data = bytes + LENGTH_SIZE + length;
    ATTEST_TRY_OR(parse_header(file, (const char *)bytes + LENGTH_SIZE, length, budget, error),
                  attest_safetensors_clear(file));
    ATTEST_TRY_OR(check_tensors(file, size - LENGTH_SIZE - length, error),
                  attest_safetensors_clear(file));
    return ATTEST_OK;
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

/* A dtype that is read. */
typedef struct known_dtype {
    const char *name;
    attest_array_type type;
} known_dtype;

/* array = the tensor of this name, if its dtype is one of those, whose names are the list. */
static attest_status get(attest_array *array, const attest_safetensors *file, const char *name,
                         const known_dtype *known, size_t count, const char *list,
                         attest_error *error)
{
    const attest_safetensors_tensor *tensor = attest_safetensors_find(file, name);

    if (!tensor)
        return attest_spelling_refuse(name, name_at, file, file->count, error);
    memset(array, 0, sizeof *array);
    for (size_t i = 0; i < count; i++)
        if (strcmp(tensor->dtype, known[i].name) == 0) {
            array->type = known[i].type;
            array->data = file->data + tensor->begin;
            if (!attest_array_set_shape(array, tensor->shape, tensor->rank))
                return refuse(tensor, "has too many dimensions", error);
            return ATTEST_OK;
        }
    return attest_error_set(error, ATTEST_FORMAT, "tensor '%.80s' has dtype %s; %s are read",
                            tensor->name, tensor->dtype, list);
}

attest_status attest_safetensors_get(attest_array *array, const attest_safetensors *file,
                                     const char *name, attest_error *error)
{
    static const known_dtype known[] = {
        {"F64", ATTEST_ARRAY_F64},         {"F32", ATTEST_ARRAY_F32},
        {"F16", ATTEST_ARRAY_F16},         {"BF16", ATTEST_ARRAY_BF16},
        {"F8_E4M3", ATTEST_ARRAY_F8_E4M3}, {"F8_E5M2", ATTEST_ARRAY_F8_E5M2},
        {"U8", ATTEST_ARRAY_U8},           {"BOOL", ATTEST_ARRAY_BOOL}};

    return get(array, file, name, known, sizeof known / sizeof *known,
               "F64, F32, F16, BF16, F8_E4M3, F8_E5M2, U8 and BOOL", error);
}

attest_status attest_safetensors_get_integers(attest_array *array,
                                              const attest_safetensors *file, const char *name,
                                              attest_error *error)
{
    static const known_dtype known[] = {{"I8", ATTEST_ARRAY_I8},   {"I16", ATTEST_ARRAY_I16},
                                        {"I32", ATTEST_ARRAY_I32}, {"I64", ATTEST_ARRAY_I64},
                                        {"U8", ATTEST_ARRAY_U8},   {"U16", ATTEST_ARRAY_U16},
                                        {"U32", ATTEST_ARRAY_U32}, {"U64", ATTEST_ARRAY_U64}};

    return get(array, file, name, known, sizeof known / sizeof *known,
               "integers, I8 to I64 and U8 to U64,", error);
}

/* Writing. */

enum { ALIGNMENT = 8, LARGEST_ITEM = 8 };

/* The types by their numbers: sign, exponent and fraction bits make the size. */
static const struct {
    const char *name;
    unsigned exponent_bits, fraction_bits;
} kind[] = {
    [ATTEST_TENSOR_F64] = {"F64", 11, 52},       [ATTEST_TENSOR_F32] = {"F32", 8, 23},
    [ATTEST_TENSOR_F16] = {"F16", 5, 10},        [ATTEST_TENSOR_BF16] = {"BF16", 8, 7},
    [ATTEST_TENSOR_F8_E4M3] = {"F8_E4M3", 4, 3}, [ATTEST_TENSOR_F8_E5M2] = {"F8_E5M2", 5, 2}};

static size_t item_size(attest_tensor_type type)
{
    return (1 + kind[type].exponent_bits + kind[type].fraction_bits) / 8;
}

/* bits = the word of |x| in the type, x finite; returns false if the type does not have it. */
static bool encode_finite(uint64_t *bits, double x, attest_tensor_type type)
{
    int fraction_bits = (int)kind[type].fraction_bits;
    uint64_t top = ((uint64_t)1 << kind[type].exponent_bits) - 1;
    uint64_t ones = ((uint64_t)1 << fraction_bits) - 1;
    int bias = (int)(top >> 1), exponent;
    double fraction;

    frexp(x, &exponent);
    exponent += bias - 1;
    if (x == 0 || exponent < 1) /* zero and subnormal numbers share an exponent */
        exponent = 1;
    fraction = ldexp(fabs(x), bias + fraction_bits - exponent);
    if (fraction != floor(fraction))
        return false;
    *bits = (uint64_t)fraction; /* a leading one adds 1 to an exponent of 0 */
    *bits += (uint64_t)(exponent - 1) << fraction_bits;
    return type == ATTEST_TENSOR_F8_E4M3 ? *bits < (top << fraction_bits | ones)
                                         : *bits < top << fraction_bits;
}

/* *bits = the word of x in the type; returns false if the type does not have it. */
static bool encode(uint64_t *bits, double x, attest_tensor_type type)
{
    unsigned fraction_bits = kind[type].fraction_bits;
    uint64_t top = ((uint64_t)1 << kind[type].exponent_bits) - 1;
    bool ok = true;

    *bits = top << fraction_bits;
    if (isnan(x))
        *bits |= ((uint64_t)1 << fraction_bits) - 1;
    else if (isinf(x))
        ok = type != ATTEST_TENSOR_F8_E4M3;
    else
        ok = encode_finite(bits, x, type);
    if (signbit(x))
        *bits |= (uint64_t)1 << (kind[type].exponent_bits + fraction_bits);
    return ok;
}

static size_t count_values(const attest_safetensors_item *item)
{
    size_t count = 1;

    for (size_t i = 0; i < item->rank; i++)
        count *= item->shape[i];
    return count;
}

/* The object, with spaces at its end up to the alignment. */
static void format_header(attest_text *text, const attest_safetensors_item *item, size_t count)
{
    size_t begin = 0;

    attest_text_add(text, "{");
    for (size_t k = 0; k < count; k++) {
        size_t end = begin + count_values(&item[k]) * item_size(item[k].type);

        attest_text_add(text, k ? ",\"" : "\"");
        attest_escape_json(text, item[k].name, strlen(item[k].name));
        attest_text_printf(text, "\":{\"dtype\":\"%s\",\"shape\":[", kind[item[k].type].name);
        for (size_t i = 0; i < item[k].rank; i++)
            attest_text_printf(text, "%s%zu", i ? "," : "", item[k].shape[i]);
        attest_text_printf(text, "],\"data_offsets\":[%zu,%zu]}", begin, end);
        begin = end;
    }
    attest_text_add(text, "}");
    while (text->size % ALIGNMENT != 0 && !text->failed)
        attest_text_add(text, " ");
}

static void write_word(FILE *stream, uint64_t word, size_t size)
{
    unsigned char bytes[LARGEST_ITEM];

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(word >> 8 * i);
    fwrite(bytes, 1, size, stream);
}

static attest_status write_values(FILE *stream, const attest_safetensors_item *item,
                                  attest_error *error)
{
    size_t count = count_values(item), size = item_size(item->type);
    uint64_t bits = 0;

    for (size_t i = 0; i < count; i++) {
        if (!encode(&bits, item->value[i], item->type))
            return attest_error_set(error, ATTEST_DOMAIN,
                                    "value %zu of tensor '%.80s', %a, is not a number of %s", i,
                                    item->name, item->value[i], kind[item->type].name);
        write_word(stream, bits, size);
    }
    return ATTEST_OK;
}

attest_status attest_safetensors_write(const char *path, const attest_safetensors_item *item,
                                       size_t count, attest_error *error)
{
    attest_output output;
    ATTEST_SCOPED(attest_text, header);

    format_header(&header, item, count);
    if (header.failed)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_output_open(&output, path, error));
    write_word(output.stream, header.size, sizeof(uint64_t));
    fwrite(header.data, 1, header.size, output.stream);
    for (size_t k = 0; k < count; k++)
        ATTEST_TRY_OR(write_values(output.stream, &item[k], error),
                      attest_output_abandon(&output));
    return attest_output_commit(&output, error);
}
