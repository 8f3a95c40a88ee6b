/* file.c -- the tensors of a model, in one file or in several. */
#include "model/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "io/json_read.h"

static int by_name(const void *left, const void *right)
{
    const attest_model_name *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* A file in an index must be a regular file; the model itself may come from a pipe. */
static attest_status open_shard(attest_model_file *model, attest_model_shard *shard,
                                attest_error *error)
{
    if (shard->open)
        return ATTEST_OK;
    ATTEST_TRY((model->indexed ? attest_tensor_file_open_file : attest_tensor_file_open)(
        &shard->file, shard->path, model->budget, error));
    shard->open = true;
    return ATTEST_OK;
}

static attest_status make_shards(attest_model_file *model, size_t count, attest_error *error)
{
    model->shard = attest_memory_alloc(count, sizeof *model->shard);
    if (!model->shard)
        return attest_memory_fail(error);
    memset(model->shard, 0, count * sizeof *model->shard);
    model->shards = count;
    return ATTEST_OK;
}

/* The names of an archive have no final zeros: copies do. */
static bool copy_names(attest_model_file *model, const attest_tensor_file *file)
{
    size_t room = 1, length;
    char *to;

    for (size_t i = 0; attest_tensor_file_name(&length, file, i); i++)
        room += length + 1;
    model->own = to = attest_memory_alloc(room, 1);
    for (size_t i = 0; to && i < model->names; i++) {
        const char *name = attest_tensor_file_name(&length, file, i);
        memcpy(to, name, length);
        to[length] = 0;
        model->name[i].name = to;
        to += length + 1;
    }
    return model->own != NULL;
}

static attest_status open_file(attest_model_file *model, const char *path, attest_error *error)
{
    const attest_tensor_file *file;
    size_t length;

    ATTEST_TRY(make_shards(model, 1, error));
    model->shard->path = attest_memory_copy(path);
    if (!model->shard->path)
        return attest_memory_fail(error);
    ATTEST_TRY(open_shard(model, model->shard, error));
    file = &model->shard->file;
    if (file->is_npy)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "%.200s: an .npy file is one array without a name; a model is a "
            "safetensors file, an .npz archive or an index",
            path);
    while (attest_tensor_file_name(&length, file, model->names))
        model->names++;
    model->name = attest_memory_alloc(model->names + 1, sizeof *model->name);
    if (!model->name || !copy_names(model, file))
        return attest_memory_fail(error);
    for (size_t i = 0; i < model->names; i++)
        model->name[i].shard = 0;
    return ATTEST_OK;
}

/* Checks that the file is in the directory of the index. */
static bool is_plain(const char *file)
{
    return *file && *file != '.' && !strchr(file, '/');
}

/* The files that the index names, each once. */
static attest_status set_shards(attest_model_file *model, const char **file, const char *path,
                                attest_error *error)
{
    const char *slash = strrchr(path, '/');
    size_t count = 0;
    char *directory ATTEST_FREED = attest_memory_copy(slash ? path : ".");

    if (!directory)
        return attest_memory_fail(error);
    if (slash)
        directory[slash == path ? 1 : slash - path] = 0;
    qsort(file, model->names, sizeof *file, by_text);
    for (size_t i = 0; i < model->names; i++)
        if (count == 0 || strcmp(file[count - 1], file[i]) != 0)
            file[count++] = file[i];
    ATTEST_TRY(make_shards(model, count, error));
    for (size_t i = 0; i < count; i++) {
        model->shard[i].path = attest_directory_join(directory, file[i]);
        if (!model->shard[i].path)
            return attest_memory_fail(error);
    }
    return ATTEST_OK;
}

/* The index of the shard of a file. */
static size_t find_shard(const char *const *file, size_t count, const char *name)
{
    const char *const *found = bsearch(&name, file, count, sizeof *file, by_text);

    return (size_t)(found - file);
}

/* The files that the members of the map name, and the tensors in them. */
static void read_map(attest_model_file *model, const char **file, const char *path,
                     const attest_json_cursor *map)
{
    attest_json_cursor member;

    for (size_t i = 0; attest_json_get_member_at(&member, map, i); i++) {
        file[i] = attest_json_take_string(&member, NULL);
        model->name[i].name = member.key;
        if (!is_plain(file[i]))
            attest_json_refuse(&member, "\"%.60s\" is not a file in the directory of the index",
                               file[i]);
    }
    ATTEST_JSON_NOTE(map, set_shards(model, file, path, map->failure->error));
    for (size_t i = 0; attest_json_get_member_at(&member, map, i); i++)
        model->name[i].shard =
            find_shard(file, model->shards, attest_json_take_string(&member, NULL));
}

static attest_status open_index(attest_model_file *model, const char *path, attest_error *error)
{
    attest_json_cursor root, map, member;
    attest_json_failure failure;
    const char **file ATTEST_FREED = NULL;

    ATTEST_TRY(attest_json_document_read(&model->index, path, model->budget, error));
    map = root = attest_json_begin(&model->index, &failure, error);
    if (attest_json_get_member(&map, &root, "weight_map", NULL) != ATTEST_OK)
        attest_json_refuse(&root,
                           "\"weight_map\" is missing: this is not an index of model files; "
                           "safetensors or .npz serve as well");
    else if (!attest_json_is_object(&map))
        attest_json_refuse(&map, "an object is expected");
    while (attest_json_get_member_at(&member, &map, model->names))
        model->names++;
    if (model->names == 0)
        attest_json_refuse(&map, "there are no tensors");
    file = attest_memory_alloc(model->names, sizeof *file);
    model->name = attest_memory_alloc(model->names, sizeof *model->name);
    if (!file || !model->name)
        attest_json_note_memory(&root);
    if (!attest_json_failed(&root))
        read_map(model, file, path, &map);
    return attest_error_prefix(error, failure.status, path);
}

attest_status attest_model_file_locate(const char *path, attest_status status,
                                       attest_error *error)
{
    return error && strncmp(error->text, path, strlen(path)) == 0
               ? status
               : attest_error_prefix(error, status, path);
}

attest_status attest_model_file_open(attest_model_file *model, const char *path,
                                     attest_budget *budget, attest_error *error)
{
    size_t length = strlen(path);
    bool index = length > 5 && strcmp(path + length - 5, ".json") == 0;

    memset(model, 0, sizeof *model);
    model->budget = budget;
    model->indexed = index;
    ATTEST_TRY_OR(index ? open_index(model, path, error) : open_file(model, path, error),
                  attest_model_file_close(model));
    qsort(model->name, model->names, sizeof *model->name, by_name);
    return ATTEST_OK;
}

void attest_model_file_close(attest_model_file *model)
{
    for (size_t i = 0; i < model->shards; i++) {
        if (model->shard[i].open)
            attest_tensor_file_close(&model->shard[i].file);
        free(model->shard[i].path);
    }
    free(model->shard);
    free(model->name);
    free(model->own);
    attest_json_document_clear(&model->index);
    memset(model, 0, sizeof *model);
}

static const attest_model_name *find(const attest_model_file *model, const char *name)
{
    attest_model_name key = {.name = name};

    return model->names ? bsearch(&key, model->name, model->names, sizeof key, by_name) : NULL;
}

bool attest_model_file_has(const attest_model_file *model, const char *name)
{
    return find(model, name) != NULL;
}

static const char *name_at(const void *model, size_t i)
{
    return ((const attest_model_file *)model)->name[i].name;
}

attest_status attest_model_file_get(attest_array *array, attest_model_file *model,
                                    const char *name, attest_error *error)
{
    const attest_model_name *found = find(model, name);
    attest_model_shard *shard;

    if (!found)
        return attest_spelling_refuse(name, name_at, model, model->names, error);
    shard = &model->shard[found->shard];
    ATTEST_TRY(open_shard(model, shard, error));
    if (shard->file.is_npy || shard->file.is_zip)
        return attest_tensor_file_get(array, &shard->file, name, error);
    return attest_safetensors_get(array, &shard->file.tensors, name, error);
}

/* The name of a type in safetensors files. */
static const char *type_name(attest_array_type type)
{
    static const char *const name[] = {
        [ATTEST_ARRAY_F16] = "F16",         [ATTEST_ARRAY_BF16] = "BF16",
        [ATTEST_ARRAY_F32] = "F32",         [ATTEST_ARRAY_F64] = "F64",
        [ATTEST_ARRAY_I8] = "I8",           [ATTEST_ARRAY_I16] = "I16",
        [ATTEST_ARRAY_I32] = "I32",         [ATTEST_ARRAY_I64] = "I64",
        [ATTEST_ARRAY_U8] = "U8",           [ATTEST_ARRAY_U16] = "U16",
        [ATTEST_ARRAY_U32] = "U32",         [ATTEST_ARRAY_U64] = "U64",
        [ATTEST_ARRAY_F8_E4M3] = "F8_E4M3", [ATTEST_ARRAY_F8_E5M2] = "F8_E5M2",
        [ATTEST_ARRAY_BOOL] = "BOOL"};

    return name[type];
}

attest_status attest_model_file_describe(char dtype[ATTEST_SAFETENSORS_DTYPE_SIZE],
                                         size_t *shape, size_t *rank, attest_model_file *model,
                                         size_t i, attest_error *error)
{
    attest_model_shard *shard = &model->shard[model->name[i].shard];
    const char *name = model->name[i].name;
    const attest_safetensors_tensor *tensor;
    attest_array array;

    ATTEST_TRY(open_shard(model, shard, error));
    tensor = attest_safetensors_find(&shard->file.tensors, name);
    if (tensor) {
        *rank = tensor->rank < ATTEST_ARRAY_MAX_RANK ? tensor->rank : ATTEST_ARRAY_MAX_RANK;
        memcpy(dtype, tensor->dtype, ATTEST_SAFETENSORS_DTYPE_SIZE);
        memcpy(shape, tensor->shape, *rank * sizeof *shape);
        return ATTEST_OK;
    }
    ATTEST_TRY(attest_tensor_file_get(&array, &shard->file, name, error));
    snprintf(dtype, ATTEST_SAFETENSORS_DTYPE_SIZE, "%s", type_name(array.type));
    *rank = array.rank;
    memcpy(shape, array.shape, array.rank * sizeof *shape);
    attest_tensor_file_drop(&shard->file);
    return ATTEST_OK;
}
