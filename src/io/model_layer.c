/* model_layer.c -- where a layer of a model keeps what its attention is given. */
#include "io/model_layer.h"

#include <string.h>

#include "base/try.h"
#include "io/import_arch.h"

/* A norm of queries or keys: one factor for each entry of a head, or for those of all heads. */
static attest_status find_norm(attest_array *array, attest_model_file *model, const char *name,
                               size_t size, size_t groups, attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    if (!name)
        return ATTEST_OK;
    ATTEST_TRY(attest_model_file_get(array, model, name, error));
    attest_array_format_shape(shape, array);
    if (array->rank == 1 && (array->count == size || array->count == groups * size))
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_FORMAT,
        "tensor '%.80s' has shape %s, but a norm of heads of %zu entries has "
        "shape (%zu,), or (%zu,) for all of them",
        name, shape, size, size, groups * size);
}

static attest_status set_rotary(attest_model_layer *layer, const attest_model_stream *stream,
                                attest_error *error)
{
    const attest_model_config *config = &stream->known;
    double part = config->rope_part > 0 ? config->rope_part : layer->request.known.rotary;

    layer->rotary = config->scaling;
    if (layer->request.known.rotary == 0)
        return ATTEST_OK;
    if (part > 1)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the config turns %g of a head, which is more than all of it",
                                part);
    layer->rotary.dims = (size_t)(part * (double)layer->import.size);
    layer->rotary.theta = config->rope_theta > 0 ? config->rope_theta : 10000;
    if (layer->rotary.dims == 0 || layer->rotary.dims % 2 != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "positions turn pairs of entries, but %zu of the %zu of a head "
                                "are no pairs",
                                layer->rotary.dims, layer->import.size);
    return ATTEST_OK;
}

/* A head size that the config states and the tensors do not have would be another number of
 * heads.
 */
static attest_status check_size(const attest_model_layer *layer,
                                const attest_model_stream *stream, attest_error *error)
{
    size_t size = stream->known.head_dim;

    if (stream->heads > 0 || size == 0 || size == layer->import.size)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "the config says %zu heads of %zu, but in '%.80s' heads have size "
                            "%zu",
                            layer->import.heads, size, layer->import.part[0].name,
                            layer->import.size);
}

attest_status attest_model_layer_find(attest_model_layer *layer, attest_model_stream *stream,
                                      attest_model_file *model, size_t number,
                                      attest_error *error)
{
    attest_import *request = &layer->request;
    attest_import_known *known = &request->known;
    const attest_import_part *part = layer->import.part;

    request->arch = stream->arch;
    request->layer = number;
    request->heads = request->count = stream->heads ? stream->heads : stream->known.heads;
    if (request->heads == 0)
        return attest_error_set(
            error, ATTEST_USAGE,
            "how many heads a layer has is not in the tensors: their number is "
            "needed, or the model's config.json");
    request->norm = attest_import_arch_norm(stream->arch); /* the stream comes before it */
    ATTEST_TRY(attest_import_arch_set(request, model, error));
    ATTEST_TRY(attest_import_find(&layer->import, model, request, error));
    ATTEST_TRY(check_size(layer, stream, error));
    ATTEST_TRY(find_norm(&layer->norm[0], model, known->q_norm, layer->import.size,
                         layer->import.heads, error));
    ATTEST_TRY(find_norm(&layer->norm[1], model, known->k_norm, layer->import.size,
                         part[ATTEST_IMPORT_K].groups, error));
    layer->eps = stream->known.norm_eps > 0 ? stream->known.norm_eps : known->eps;
    ATTEST_TRY(set_rotary(layer, stream, error));
    stream->rotary = layer->rotary.dims;
    stream->alibi = known->alibi;
    stream->key_norm = known->k_norm != NULL;
    return ATTEST_OK;
}
