/* qkv_read.c -- queries, keys and values from files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/scope.h"
#include "model/qkv.h"
#include "model/qkv_layers.h"

const char *const attest_qkv_part_name[ATTEST_QKV_PARTS] = {
    "q", "k", "v", "mask", "sink", "q_descale", "k_descale", "v_descale"};

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
    size_t *layer, count, i = 0;
    attest_status status = attest_qkv_find_layers(&layer, &count, source->file, pattern, error);

    if (status == ATTEST_OK) {
        while (i < count && i < source->layers && layer[i] == source->layer[i])
            i++;
        if (i < source->layers && (i == count || layer[i] > source->layer[i]))
            status = attest_error_set(error, ATTEST_FORMAT,
                                      "layer %zu has a q, but there is no tensor '%.80s' for "
                                      "its %s",
                                      source->layer[i], pattern, attest_qkv_part_name[part]);
        else if (i < count)
            status = attest_error_set(error, ATTEST_FORMAT,
                                      "layer %zu has a %s ('%.80s'), but no q ('%.80s')",
                                      layer[i], attest_qkv_part_name[part], pattern,
                                      source->names.name[ATTEST_QKV_Q]);
        free(layer);
    }
    return status;
}

static attest_status find_layers(attest_qkv_source *source, attest_error *error)
{
    const char *const *name = source->names.name;

    source->layered = source->names.path && attest_qkv_is_pattern(name[ATTEST_QKV_Q]);
    for (size_t i = 0; !source->layered && source->names.path && i < ATTEST_QKV_PARTS; i++)
        if (name[i] && attest_qkv_is_pattern(name[i]))
            return attest_error_set(error, ATTEST_USAGE,
                                    "'%.80s' stands for many layers, but q is one tensor, "
                                    "'%.80s'",
                                    name[i], name[ATTEST_QKV_Q]);
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
    attest_status status;

    memset(source, 0, sizeof *source);
    source->names = *names;
    status = open_files(source, budget, error);
    if (status == ATTEST_OK)
        status = attest_input_locate(&source->file[0].input, find_layers(source, error), error);
    if (status != ATTEST_OK)
        attest_qkv_source_close(source);
    return status;
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

/* The shape of a part, as far as it can be told from its rank. */
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

/* A vector of heads, or of batch entries and heads, stands along the first two axes of four. */
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
    attest_tensor_file *file = file_of(source, part);
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
    attest_status status = ATTEST_OK;

    for (size_t i = 0; source->formed && i < ATTEST_QKV_PARTS; i++)
        *tensor[i] = source->formed[place].tensor[i];
    if (source->formed)
        return ATTEST_OK;
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        if (source->file[i].charged)
            attest_tensor_file_drop(&source->file[i]);
    for (size_t i = 0; i < ATTEST_QKV_PARTS && status == ATTEST_OK; i++) {
        char *name = NULL;

        memset(tensor[i], 0, sizeof *tensor[i]);
        if (!source->names.name[i])
            continue;
        name = source->names.path
                   ? attest_qkv_format_name(source->names.name[i], source->layer[place])
                   : attest_memory_copy(source->names.name[i]);
        status =
            name ? read_part(tensor[i], source, i, name, error) : attest_memory_fail(error);
        free(name);
    }
    return status;
}
