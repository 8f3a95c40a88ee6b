/* qkv_layers.c -- tensors of many layers, named by a pattern. */
#include "model/qkv_layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

static const char hole[] = "{}";

bool attest_qkv_is_pattern(const char *name)
{
    return strstr(name, hole) != NULL;
}

char *attest_qkv_format_name(const char *pattern, size_t layer)
{
    size_t room = strlen(pattern) + 24;
    const char *at = strstr(pattern, hole);
    char *name = attest_memory_alloc(room, 1);

    if (!name)
        return NULL;
    if (at)
        snprintf(name, room, "%.*s%zu%s", (int)(at - pattern), pattern, layer,
                 at + sizeof hole - 1);
    else
        snprintf(name, room, "%s", pattern);
    return name;
}

/* How many digits of the name stand for {}, from *at on; 0: the name does not fit the pattern.
 */
static size_t find_digits(size_t *at, const char *name, size_t length, const char *pattern)
{
    size_t head = (size_t)(strstr(pattern, hole) - pattern);
    const char *rest = pattern + head + sizeof hole - 1;
    size_t tail = strlen(rest), digits = length - head - tail;

    if (length < head + tail + 1 || memcmp(name, pattern, head) != 0 ||
        memcmp(name + length - tail, rest, tail) != 0)
        return 0;
    for (size_t i = 0; i < digits; i++)
        if (name[head + i] < '0' || name[head + i] > '9')
            return 0;
    *at = head;
    return digits;
}

/* A layer whose number is written in another way would be left out without a word. */
static attest_status read_layer(size_t *layer, const char *name, size_t length, size_t at,
                                size_t digits, attest_error *error)
{
    if (digits > 9 || (digits > 1 && name[at] == '0'))
        return attest_error_set(error, ATTEST_FORMAT,
                                "tensor '%.*s': the numbers of layers have no zeros before "
                                "them, and at most 9 digits",
                                (int)(length < 80 ? length : 80), name);
    *layer = 0;
    for (size_t i = 0; i < digits; i++)
        *layer = 10 * *layer + (size_t)(name[at + i] - '0');
    return ATTEST_OK;
}

static int compare(const void *left, const void *right)
{
    const size_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Adds the layer of this name to the list, if it fits the pattern. */
static attest_status add_layer(size_t **layer, size_t *count, size_t *room, const char *name,
                               size_t length, const char *pattern, attest_error *error)
{
    size_t at = 0, number = 0, digits = find_digits(&at, name, length, pattern);

    if (digits == 0)
        return ATTEST_OK;
    ATTEST_TRY(read_layer(&number, name, length, at, digits, error));
    if (!attest_memory_grow(layer, room, *count + 1, sizeof **layer))
        return attest_memory_fail(error);
    (*layer)[(*count)++] = number;
    return ATTEST_OK;
}

attest_status attest_qkv_find_layers(size_t **layer, size_t *count,
                                     const attest_tensor_file *file, const char *pattern,
                                     attest_error *error)
{
    size_t room = 0, length;
    attest_status status = ATTEST_OK;
    const char *name;

    *layer = NULL;
    *count = 0;
    if (strstr(strstr(pattern, hole) + 1, hole))
        return attest_error_set(error, ATTEST_USAGE, "'%.80s': {} may stand there once",
                                pattern);
    for (size_t i = 0;
         status == ATTEST_OK && (name = attest_tensor_file_name(&length, file, i)) != NULL; i++)
        status = add_layer(layer, count, &room, name, length, pattern, error);
    if (status != ATTEST_OK) {
        free(*layer);
        *layer = NULL;
        return status;
    }
    if (*count > 0)
        qsort(*layer, *count, sizeof **layer, compare);
    return ATTEST_OK;
}
