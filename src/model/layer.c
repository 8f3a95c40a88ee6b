/* layer.c -- where a layer of a model keeps what its attention is given. */
#include "model/layer.h"

#include <string.h>

#include "base/scope.h"
#include "model/import_arch.h"

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
    ATTEST_TRY(attest_model_config_check(&stream->known, stream->arch, layer->import.heads,
                                         part[ATTEST_IMPORT_K].groups, layer->import.size,
                                         error));
    ATTEST_TRY(attest_import_find_gain(&layer->norm[0], model, known->q_norm,
                                       layer->import.size, layer->import.heads, error));
    ATTEST_TRY(attest_import_find_gain(&layer->norm[1], model, known->k_norm,
                                       layer->import.size, part[ATTEST_IMPORT_K].groups,
                                       error));
    layer->eps = stream->known.norm_eps > 0 ? stream->known.norm_eps : known->eps;
    ATTEST_TRY(attest_model_config_rotary(&layer->rotary, &stream->known, known->rotary,
                                          layer->import.size, error));
    stream->rotary = layer->rotary.dims;
    stream->alibi = known->alibi;
    stream->key_norm = known->k_norm != NULL;
    return ATTEST_OK;
}
