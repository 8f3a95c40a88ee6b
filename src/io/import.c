/* import.c -- the attention heads of a real model as weights. */
#include "io/import_parts.h"

#include <stdint.h>
#include <string.h>

#include <attest/flint.h>

#include "base/memory.h"
#include "base/try.h"
#include "io/import_arch.h"

bool attest_import_has_bias(const attest_import *request)
{
    return request->bias_q || request->bias_k || request->bias_v || request->bias_o ||
           request->bias_qkv || (request->norm != ATTEST_NORM_NONE && request->norm_bias);
}

/* scale = 1/sqrt(s), if s is a square, else the binary32 number nearest to it, which is what
 * programs multiply by. */
static void set_rsqrt(fmpq_t scale, size_t s)
{
    mpfr_t size, root;
    arf_t exact;

    mpfr_init2(size, 64);
    mpfr_init2(root, 24);
    arf_init(exact);
    mpfr_set_ui(size, s, MPFR_RNDN);
    if (mpfr_rec_sqrt(root, size, MPFR_RNDN) == 0 || mpfr_sqrt(size, size, MPFR_RNDN) != 0) {
        arf_set_mpfr(exact, root);
        arf_get_fmpq(scale, exact);
    } else { /* the root is an integer */
        fmpq_set_ui(scale, 1, mpfr_get_ui(size, MPFR_RNDN));
    }
    arf_clear(exact);
    mpfr_clear(size);
    mpfr_clear(root);
}

static attest_status set_heads(attest_weights *weights, const attest_import_layer *layer,
                               const attest_import *request, attest_budget *budget,
                               attest_error *error)
{
    attest_status status;
    fmpq_t rsqrt;

    /* The shapes fit, so there are no more heads than rows in a tensor. */
    status = attest_budget_charge(budget, request->count * sizeof(attest_head), error);
    if (status != ATTEST_OK)
        return status;
    if (attest_weights_resize(weights, request->count) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->dim = layer->dim + layer->has_bias;
    weights->homogeneous = layer->has_bias;
    weights->norm = request->norm;
    if (request->norm_eps)
        fmpq_set(weights->norm_eps, request->norm_eps);
    fmpq_init(rsqrt);
    set_rsqrt(rsqrt, layer->size);
    for (size_t i = 0; i < request->count && status == ATTEST_OK; i++)
        status = attest_import_set_head(&weights->head[i], layer, request->first + i,
                                        request->bias_o && i == 0,
                                        request->rsqrt ? rsqrt : request->scale, budget, error);
    fmpq_clear(rsqrt);
    return status;
}

static attest_status import(attest_weights *weights, attest_model_file *file,
                            attest_import *request, attest_budget *budget, attest_error *error)
{
    attest_import_layer layer;

    if (request->arch)
        ATTEST_TRY(attest_import_arch_set(request, file, error));
    ATTEST_TRY(attest_import_find(&layer, file, request, error));
    return set_heads(weights, &layer, request, budget, error);
}

attest_status attest_import_read(attest_weights *weights, const char *path,
                                 attest_import *request, attest_budget *budget,
                                 attest_error *error)
{
    attest_model_file file;
    size_t left = attest_budget_left(budget);
    attest_status status;

    attest_weights_clear(weights);
    ATTEST_TRY(attest_model_file_open(&file, path, budget, error));
    status = import(weights, &file, request, budget, error);
    attest_model_file_close(&file);
    if (status == ATTEST_OK)
        return ATTEST_OK;
    attest_weights_clear(weights);
    if (budget)
        budget->left = left;
    /* The file of a tensor may have said where already. */
    return error && strncmp(error->text, path, strlen(path)) == 0
               ? status
               : attest_error_prefix(error, status, path);
}
