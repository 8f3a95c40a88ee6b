/* qkv_save.c -- how places and numbers of q, k, v and outputs are shown, and tensors written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "cli/qkv.h"
#include "judge/model_field.h"
#include "model/qkv_layers.h"

static void write_input(attest_json *json, const char *role, attest_tensor_file *file)
{
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "role", role);
    attest_json_write_string(json, "path", attest_input_name(file->input.path));
    attest_json_write_string(json, "sha256", attest_input_sha256(&file->input));
    attest_json_write_close(json);
}

/* The names of the tensors in a layer. */
static void write_layer(attest_json *json, const attest_qkv_source *source, size_t i)
{
    attest_json_write_object(json, NULL);
    attest_json_write_count(json, "layer", source->layer[i]);
    for (size_t k = 0; k < ATTEST_QKV_PARTS; k++) {
        const char *pattern = source->names.name[k];
        char *name = pattern ? attest_qkv_format_name(pattern, source->layer[i]) : NULL;

        if (pattern && source->names.path)
            attest_json_write_string(json, attest_qkv_part_name[k], name);
        json->failed = json->failed || (pattern && !name);
        free(name);
    }
    attest_json_write_close(json);
}

void attest_cli_qkv_write_subject(attest_json *json, attest_cli_qkv *x,
                                  attest_qkv_output *first, attest_qkv_output *second)
{
    attest_json_write_string(json, "kernel", x->model->name);
    attest_json_write_count(json, "schedules", x->model->schedules);
    attest_judge_model_write_json(json, "model", x->model);
    attest_json_write_array(json, "layers");
    for (size_t i = 0; i < x->source.layers; i++)
        write_layer(json, &x->source, i);
    attest_json_write_close(json);
    attest_json_write_array(json, "inputs");
    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        if (x->source.file[i].charged)
            write_input(json, x->source.names.path ? "qkv" : attest_qkv_part_name[i],
                        &x->source.file[i]);
    if (first)
        write_input(json, "output", first->file);
    if (second)
        write_input(json, "against", second->file);
    attest_json_write_close(json);
}

static void split(size_t at[4], const size_t shape[4], size_t element)
{
    for (size_t i = 4; i-- > 0; element /= shape[i])
        at[i] = element % shape[i];
}

void attest_cli_qkv_format_place(char text[ATTEST_CLI_PLACE_SIZE], const attest_cli_qkv *x,
                                 size_t layer, const size_t shape[4], size_t element)
{
    size_t at[4], used = 0, size = ATTEST_CLI_PLACE_SIZE;

    split(at, shape, element);
    if (x->source.layered)
        used += (size_t)snprintf(text + used, size - used, "layer %zu, ", layer);
    if (shape[0] > 1)
        used += (size_t)snprintf(text + used, size - used, "batch %zu, ", at[0]);
    snprintf(text + used, size - used, "head %zu, row %zu, column %zu", at[1], at[2], at[3]);
}

static char *format_name(const attest_cli_qkv *x, const char *name)
{
    char *text = attest_memory_alloc(strlen(name) + 32, 1);

    if (text && x->source.layered)
        sprintf(text, "layers.%zu.%s", x->layer, name);
    else if (text)
        strcpy(text, name);
    return text;
}

int attest_cli_tensors_add(attest_cli_tensors *tensors, attest_cli_qkv *x, const char *name,
                           attest_tensor_type type, const double *value)
{
    attest_safetensors_item item = {.type = type, .rank = x->source.rank};
    int code = EXIT_HOLDS;
    attest_error error;

    item.value = attest_cli_qkv_alloc(&code, x, 1);
    if (code != EXIT_HOLDS)
        return code;
    item.name = format_name(x, name);
    if (!item.name || !attest_memory_grow(&tensors->item, &tensors->room, tensors->count + 1,
                                          sizeof *tensors->item)) {
        free(item.name);
        free(item.value);
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    memcpy(item.shape, x->shape + (4 - item.rank), item.rank * sizeof *item.shape);
    memcpy(item.value, value, x->elements * sizeof *value);
    tensors->item[tensors->count++] = item;
    return EXIT_HOLDS;
}

int attest_cli_tensors_write(const attest_cli_tensors *tensors, const char *path)
{
    attest_error error;

    return attest_safetensors_write(path, tensors->item, tensors->count, &error)
               ? attest_cli_fail(&error)
               : EXIT_HOLDS;
}

void attest_cli_tensors_clear(attest_cli_tensors *tensors)
{
    for (size_t i = 0; i < tensors->count; i++) {
        free(tensors->item[i].name);
        free(tensors->item[i].value);
    }
    free(tensors->item);
}
