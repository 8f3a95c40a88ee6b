/* audit_model.c -- attest audit --arch --model --activations: whole models from their weights.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/audit.h"
#include "model/qkv_layers.h"
#include "io/safetensors_write.h"

bool attest_cli_audit_has_model(const audit_request *request)
{
    const attest_model_stream *stream = &request->stream;

    return stream->arch || stream->model || stream->path || stream->config || stream->name ||
           request->heads || request->save_qkv;
}

int attest_cli_audit_check_model(audit_request *request)
{
    const attest_cli_qkv *q = &request->qkv;
    attest_model_stream *stream = &request->stream;

    if (request->recorded || !stream->arch || !stream->model || !stream->path)
        return attest_cli_refuse(
            "--arch, --model and --activations belong together, with --stream, --heads and "
            "--config, and exclude --qkv (see 'attest audit --help')");
    for (int i = 0; i < ATTEST_QKV_PARTS; i++)
        if (q->name[i])
            return attest_cli_refuse("--q, --k, --v, --mask and --sink are for --qkv FILE: the "
                                     "architecture knows where a model keeps them");
    if (strcmp(stream->model, "-") == 0)
        return attest_cli_refuse("--model: a file is needed, not standard input");
    if (request->save_qkv && strcmp(request->save_qkv, "-") == 0)
        return attest_cli_refuse("--save-qkv: a file is needed, not standard output");
    request->recorded = stream->path;
    stream->heads = request->heads;
    if (!stream->name)
        stream->name = "layers.{}.x";
    stream->layer = request->layer == ULONG_MAX ? 0 : request->layer;
    stream->one = request->layer != ULONG_MAX;
    return request->save_qkv ? attest_cli_check_output(request->save_qkv) : EXIT_HOLDS;
}

/* What a layer's attention is given, under its names. */
static size_t list_layer(attest_safetensors_item *item, const attest_qkv_source *source,
                         size_t place, bool *named)
{
    static const char *const pattern[] = {"layers.{}.q", "layers.{}.k", "layers.{}.v",
                                          "layers.{}.mask"};
    const attest_tensor *tensor = source->formed[place].tensor;
    size_t count = 0;

    for (size_t i = 0; i <= ATTEST_QKV_MASK; i++)
        if (tensor[i].data) {
            item[count] = (attest_safetensors_item){
                .name = attest_qkv_format_name(pattern[i], source->layer[place]),
                .type = ATTEST_TENSOR_F64,
                .rank = 4,
                .value = (double *)tensor[i].data};
            memcpy(item[count].shape, tensor[i].shape, sizeof tensor[i].shape);
            *named = *named && item[count].name;
            count++;
        }
    return count;
}

attest_status attest_cli_audit_save_qkv(const char *path, const attest_qkv_source *source,
                                        attest_error *error)
{
    attest_safetensors_item *item =
        attest_memory_alloc(source->layers * ATTEST_QKV_PARTS, sizeof *item);
    size_t count = 0;
    bool named = true;
    attest_status status;

    if (!item)
        return attest_memory_fail(error);
    for (size_t i = 0; i < source->layers; i++)
        count += list_layer(item + count, source, i, &named);
    status =
        named ? attest_safetensors_write(path, item, count, error) : attest_memory_fail(error);
    for (size_t i = 0; i < count; i++)
        free(item[i].name);
    free(item);
    return status;
}
