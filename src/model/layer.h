/* layer.h -- the queries, keys and values of one layer of a model: model_qkv.h. */
#ifndef ATTEST_MODEL_LAYER_H
#define ATTEST_MODEL_LAYER_H

#include "model/import_parts.h"
#include "model/model_qkv.h"

/* The tensors of a layer. */
typedef struct attest_model_layer {
    attest_import request;
    attest_import_layer import;
    attest_array norm[2]; /* of queries and of keys; data NULL: none */
    attest_rotary_doubles rotary;
    double eps;
} attest_model_layer;

/* Finds them. Status: USAGE, FORMAT, IO, UNABLE, NOMEM. */
attest_status attest_model_layer_find(attest_model_layer *layer, attest_model_stream *stream,
                                      attest_model_file *model, size_t number,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* formed = the queries, keys and values for the stream in the file, and the terms added to
 * scores. Status: as above. On failure there is nothing to free. */
attest_status attest_model_layer_form(attest_qkv_formed *formed,
                                      const attest_model_layer *layer,
                                      const attest_model_stream *stream,
                                      attest_tensor_file *file, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
