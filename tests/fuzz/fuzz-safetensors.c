/* Any bytes as a safetensors file: refused, or tensors that lie in the file, each of which is
 * then read as a dataset; and an attention layer, if there is one by the usual names. */
#include <stdlib.h>
#include <string.h>

#include "io/dataset.h"
#include "model/import_parts.h"
#include "tests/fuzz/fuzz.h"

static void read_tensor(const uint8_t *data, size_t size, const char *name)
{
    attest_budget budget = {(size_t)1 << 24};
    attest_dataset dataset;
    attest_error error;

    attest_dataset_init(&dataset);
    if (attest_dataset_set_safetensors(&dataset, data, size, name, &budget, &error) !=
            ATTEST_OK &&
        (budget.left != (size_t)1 << 24 || error.text[0] == '\0'))
        abort();
    attest_dataset_clear(&dataset);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const attest_model_name *)left)->name,
                  ((const attest_model_name *)right)->name);
}

/* The bytes as a model, as attest_model_file_open makes it of a file. */
static void make_model(attest_model_file *model, attest_model_shard *shard, const uint8_t *data,
                       size_t size, const attest_safetensors *file, attest_budget *budget)
{
    static char path[] = "bytes";

    *shard = (attest_model_shard){.path = path,
                                  .open = true,
                                  .file = {.input = {.path = path, .data = data, .size = size},
                                           .budget = budget,
                                           .tensors = *file}};
    *model = (attest_model_file){
        .budget = budget, .names = file->count, .shard = shard, .shards = 1};
    model->name = malloc((file->count + 1) * sizeof *model->name);
    if (!model->name)
        abort();
    for (size_t i = 0; i < file->count; i++)
        model->name[i] = (attest_model_name){file->tensor[i].name, 0};
    qsort(model->name, model->names, sizeof *model->name, by_name);
}

/* Imports head h of 2, with what the bits of options choose. */
static void import_head(attest_model_file *file, size_t h, unsigned options)
{
    attest_import request = {.o = "o",
                             .heads = 2,
                             .first = h,
                             .count = 1,
                             .transpose = options & 1,
                             .bias_o = options & 2 ? "bo" : NULL};
    attest_budget budget = {(size_t)1 << 24};
    attest_import_layer layer;
    attest_weights weights;
    attest_error error;

    if (options & 4) {
        request.qkv = "qkv";
        request.interleaved = options & 8;
        request.bias_qkv = options & 16 ? "bqkv" : NULL;
    } else {
        request.q = "q";
        request.k = "k";
        request.v = "v";
        request.bias_q = options & 16 ? "bq" : NULL;
    }
    if (attest_import_find(&layer, file, &request, &error) != ATTEST_OK)
        return;
    attest_weights_init(&weights);
    if (attest_weights_resize(&weights, 1) != ATTEST_OK)
        abort();
    weights.dim = layer.dim + layer.has_bias;
    if (attest_import_set_head(weights.head, &layer, h, request.bias_o != NULL, NULL, &budget,
                               &error) == ATTEST_OK &&
        attest_weights_check_shapes(&weights, NULL) != ATTEST_OK)
        abort();
    attest_weights_clear(&weights);
}

FUZZ_TARGET(safetensors)
{
    attest_budget budget = {(size_t)1 << 24};
    attest_model_shard shard;
    attest_model_file model;
    attest_safetensors file;

    read_tensor(data, size, NULL);
    if (attest_safetensors_parse(&file, data, size, NULL, NULL) != ATTEST_OK)
        return 0;
    for (size_t i = 0; i < file.count; i++) {
        if (file.tensor[i].end > (size_t)(data + size - file.data))
            abort();
        if (i < 4)
            read_tensor(data, size, file.tensor[i].name);
    }
    make_model(&model, &shard, data, size, &file, &budget);
    for (unsigned options = 0; options < 32; options++)
        import_head(&model, options % 2, options);
    attest_tensor_file_drop(&shard.file);
    free(model.name);
    attest_safetensors_clear(&file);
    return 0;
}
