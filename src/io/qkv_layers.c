/* qkv_layers.c -- tensors of many layers, named by a pattern. */
#include "io/qkv_layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"

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

/* The number that stands for {} in the name; false: the name does not fit the pattern. */
static bool parse_layer(size_t *layer, const char *name, size_t length, const char *pattern)
{
    size_t head = (size_t)(strstr(pattern, hole) - pattern);
    const char *rest = pattern + head + sizeof hole - 1;
    size_t tail = strlen(rest), digits = length - head - tail;

    if (length < head + tail + 1 || memcmp(name, pattern, head) != 0 ||
        memcmp(name + length - tail, rest, tail) != 0)
        return false;
    name += head;
    if (digits > 9 || (digits > 1 && name[0] == '0'))
        return false;
    *layer = 0;
    for (size_t i = 0; i < digits; i++) {
        if (name[i] < '0' || name[i] > '9')
            return false;
        *layer = 10 * *layer + (size_t)(name[i] - '0');
    }
    return true;
}

static int compare(const void *left, const void *right)
{
    const size_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

attest_status attest_qkv_find_layers(size_t **layer, size_t *count,
                                     const attest_tensor_file *file, const char *pattern,
                                     attest_error *error)
{
    size_t room = 0, length, number;
    const char *name;

    *layer = NULL;
    *count = 0;
    if (strstr(strstr(pattern, hole) + 1, hole))
        return attest_error_set(error, ATTEST_USAGE, "'%.80s': {} may stand there once",
                                pattern);
    for (size_t i = 0; (name = attest_tensor_file_name(&length, file, i)) != NULL; i++) {
        if (!parse_layer(&number, name, length, pattern))
            continue;
        if (!attest_memory_grow(layer, &room, *count + 1, sizeof **layer)) {
            free(*layer);
            *layer = NULL;
            return attest_memory_fail_at(error, attest_input_name(file->input.path));
        }
        (*layer)[(*count)++] = number;
    }
    if (*count > 0)
        qsort(*layer, *count, sizeof **layer, compare);
    return ATTEST_OK;
}
