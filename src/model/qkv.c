/* qkv.c -- queries, keys, values and numbers of tokens from files, for one layer or many. */
#include "model/qkv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    "q",         "k",          "v",      "mask",   "sink",         "q_descale",
    "k_descale", "v_descale",  "past_k", "past_v", "cu_seqlens_q", "cu_seqlens_k",
    "lengths",   "block_table"};

const char *const attest_qkv_layout_name[] = {"default", "bhsd", "bshd", "hsd",
                                              "shd",     "sd",   NULL};

/* The axes of tensors with this layout; 0: any. */
static size_t get_rank(attest_qkv_layout layout)
{
    return layout == ATTEST_QKV_BY_RANK ? 0 : strlen(attest_qkv_layout_name[layout]);
}

/* Whether tokens come before heads in this part. */
static bool is_tokens_first(const attest_qkv_source *source, size_t part)
{
    attest_qkv_layout layout = source->names.layout;
    bool paged = source->names.name[ATTEST_QKV_BLOCK_TABLE] != NULL;

    if (layout != ATTEST_QKV_BY_RANK)
        return layout == ATTEST_QKV_BSHD || layout == ATTEST_QKV_SHD;
    if (paged && (part == ATTEST_QKV_K || part == ATTEST_QKV_V))
        return true;
    return source->names.name[part == ATTEST_QKV_Q ? ATTEST_QKV_CU_SEQLENS_Q
                                                   : ATTEST_QKV_CU_SEQLENS_K] != NULL;
}

static attest_tensor_file *file_of(attest_qkv_source *source, size_t part)
{
    return &source->file[source->names.path ? 0 : part];
}

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

static void free_integers(attest_qkv_source *source)
{
    for (size_t i = 0; i < ATTEST_QKV_PARTS - ATTEST_QKV_CU_SEQLENS_Q; i++) {
        free(source->integer[i]);
        source->integer[i] = NULL;
    }
}

void attest_qkv_source_close(attest_qkv_source *source)
{
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        attest_tensor_file_close(&source->file[i]);
    free_integers(source);
    for (size_t i = 0; source->formed && i < source->layers; i++)
        free(source->formed[i].block);
    free(source->formed);
    free(source->layer);
    memset(source, 0, sizeof *source);
}

/* Whether the part is queries, keys or values. */
static bool has_tokens(size_t part)
{
    return part < ATTEST_QKV_MASK || part == ATTEST_QKV_PAST_K || part == ATTEST_QKV_PAST_V;
}

/* Checks the rank of queries, keys or values if their layout or a page table fixes it. */
static attest_status check_layout(const attest_qkv_source *source, const attest_array *array,
                                  size_t part, attest_error *error)
{
    attest_qkv_layout layout = source->names.layout;
    bool paged = source->names.name[ATTEST_QKV_BLOCK_TABLE] != NULL &&
                 (part == ATTEST_QKV_K || part == ATTEST_QKV_V);
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    attest_array_format_shape(shape, array);
    if (paged && array->rank != 4)
        return attest_error_set(
            error, ATTEST_FORMAT, "%s has shape %s, but a cache in pages has the axes %s",
            attest_qkv_part_name[part], shape,
            is_tokens_first(source, part) ? "(pages, page size, heads, dim)"
                                          : "(pages, heads, page size, dim)");
    if (!paged && layout != ATTEST_QKV_BY_RANK && array->rank != get_rank(layout))
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s has shape %s, but the layout %s has %zu axes",
                                attest_qkv_part_name[part], shape,
                                attest_qkv_layout_name[layout], get_rank(layout));
    return ATTEST_OK;
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
    size_t kind = has_tokens(part)              ? 0
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

/* Exchanges the axes of heads and tokens. */
static void exchange(attest_tensor *x)
{
    size_t heads = x->shape[2];
    ptrdiff_t step = x->stride[2];

    x->shape[2] = x->shape[1];
    x->shape[1] = heads;
    x->stride[2] = x->stride[1];
    x->stride[1] = step;
}

static attest_status read_part(attest_tensor *tensor, attest_qkv_source *source, size_t part,
                               const char *name, attest_error *error)
{
    attest_tensor_file *file = file_of(source, part);
    attest_array array;

    ATTEST_TRY(attest_tensor_file_get(&array, file, name, error));
    ATTEST_TRY(attest_input_locate(&file->input, check_rank(&array, part, error), error));
    if (has_tokens(part))
        ATTEST_TRY(attest_input_locate(&file->input, check_layout(source, &array, part, error),
                                       error));
    ATTEST_TRY(
        attest_tensor_file_view(tensor, file, name, &array, part == ATTEST_QKV_MASK, error));
    if (has_tokens(part) && array.rank >= 3 && is_tokens_first(source, part))
        exchange(tensor);
    if (part == ATTEST_QKV_Q) {
        source->rank = array.rank;
        source->tokens_first = array.rank >= 3 && is_tokens_first(source, part);
    }
    if (part >= ATTEST_QKV_SINK && !has_tokens(part))
        turn(tensor);
    return ATTEST_OK;
}

/* ---- numbers of tokens ---- */

/* *value = an element of an array of integers. */
static attest_status get_integer(int64_t *value, const attest_array *array, size_t element,
                                 attest_error *error)
{
    char index[ATTEST_ARRAY_TEXT_SIZE];
    attest_dyadic x;

    ATTEST_TRY(attest_array_get(&x, array, element, error));
    if (x.exponent < 0 || x.exponent > 62 || x.magnitude > (uint64_t)INT64_MAX >> x.exponent) {
        attest_array_format_index(index, array, element);
        return attest_error_set(error, ATTEST_FORMAT, "%s is too large for a number of tokens",
                                index);
    }
    *value = (int64_t)(x.magnitude << x.exponent) * (x.negative ? -1 : 1);
    return ATTEST_OK;
}

static attest_status check_integers(const attest_array *array, size_t part, attest_error *error)
{
    size_t rank = part == ATTEST_QKV_BLOCK_TABLE ? 2 : 1;
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    attest_array_format_shape(shape, array);
    if (array->rank != rank)
        return attest_error_set(error, ATTEST_FORMAT, "%s has shape %s, but it should be %s",
                                attest_qkv_part_name[part], shape,
                                rank == 1 ? "(sequences,)" : "(sequences, pages of each)");
    return ATTEST_OK;
}

/* Reads offsets, lengths or a page table; the number of sequences must be that of the parts
 * that were read before. */
static attest_status set_integers(int64_t **to, attest_qkv *qkv, const attest_array *array,
                                  size_t part, attest_error *error)
{
    bool offsets = part == ATTEST_QKV_CU_SEQLENS_Q || part == ATTEST_QKV_CU_SEQLENS_K;
    size_t sequences = array->rank ? array->shape[0] : 0;

    ATTEST_TRY(check_integers(array, part, error));
    if (sequences < 1 + (size_t)offsets || array->count == 0)
        return attest_error_set(error, ATTEST_FORMAT, "%s has no sequence%s",
                                attest_qkv_part_name[part],
                                offsets ? ": two numbers are the least" : "");
    sequences -= offsets;
    if (qkv->sequences && qkv->sequences != sequences)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s is for %zu sequences, but the arrays before it are for %zu",
                                attest_qkv_part_name[part], sequences, qkv->sequences);
    qkv->sequences = sequences;
    if (part == ATTEST_QKV_BLOCK_TABLE)
        qkv->blocks = array->shape[1];
    *to = attest_memory_alloc(array->count, sizeof **to);
    if (!*to)
        return attest_memory_fail(error);
    for (size_t i = 0; i < array->count; i++) {
        size_t element = i;

        if (array->rank == 2)
            element = i / array->shape[1] * attest_array_step(array, 0) +
                      i % array->shape[1] * attest_array_step(array, 1);
        ATTEST_TRY(attest_error_prefix(error, get_integer(&(*to)[i], array, element, error),
                                       attest_qkv_part_name[part]));
    }
    return ATTEST_OK;
}

static attest_status read_integers(attest_qkv *qkv, attest_qkv_source *source, size_t part,
                                   const char *name, attest_error *error)
{
    const int64_t **const to[] = {&qkv->cu_seqlens_q, &qkv->cu_seqlens_k, &qkv->lengths,
                                  &qkv->block_table};
    size_t i = part - ATTEST_QKV_CU_SEQLENS_Q;
    attest_tensor_file *file = file_of(source, part);
    attest_array array;

    ATTEST_TRY(attest_tensor_file_get_integers(&array, file, name, error));
    ATTEST_TRY(attest_input_locate(
        &file->input, set_integers(&source->integer[i], qkv, &array, part, error), error));
    *to[i] = source->integer[i];
    return ATTEST_OK;
}

/* ---- layers ---- */

/* Removes what was read for the layer before. */
static void reset(attest_qkv *qkv, attest_qkv_source *source)
{
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        if (source->file[i].charged)
            attest_tensor_file_drop(&source->file[i]);
    free_integers(source);
    qkv->cu_seqlens_q = qkv->cu_seqlens_k = qkv->lengths = qkv->block_table = NULL;
    qkv->sequences = qkv->blocks = 0;
}

attest_status attest_qkv_source_read(attest_qkv *qkv, attest_qkv_source *source, size_t place,
                                     attest_error *error)
{
    attest_tensor *const tensor[ATTEST_QKV_CU_SEQLENS_Q] = {
        &qkv->q,         &qkv->k,         &qkv->v,         &qkv->mask,   &qkv->sink,
        &qkv->q_descale, &qkv->k_descale, &qkv->v_descale, &qkv->past_k, &qkv->past_v};

    for (size_t i = 0; source->formed && i < ATTEST_QKV_CU_SEQLENS_Q; i++)
        *tensor[i] = source->formed[place].tensor[i];
    if (source->formed)
        return ATTEST_OK;
    reset(qkv, source);
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++) {
        char *name ATTEST_FREED = NULL;

        if (i < ATTEST_QKV_CU_SEQLENS_Q)
            memset(tensor[i], 0, sizeof *tensor[i]);
        if (!source->names.name[i])
            continue;
        name = source->names.path
                   ? attest_qkv_format_name(source->names.name[i], source->layer[place])
                   : attest_memory_copy(source->names.name[i]);
        if (!name)
            return attest_memory_fail(error);
        ATTEST_TRY(i < ATTEST_QKV_CU_SEQLENS_Q ? read_part(tensor[i], source, i, name, error)
                                               : read_integers(qkv, source, i, name, error));
    }
    return ATTEST_OK;
}

/* Whether q, k and v fit each other, or would with heads and tokens exchanged. */
static bool fit(const attest_qkv *x, bool exchanged)
{
    size_t heads = exchanged ? 2 : 1, tokens = exchanged ? 1 : 2;
    const size_t *q = x->q.shape, *k = x->k.shape, *v = x->v.shape;

    return q[0] == k[0] && k[0] == v[0] && k[heads] == v[heads] && k[tokens] == v[tokens] &&
           q[heads] % k[heads] == 0 && q[3] == k[3];
}

const char *attest_qkv_suggest_layout(const attest_qkv_source *source, const attest_qkv *qkv)
{
    static const char *const name[2][2] = {{"shd", "bshd"}, {"hsd", "bhsd"}};

    if (source->rank < 3 || qkv->cu_seqlens_q || qkv->block_table || fit(qkv, false) ||
        !fit(qkv, true))
        return NULL;
    return name[source->tokens_first][source->rank == 4];
}
