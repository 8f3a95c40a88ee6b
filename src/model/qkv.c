/* qkv.c -- queries, keys, values and outputs from files, for one layer or many. */
#include "model/qkv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "io/array.h"

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

/* The number of digits of the name that match {}, from *at on; 0: the name does not match the
 * pattern. */
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

/* Parses the number of a layer. Other notations are rejected, since their layers would be left
 * out. */
static attest_status read_layer(size_t *layer, const char *name, size_t length, size_t at,
                                size_t digits, attest_error *error)
{
    if (digits > 9 || (digits > 1 && name[at] == '0'))
        return attest_error_set(error, ATTEST_FORMAT,
                                "tensor '%.*s': the number of a layer has at most 9 digits "
                                "and no leading zeros",
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
    const char *name;

    *layer = NULL;
    *count = 0;
    if (strstr(strstr(pattern, hole) + 1, hole))
        return attest_error_set(error, ATTEST_USAGE, "'%.80s' contains {} more than once",
                                pattern);
    for (size_t i = 0; (name = attest_tensor_file_name(&length, file, i)) != NULL; i++)
        ATTEST_TRY_OR(add_layer(layer, count, &room, name, length, pattern, error), {
            free(*layer);
            *layer = NULL;
        });
    if (*count > 0)
        qsort(*layer, *count, sizeof **layer, compare);
    return ATTEST_OK;
}

const char *const attest_qkv_part_name[ATTEST_QKV_PARTS] = {
    "q", "k", "v", "mask", "sink", "q_descale", "k_descale", "v_descale"};

const char *attest_qkv_source_path(const attest_qkv_source *source)
{
    return attest_input_name(source->file[0].input.path);
}

/* One file of tensors, or an .npy file for each. */
static attest_status open_files(attest_qkv_source *source, attest_budget *budget,
                                attest_error *error)
{
    attest_qkv_names *names = &source->names;

    for (size_t i = 0; names->path && i < ATTEST_QKV_MASK; i++)
        if (!names->name[i])
            names->name[i] = attest_qkv_part_name[i];
    for (size_t i = 0; i < (names->path ? 1 : ATTEST_QKV_PARTS); i++) {
        const char *path = names->path ? names->path : names->name[i];
        if (!path && i < ATTEST_QKV_MASK)
            return attest_error_set(error, ATTEST_USAGE, "there is no file for %s",
                                    attest_qkv_part_name[i]);
        if (!path)
            continue;
        ATTEST_TRY(attest_tensor_file_open(&source->file[i], path, budget, error));
        if (source->file[i].is_npy == (names->path != NULL))
            return attest_error_set(error, ATTEST_USAGE, "%s: %s", attest_input_name(path),
                                    names->path
                                        ? "an .npy file holds one tensor: name one each "
                                          "for q, k and v, and no other file"
                                        : "an .npy file is expected for one tensor");
    }
    return ATTEST_OK;
}

/* Every layer of q, and no other, has the tensor of this part. */
static attest_status check_part(attest_qkv_source *source, size_t part, attest_error *error)
{
    const char *pattern = source->names.name[part];
    size_t *layer ATTEST_FREED = NULL, count, i = 0;

    ATTEST_TRY(attest_qkv_find_layers(&layer, &count, source->file, pattern, error));
    while (i < count && i < source->layers && layer[i] == source->layer[i])
        i++;
    if (i < source->layers && (i == count || layer[i] > source->layer[i]))
        return attest_error_set(error, ATTEST_FORMAT,
                                "layer %zu has a q, but there is no tensor '%.80s' for its %s",
                                source->layer[i], pattern, attest_qkv_part_name[part]);
    if (i < count)
        return attest_error_set(
            error, ATTEST_FORMAT, "layer %zu has a %s ('%.80s'), but no q ('%.80s')", layer[i],
            attest_qkv_part_name[part], pattern, source->names.name[ATTEST_QKV_Q]);
    return ATTEST_OK;
}

static attest_status find_layers(attest_qkv_source *source, attest_error *error)
{
    const char *const *name = source->names.name;

    source->layered = source->names.path && attest_qkv_is_pattern(name[ATTEST_QKV_Q]);
    for (size_t i = 0; !source->layered && source->names.path && i < ATTEST_QKV_PARTS; i++)
        if (name[i] && attest_qkv_is_pattern(name[i]))
            return attest_error_set(
                error, ATTEST_USAGE,
                "'%.80s' is a pattern for many layers, but q is one tensor, '%.80s'", name[i],
                name[ATTEST_QKV_Q]);
    if (!source->layered) {
        source->layers = 1;
        source->layer = attest_memory_alloc(1, sizeof *source->layer);
        return source->layer ? ATTEST_OK : attest_memory_fail(error);
    }
    ATTEST_TRY(attest_qkv_find_layers(&source->layer, &source->layers, source->file,
                                      name[ATTEST_QKV_Q], error));
    if (source->layers == 0)
        return attest_error_set(error, ATTEST_USAGE, "no tensor has a name like '%.80s'",
                                name[ATTEST_QKV_Q]);
    for (size_t i = ATTEST_QKV_K; i < ATTEST_QKV_PARTS; i++)
        if (name[i] && attest_qkv_is_pattern(name[i]))
            ATTEST_TRY(check_part(source, i, error));
    return ATTEST_OK;
}

attest_status attest_qkv_source_open(attest_qkv_source *source, const attest_qkv_names *names,
                                     attest_budget *budget, attest_error *error)
{
    memset(source, 0, sizeof *source);
    source->names = *names;
    ATTEST_TRY_OR(open_files(source, budget, error), attest_qkv_source_close(source));
    ATTEST_TRY_OR(
        attest_input_locate(&source->file[0].input, find_layers(source, error), error),
        attest_qkv_source_close(source));
    return ATTEST_OK;
}

void attest_qkv_source_close(attest_qkv_source *source)
{
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        attest_tensor_file_close(&source->file[i]);
    for (size_t i = 0; source->formed && i < source->layers; i++)
        free(source->formed[i].block);
    free(source->formed);
    free(source->layer);
    memset(source, 0, sizeof *source);
}

/* Checks the rank of a part. */
static attest_status check_rank(const attest_array *array, size_t part, attest_error *error)
{
    static const char *const wanted[] = {
        ("(batch, heads, tokens, dim), (heads, tokens, dim) or "
         "(tokens, dim)"),
        "(batch, heads, queries, keys), or the last axes of it", "(heads,)",
        "one number, (heads,) or (batch, heads)"};
    static const size_t least[] = {2, 1, 1, 0}, most[] = {4, 4, 1, 2};
    size_t kind = part < ATTEST_QKV_MASK        ? 0
                  : part < ATTEST_QKV_Q_DESCALE ? part - ATTEST_QKV_MASK + 1
                                                : 3;
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    if (array->rank >= least[kind] && array->rank <= most[kind])
        return ATTEST_OK;
    attest_array_format_shape(shape, array);
    return attest_error_set(error, ATTEST_FORMAT, "%s has shape %s, but it should be %s",
                            attest_qkv_part_name[part], shape, wanted[kind]);
}

/* Moves the axes of a vector of heads, or of batch entries and heads, to the first two of
 * four. */
static void turn(attest_tensor *x)
{
    for (int i = 0; i < 2; i++) {
        x->shape[i] = x->shape[i + 2];
        x->stride[i] = x->stride[i + 2];
        x->shape[i + 2] = 1;
    }
}

static attest_status read_part(attest_tensor *tensor, attest_qkv_source *source, size_t part,
                               const char *name, attest_error *error)
{
    attest_tensor_file *file = &source->file[source->names.path ? 0 : part];
    attest_array array;

    ATTEST_TRY(attest_tensor_file_get(&array, file, name, error));
    ATTEST_TRY(attest_input_locate(&file->input, check_rank(&array, part, error), error));
    ATTEST_TRY(
        attest_tensor_file_view(tensor, file, name, &array, part == ATTEST_QKV_MASK, error));
    if (part == ATTEST_QKV_Q)
        source->rank = array.rank;
    if (part >= ATTEST_QKV_SINK)
        turn(tensor);
    return ATTEST_OK;
}

attest_status attest_qkv_source_read(attest_qkv *qkv, attest_qkv_source *source, size_t place,
                                     attest_error *error)
{
    attest_tensor *const tensor[ATTEST_QKV_PARTS] = {
        &qkv->q,    &qkv->k,         &qkv->v,         &qkv->mask,
        &qkv->sink, &qkv->q_descale, &qkv->k_descale, &qkv->v_descale};

    for (size_t i = 0; source->formed && i < ATTEST_QKV_PARTS; i++)
        *tensor[i] = source->formed[place].tensor[i];
    if (source->formed)
        return ATTEST_OK;
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        if (source->file[i].charged)
            attest_tensor_file_drop(&source->file[i]);
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++) {
        char *name ATTEST_FREED = NULL;

        memset(tensor[i], 0, sizeof *tensor[i]);
        if (!source->names.name[i])
            continue;
        name = source->names.path
                   ? attest_qkv_format_name(source->names.name[i], source->layer[place])
                   : attest_memory_copy(source->names.name[i]);
        if (!name)
            return attest_memory_fail(error);
        ATTEST_TRY(read_part(tensor[i], source, i, name, error));
    }
    return ATTEST_OK;
}

/* Splits FILE:NAME at the last colon, unless there is a file with the whole name. */
static attest_status split(attest_qkv_output *output, const char *text, bool layered,
                           attest_error *error)
{
    const char *colon = access(text, F_OK) == 0 ? NULL : strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);

    output->path = attest_memory_alloc(length + 1, 1);
    output->name = attest_memory_copy(colon ? colon + 1 : layered ? "layers.{}.out" : "out");
    if (!output->path || !output->name)
        return attest_memory_fail(error);
    memcpy(output->path, text, length);
    return ATTEST_OK;
}

static attest_status open_output(attest_qkv_output *output, const char *text,
                                 attest_qkv_source *source, attest_budget *budget,
                                 attest_error *error)
{
    ATTEST_TRY(split(output, text, source->layered, error));
    if (source->names.path && strcmp(output->path, source->names.path) == 0) {
        output->file = source->file; /* a file is read once */
    } else {
        output->file = &output->own;
        ATTEST_TRY(attest_tensor_file_open(&output->own, output->path, budget, error));
    }
    if (source->layered && !attest_qkv_is_pattern(output->name))
        return attest_error_set(error, ATTEST_USAGE,
                                "%s: '%.80s' is one tensor, but there are many layers; {} "
                                "stands for their number",
                                attest_input_name(output->path), output->name);
    return ATTEST_OK;
}

attest_status attest_qkv_output_open(attest_qkv_output *output, const char *text,
                                     attest_qkv_source *source, attest_budget *budget,
                                     attest_error *error)
{
    memset(output, 0, sizeof *output);
    ATTEST_TRY_OR(open_output(output, text, source, budget, error),
                  attest_qkv_output_close(output));
    return ATTEST_OK;
}

void attest_qkv_output_close(attest_qkv_output *output)
{
    attest_tensor_file_close(&output->own);
    free(output->path);
    free(output->name);
    memset(output, 0, sizeof *output);
}

/* Where element (b, h, i, c) is in the file: the steps along the four axes. */
typedef struct layout {
    size_t step[4];
} layout;

/* The array's last axes are those of the shape; the first ones, of length 1, may lack. */
static bool is_by_heads(layout *at, const attest_array *array, const size_t shape[4])
{
    size_t missing = 4 - array->rank;

    if (array->rank < 2 || array->rank > 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (shape[i] != (i < missing ? 1 : array->shape[i - missing]))
            return false;
        at->step[i] = i < missing ? 0 : attest_array_step(array, i - missing);
    }
    return true;
}

/* (batch, tokens, heads * dim), or without a batch of 1. */
static bool is_side_by_side(layout *at, const attest_array *array, const size_t shape[4])
{
    size_t first = array->rank == 3;

    if (array->rank < 2 || array->rank > 3 || (first ? array->shape[0] : 1) != shape[0] ||
        array->shape[first] != shape[2] || array->shape[first + 1] != shape[1] * shape[3])
        return false;
    at->step[0] = first ? attest_array_step(array, 0) : 0;
    at->step[2] = attest_array_step(array, first);
    at->step[3] = attest_array_step(array, first + 1);
    at->step[1] = shape[3] * at->step[3];
    return true;
}

static attest_status find_layout(layout *at, const attest_array *array, const size_t shape[4],
                                 attest_error *error)
{
    char text[ATTEST_ARRAY_TEXT_SIZE];

    if (array->count && !attest_array_type_is_double(array->type))
        return attest_error_set(error, ATTEST_FORMAT,
                                "64-bit integers are not the output of a kernel");
    ATTEST_TRY(attest_array_check_numbers(array, error));
    if (is_by_heads(at, array, shape) || is_side_by_side(at, array, shape))
        return ATTEST_OK;
    attest_array_format_shape(text, array);
    return attest_error_set(
        error, ATTEST_FORMAT,
        "shape %s does not fit q and v: (%zu, %zu, %zu, %zu), or (%zu, %zu, "
        "%zu) with the heads side by side, is expected",
        text, shape[0], shape[1], shape[2], shape[3], shape[0], shape[2], shape[1] * shape[3]);
}

static attest_status read_named(double *to, attest_qkv_output *output, const char *name,
                                const size_t shape[4], attest_error *error)
{
    attest_status status;
    attest_array array;
    layout at = {{0}};

    ATTEST_TRY(attest_tensor_file_get(&array, output->file, name, error));
    status = find_layout(&at, &array, shape, error);
    if (!output->file->is_npy)
        attest_error_prefix(error, status, name);
    ATTEST_TRY(attest_input_locate(&output->file->input, status, error));
    for (size_t b = 0; b < shape[0]; b++)
        for (size_t h = 0; h < shape[1]; h++)
            for (size_t i = 0; i < shape[2]; i++, to += shape[3])
                attest_array_get_doubles(to, &array,
                                         b * at.step[0] + h * at.step[1] + i * at.step[2],
                                         at.step[3], shape[3]);
    return ATTEST_OK;
}

attest_status attest_qkv_output_read(double *to, attest_qkv_output *output,
                                     const attest_qkv_source *source, size_t place,
                                     const size_t shape[4], attest_error *error)
{
    char *name ATTEST_FREED = attest_qkv_format_name(output->name, source->layer[place]);
    attest_status status;

    if (!name)
        return attest_memory_fail(error);
    status = read_named(to, output, name, shape, error);
    if (output->file == &output->own)
        attest_tensor_file_drop(&output->own);
    return status;
}
