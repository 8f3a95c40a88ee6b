/* model_qkv.c -- queries, keys and values of a model's layers, from its weights and its stream.
 */
#include "model/model_qkv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "model/import_parts.h"
#include "model/layer.h"
#include "model/qkv.h"

/* Sets the numbers of the layers to compute. */
static attest_status find_layers(attest_qkv_source *source, const attest_model_stream *stream,
                                 attest_model_file *model, attest_error *error)
{
    attest_input *input = &source->file[0].input;
    size_t kept = 0;

    source->layered = attest_qkv_is_pattern(stream->name);
    if (source->layered) {
        attest_status status = attest_qkv_find_layers(&source->layer, &source->layers,
                                                      source->file, stream->name, error);

        if (status != ATTEST_OK)
            return attest_input_locate(input, status, error);
    } else {
        source->layer = attest_memory_alloc(1, sizeof *source->layer);
        if (!source->layer)
            return attest_memory_fail(error);
        source->layer[source->layers++] = stream->layer;
    }
    /* A recording may end with the output of the last layer. */
    for (size_t i = 0; i < source->layers; i++)
        if ((!stream->one || source->layer[i] == stream->layer) &&
            (i == 0 || i + 1 < source->layers ||
             attest_import_arch_has(stream->arch, source->layer[i], model)))
            source->layer[kept++] = source->layer[i];
    if (kept == 0 && source->layers > 0)
        attest_error_set(error, ATTEST_USAGE, "there is no '%.80s' of layer %zu", stream->name,
                         stream->layer);
    else if (kept == 0)
        attest_error_set(
            error, ATTEST_USAGE,
            "no tensor has a name like '%.80s', that of the streams that enter the "
            "layers",
            stream->name);
    source->layers = kept;
    return kept > 0 ? ATTEST_OK : attest_input_locate(input, ATTEST_USAGE, error);
}

/* Sets the scale of the config, if it differs from that of the head's size, to the binary32
 * number by which programs multiply. */
static void set_scale(attest_qkv *qkv, attest_model_stream *stream, size_t size)
{
    mpfr_t root;

    if (qkv->scale || stream->known.scalar == 0 || stream->known.scalar == size)
        return;
    mpfr_init2(root, 24);
    mpfr_set_ui(root, stream->known.scalar, MPFR_RNDN);
    mpfr_rec_sqrt(root, root, MPFR_RNDN);
    snprintf(stream->scale, sizeof stream->scale, "%a", mpfr_get_d(root, MPFR_RNDN));
    mpfr_clear(root);
    qkv->scale = stream->scale;
}

/* Rejects a sliding window that is shorter than the rows: not all layers of all models have
 * it. */
static attest_status check_window(const attest_qkv *qkv, const attest_model_stream *stream,
                                  size_t tokens, attest_error *error)
{
    if (qkv->windowed || stream->known.window == 0 || tokens <= stream->known.window)
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_USAGE,
        "the config has a sliding window of %zu, and these are %zu tokens: give "
        "the window %zu,0 for layers that have it, -1,0 for others",
        stream->known.window, tokens, stream->known.window - 1);
}

static attest_status form(attest_qkv_source *source, attest_qkv *qkv,
                          attest_model_stream *stream, attest_model_file *model,
                          attest_budget *budget, attest_error *error)
{
    ATTEST_TRY(find_layers(source, stream, model, error));
    source->formed = attest_memory_alloc(source->layers, sizeof *source->formed);
    if (!source->formed)
        return attest_memory_fail(error);
    for (size_t i = 0; i < source->layers; i++) {
        attest_model_layer layer = {0};

        ATTEST_TRY(attest_model_layer_find(&layer, stream, model, source->layer[i], error));
        ATTEST_TRY(attest_model_layer_form(&source->formed[i], &layer, stream, source->file,
                                           budget, error));
        if (i == 0) {
            set_scale(qkv, stream, layer.import.size);
            ATTEST_TRY(check_window(qkv, stream, source->formed[0].tensor[0].shape[2], error));
            if (layer.request.known.causal && qkv->causal == ATTEST_CAUSAL_NONE)
                qkv->causal = ATTEST_CAUSAL_BOTTOM_RIGHT;
        }
    }
    if (!qkv->softcap && stream->known.softcap[0])
        qkv->softcap = stream->known.softcap;
    source->rank = 4;
    return ATTEST_OK;
}

/* Puts the path before the error, unless it begins with it. */
static attest_status locate(const char *path, attest_status status, attest_error *error)
{
    if (status == ATTEST_OK || (error && strncmp(error->text, path, strlen(path)) == 0))
        return status;
    return attest_error_prefix(error, status, path);
}

attest_status attest_model_qkv_open(attest_qkv_source *source, attest_qkv *qkv,
                                    attest_model_stream *stream, attest_budget *budget,
                                    attest_error *error)
{
    attest_model_file model;
    attest_status status;
    bool found;

    memset(source, 0, sizeof *source);
    ATTEST_TRY(attest_model_config_find(&stream->known, &found, stream->config, stream->model,
                                        budget, error));
    ATTEST_TRY(attest_model_file_open(&model, stream->model, budget, error));
    if (model.shards == 1 && model.shard[0].open)
        memcpy(stream->sha256, attest_input_sha256(&model.shard[0].file.input), 65);
    source->names.path = stream->path;
    status = attest_tensor_file_open(&source->file[0], stream->path, budget, error);
    if (status == ATTEST_OK) {
        status = form(source, qkv, stream, &model, budget, error);
        /* Errors of the stream begin with its file; all others are about the model. */
        if (status != ATTEST_OK &&
            strncmp(error->text, stream->path, strlen(stream->path)) != 0)
            status = locate(stream->model, status, error);
    }
    attest_model_file_close(&model);
    if (status != ATTEST_OK)
        attest_qkv_source_close(source);
    return status;
}
