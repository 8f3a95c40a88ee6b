/* import.c -- the attention heads of a real model as weights. */
#include "io/import_parts.h"

#include <stdint.h>

#include "base/memory.h"
#include "base/input.h"

bool attest_import_has_bias(const attest_import *request)
{
    return request->bias_q || request->bias_k || request->bias_v || request->bias_o ||
           request->bias_qkv;
}

static attest_status set_heads(attest_weights *weights, const attest_import_layer *layer,
                               const attest_import *request, attest_budget *budget,
                               attest_error *error)
{
    attest_status status;

    /* The shapes fit, so there are no more heads than rows in a tensor. */
    status = attest_budget_charge(budget, request->count * sizeof(attest_head), error);
    if (status != ATTEST_OK)
        return status;
    if (attest_weights_resize(weights, request->count) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->dim = layer->dim + layer->has_bias;
    for (size_t i = 0; i < request->count && status == ATTEST_OK; i++)
        status =
            attest_import_set_head(&weights->head[i], layer, request->first + i,
                                   request->bias_o && i == 0, request->scale, budget, error);
    return status;
}

static attest_status import(attest_weights *weights, const attest_input *input,
                            const attest_import *request, attest_budget *budget,
                            attest_error *error)
{
    attest_safetensors file;
    attest_import_layer layer;
    attest_status status = attest_safetensors_parse(&file, input->data, input->size, error);

    if (status != ATTEST_OK)
        return status;
    status = attest_import_find(&layer, &file, request, error);
    if (status == ATTEST_OK)
        status = set_heads(weights, &layer, request, budget, error);
    attest_safetensors_clear(&file);
    return status;
}

attest_status attest_import_read(attest_weights *weights, const char *path,
                                 const attest_import *request, attest_budget *budget,
                                 attest_error *error)
{
    attest_input input;
    size_t left = attest_budget_left(budget);
    attest_status status = attest_input_open(&input, path, left, error);

    attest_weights_clear(weights);
    if (status != ATTEST_OK)
        return status;
    status = attest_input_end(&input, import(weights, &input, request, budget, error), error);
    if (status == ATTEST_OK)
        return ATTEST_OK;
    attest_weights_clear(weights);
    if (budget)
        budget->left = left;
    return status;
}
