/* npy.c -- NumPy's files: .npy arrays, whose header is a Python dictionary, and .npz archives.
 */
#include "io/npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "io/array.h"

/* The longest header that is accepted, with the bytes before its text. NumPy writes longer ones
 * only for structures, which are rejected anyway. */
enum { MAX_HEADER = 65536 };

/* The rest of the header's text. */
typedef struct cursor {
    const unsigned char *start, *next, *end;
} cursor;

static attest_status refuse(const cursor *at, attest_error *error, const char *wanted)
{
    return attest_error_set(error, ATTEST_FORMAT, "npy header, character %zu: expected %s",
                            (size_t)(at->next - at->start), wanted);
}

static void skip_space(cursor *at)
{
    while (at->next < at->end && (*at->next == ' ' || *at->next == '\n' || *at->next == '\t'))
        at->next++;
}

/* Consumes the character if it is next, after white space. */
static bool take(cursor *at, unsigned char wanted)
{
    skip_space(at);
    if (at->next == at->end || *at->next != wanted)
        return false;
    at->next++;
    return true;
}

static bool take_word(cursor *at, const char *word)
{
    size_t length = strlen(word);

    skip_space(at);
    if ((size_t)(at->end - at->next) < length || memcmp(at->next, word, length) != 0)
        return false;
    at->next += length;
    return true;
}

/* A string literal without escapes, copied to text[0..size) with a final zero. */
static attest_status take_string(cursor *at, char *text, size_t size, const char *wanted,
                                 attest_error *error)
{
    const unsigned char *first;
    unsigned char quote;
    size_t length;

    skip_space(at);
    if (at->next == at->end || (*at->next != '\'' && *at->next != '"'))
        return refuse(at, error, wanted);
    quote = *at->next;
    first = at->next + 1;
    for (length = 0; first + length < at->end && first[length] != quote; length++)
        if (length + 1 >= size || first[length] < ' ' || first[length] > '~' ||
            first[length] == '\\')
            return refuse(at, error, wanted);
    if (first + length == at->end)
        return refuse(at, error, wanted);
    memcpy(text, first, length);
    text[length] = '\0';
    at->next = first + length + 1;
    return ATTEST_OK;
}

static attest_status parse_descr(attest_array *array, cursor *at, attest_error *error)
{
    static const char *const name[] = {
        /* by attest_array_type */
        "f2", "", /* bfloat16 has no .npy type */
        "f4", "f8", "i1", "i2", "i4", "i8",
        "u1", "u2", "u4", "u8", "",   "", /* nor have the 8-bit floats */
        "b1"};
    char text[16];

    skip_space(at);
    if (at->next < at->end && *at->next == '[')
        return attest_error_set(error, ATTEST_FORMAT,
                                "npy header: structured dtypes are not read; write one "
                                "array of a float16/32/64 or integer type per file");
    ATTEST_TRY(take_string(at, text, sizeof text, "a dtype such as '<f8'", error));
    array->big_endian = text[0] == '>';
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        if (name[i][0] && text[0] && strcmp(text + 1, name[i]) == 0 &&
            (text[0] == '<' || text[0] == '>' || (text[0] == '|' && name[i][1] == '1'))) {
            array->type = (attest_array_type)i;
            return ATTEST_OK;
        }
    return attest_error_set(
        error, ATTEST_FORMAT,
        "npy header: dtype '%s' is not read; write float16/32/64 or an integer type, with its "
        "byte order such as in '<f8', or '|b1' for a mask",
        text);
}

static attest_status parse_order(attest_array *array, cursor *at, attest_error *error)
{
    array->fortran = take_word(at, "True");
    if (array->fortran || take_word(at, "False"))
        return ATTEST_OK;
    return refuse(at, error, "True or False");
}

static attest_status parse_length(size_t *length, cursor *at, attest_error *error)
{
    size_t digits = 0;

    skip_space(at);
    *length = 0;
    for (; at->next < at->end && *at->next >= '0' && *at->next <= '9'; at->next++, digits++) {
        size_t digit = (size_t)(*at->next - '0');
        if (digits == 1 && *length == 0)
            return refuse(at, error, "a length without leading zeros");
        if (*length > (SIZE_MAX - digit) / 10)
            return refuse(at, error, "a length that fits in memory");
        *length = *length * 10 + digit;
    }
    if (digits == 0)
        return refuse(at, error, "a length");
    if (at->next < at->end && *at->next == 'L') /* Python 2 wrote (3L, 4L) */
        at->next++;
    return ATTEST_OK;
}

/* The product of the lengths is checked when the type is known: the keys come in any order. */
static attest_status parse_shape(attest_array *array, cursor *at, attest_error *error)
{
    if (!take(at, '('))
        return refuse(at, error, "a shape such as (2, 3, 4)");
    array->rank = 0;
    while (!take(at, ')')) {
        if (array->rank == ATTEST_ARRAY_MAX_RANK)
            return refuse(at, error, "at most 32 dimensions");
        ATTEST_TRY(parse_length(&array->shape[array->rank], at, error));
        array->rank++;
        if (!take(at, ',') && (array->rank == 1 || at->next == at->end || *at->next != ')'))
            return refuse(at, error, "',' or ')' in the shape");
    }
    return ATTEST_OK;
}

/* One 'key': value of the three; *seen has a bit for each. */
static attest_status parse_entry(attest_array *array, unsigned *seen, cursor *at,
                                 attest_error *error)
{
    static const struct {
        const char *name;
        attest_status (*parse)(attest_array *, cursor *, attest_error *);
    } key[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
    char text[16];

    ATTEST_TRY(
        take_string(at, text, sizeof text, "'descr', 'fortran_order' or 'shape'", error));
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(text, key[i].name) == 0) {
            if (*seen & 1u << i)
                return attest_error_set(error, ATTEST_FORMAT, "npy header: '%s' occurs twice",
                                        text);
            *seen |= 1u << i;
            if (!take(at, ':'))
                return refuse(at, error, "':'");
            return key[i].parse(array, at, error);
        }
    return attest_error_set(error, ATTEST_FORMAT, "npy header: unknown key '%s'", text);
}

static attest_status parse_dictionary(attest_array *array, cursor *at, attest_error *error)
{
    unsigned seen = 0;

    if (!take(at, '{'))
        return refuse(at, error, "'{'");
    while (!take(at, '}')) {
        ATTEST_TRY(parse_entry(array, &seen, at, error));
        if (!take(at, ',') && (at->next == at->end || *at->next != '}'))
            return refuse(at, error, "',' or '}'");
    }
    skip_space(at);
    if (at->next != at->end)
        return refuse(at, error, "nothing after the dictionary");
    if (seen != 7)
        return attest_error_set(error, ATTEST_FORMAT, "npy header: '%s' is missing",
                                !(seen & 1)   ? "descr"
                                : !(seen & 2) ? "fortran_order"
                                              : "shape");
    return ATTEST_OK;
}

/* Where the header's text begins and how long it is: a 16-bit length, 32-bit since 2.0. */
static attest_status parse_preamble(size_t *text_start, size_t *text_size,
                                    const unsigned char *bytes, size_t count,
                                    attest_error *error)
{
    if (attest_array_find_format(bytes, count) != ATTEST_ARRAY_NPY)
        return attest_error_set(error, ATTEST_FORMAT, "not an .npy file");
    if (count < 8)
        return attest_error_set(error, ATTEST_FORMAT, "npy header: the file ends too early");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "npy version %d.%d is unknown; 1.0, 2.0 and 3.0 are read",
                                bytes[6], bytes[7]);
    *text_start = bytes[6] == 1 ? 10 : 12;
    if (count < *text_start)
        return attest_error_set(error, ATTEST_FORMAT, "npy header: the file ends too early");
    *text_size = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1)
        *text_size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (*text_size > MAX_HEADER - *text_start)
        return attest_error_set(error, ATTEST_FORMAT,
                                "npy header of %zu bytes: at most %zu are read", *text_size,
                                MAX_HEADER - *text_start);
    if (*text_size > count - *text_start)
        return attest_error_set(error, ATTEST_FORMAT, "npy header: the file ends too early");
    return ATTEST_OK;
}

/* Reads type, order and shape from the first count bytes of a file; *header_size is the offset
 * of its elements. array->data is not set. count need not reach beyond the header, nor beyond
 * MAX_HEADER. Status: FORMAT. */
static attest_status parse_header(attest_array *array, size_t *header_size,
                                  const unsigned char *bytes, size_t count, attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];
    size_t start = 0, size = 0;
    cursor at;

    ATTEST_TRY(parse_preamble(&start, &size, bytes, count, error));
    memset(array, 0, sizeof *array);
    at = (cursor){bytes + start, bytes + start, bytes + start + size};
    ATTEST_TRY(parse_dictionary(array, &at, error));
    attest_array_format_shape(shape, array);
    if (!attest_array_set_shape(array, array->shape, array->rank))
        return attest_error_set(error, ATTEST_FORMAT, "npy header: shape %s is too large",
                                shape);
    *header_size = start + size;
    return ATTEST_OK;
}

/* Requires a file of this size to be the header and the elements, and nothing else.
 * Status: FORMAT. */
static attest_status check_size(const attest_array *array, size_t header_size, size_t size,
                                attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];
    size_t wanted = attest_array_bytes(array), there = size - header_size;

    if (there == wanted)
        return ATTEST_OK;
    attest_array_format_shape(shape, array);
    return attest_error_set(error, ATTEST_FORMAT,
                            "shape %s takes %zu bytes of data, but there are %zu", shape,
                            wanted, there);
}

attest_status attest_npy_parse(attest_array *array, const unsigned char *bytes, size_t size,
                               attest_error *error)
{
    size_t header_size;

    ATTEST_TRY(parse_header(array, &header_size, bytes, size, error));
    ATTEST_TRY(check_size(array, header_size, size, error));
    array->data = bytes + header_size;
    return ATTEST_OK;
}

/* Weights in .npz archives. */

enum { ARRAYS = 4, WQ = 0, WO = 3 };

static const char *const array_name[ARRAYS] = {"WQ", "WK", "WV", "WO"};

/* One of the four arrays, before its elements are read. */
typedef struct source {
    const attest_zip_entry *entry;
    attest_array array;
    size_t header_size;
} source;

attest_status attest_npy_read_header(attest_array *array, size_t *header_size,
                                     const attest_zip_entry *entry, attest_error *error)
{
    size_t count = entry->size < MAX_HEADER ? entry->size : MAX_HEADER;
    unsigned char *head ATTEST_FREED = attest_memory_alloc(count, 1);

    if (!head)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_zip_read(head, count, entry, error));
    ATTEST_TRY(parse_header(array, header_size, head, count, error));
    return check_size(array, *header_size, entry->size, error);
}

static attest_status find(source *from, const attest_zip *zip, const char *name,
                          attest_error *error)
{
    char file[16] = "";

    strcat(strcat(file, name), ".npy");
    from->entry = attest_zip_get(zip, file);
    if (!from->entry)
        return attest_error_set(error, ATTEST_FORMAT,
                                "there is no %s in the archive; weights are the arrays WQ, WK, "
                                "WV of shape (H, s, d) and WO of shape (H, d, s)",
                                file);
    return attest_error_prefix(
        error, attest_npy_read_header(&from->array, &from->header_size, from->entry, error),
        name);
}

/* The shape of WQ decides H, s and d. */
static attest_status check_shape(const source *from, int i, attest_error *error)
{
    const attest_array *first = &from[WQ].array, *array = &from[i].array;
    char shape[ATTEST_ARRAY_TEXT_SIZE], wanted[ATTEST_ARRAY_TEXT_SIZE];

    attest_array_format_shape(shape, array);
    attest_array_format_shape(wanted, first);
    if (array->rank != 3)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s: shape %s, but it should be (H, %s); one head is H = 1",
                                array_name[i], shape, i == WO ? "d, s" : "s, d");
    if (array->count == 0)
        return attest_error_set(error, ATTEST_FORMAT, "%s: shape %s is empty", array_name[i],
                                shape);
    if (array->shape[0] != first->shape[0] ||
        array->shape[1] != first->shape[i == WO ? 2 : 1] ||
        array->shape[2] != first->shape[i == WO ? 1 : 2])
        return attest_error_set(
            error, ATTEST_FORMAT,
            "%s has shape %s, which does not fit WQ of shape (H, s, d) = %s", array_name[i],
            shape, wanted);
    return ATTEST_OK;
}

/* Allocates the heads; their matrices are charged when their sizes are known. */
static attest_status make_heads(attest_weights *weights, size_t heads, attest_budget *budget,
                                attest_error *error)
{
    const size_t each = sizeof(attest_head) + ARRAYS * sizeof(fmpz);

    ATTEST_TRY(
        attest_budget_charge(budget, heads > SIZE_MAX / each ? SIZE_MAX : heads * each, error));
    return attest_weights_resize(weights, heads) == ATTEST_OK ? ATTEST_OK
                                                              : attest_memory_fail(error);
}

/* Array i of all heads, from its elements. */
static attest_status set_matrices(attest_weights *weights, const attest_array *array, int i,
                                  attest_budget *budget, attest_error *error)
{
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head *head = &weights->head[h];
        attest_matrix *const matrix[ARRAYS] = {&head->wq, &head->wk, &head->wv, &head->wo};
        attest_array_slice slice = {.start = h * attest_array_step(array, 0),
                                    .rows = array->shape[1],
                                    .cols = array->shape[2],
                                    .row_step = attest_array_step(array, 1),
                                    .col_step = attest_array_step(array, 2)};
        ATTEST_TRY(attest_matrix_set_slice(matrix[i], array, &slice, budget, error));
    }
    return ATTEST_OK;
}

static attest_status read_elements(attest_weights *weights, source *from, int i,
                                   attest_budget *budget, attest_error *error)
{
    size_t size = from->entry->size;
    unsigned char *content ATTEST_FREED = attest_memory_alloc(size, 1);

    if (!content)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_zip_read(content, size, from->entry, error));
    from->array.data = content + from->header_size;
    return set_matrices(weights, &from->array, i, budget, error);
}

static attest_status set_arrays(attest_weights *weights, const attest_zip *zip,
                                attest_budget *budget, attest_error *error)
{
    source from[ARRAYS];

    for (int i = 0; i < ARRAYS; i++)
        ATTEST_TRY(find(&from[i], zip, array_name[i], error));
    for (int i = 0; i < ARRAYS; i++)
        ATTEST_TRY(check_shape(from, i, error));
    ATTEST_TRY(make_heads(weights, from[WQ].array.shape[0], budget, error));
    weights->dim = from[WQ].array.shape[2];
    for (int i = 0; i < ARRAYS; i++) {
        size_t size = from[i].entry->size;
        attest_status status;

        ATTEST_TRY(attest_budget_charge(budget, size, error));
        status = read_elements(weights, &from[i], i, budget, error);
        attest_budget_give_back(budget, size);
        ATTEST_TRY(attest_error_prefix(error, status, array_name[i]));
    }
    return ATTEST_OK;
}

attest_status attest_weights_set_npz(attest_weights *weights, const unsigned char *bytes,
                                     size_t size, attest_budget *budget, attest_error *error)
{
    attest_zip zip ATTEST_CLEARED_BY(attest_zip_clear) = {0};
    size_t left = budget ? budget->left : 0;

    attest_weights_clear(weights);
    attest_weights_init(weights);
    ATTEST_TRY(attest_zip_parse(&zip, bytes, size, error));
    ATTEST_TRY_OR(set_arrays(weights, &zip, budget, error), {
        attest_weights_clear(weights);
        attest_weights_init(weights);
        if (budget)
            budget->left = left;
    });
    return ATTEST_OK;
}
