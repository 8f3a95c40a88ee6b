/* import.c -- the attention heads of a real model as weights. */
#include "model/import_parts.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <attest/flint.h>

#include "base/memory.h"
#include "base/scope.h"
#include "model/import_arch.h"

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

/* Room for the heads, and what they share. */
static attest_status begin(attest_weights *weights, const attest_import_layer *layer,
                           const attest_import *request, const attest_model_config *config,
                           attest_budget *budget, attest_error *error)
{
    /* The shapes fit, so there are no more heads than rows in a tensor. */
    ATTEST_TRY(attest_budget_charge(budget, request->count * sizeof(attest_head), error));
    if (attest_weights_resize(weights, request->count) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->dim = layer->dim + layer->has_bias;
    weights->homogeneous = layer->has_bias;
    weights->norm = request->norm;
    if (request->norm_eps && request->norm != ATTEST_NORM_NONE)
        fmpq_set(weights->norm_eps, request->norm_eps);
    else if (request->norm != ATTEST_NORM_NONE)
        attest_import_set_decimal(weights->norm_eps, config->norm_eps > 0 ? config->norm_eps
                                                     : request->known.eps > 0
                                                         ? request->known.eps
                                                         : 1e-5);
    return ATTEST_OK;
}

/* scale = what scores are multiplied by. */
static void set_scale(fmpq_t scale, const attest_import *request, size_t size)
{
    fmpq_one(scale);
    if (request->rsqrt)
        set_rsqrt(scale, size);
    else if (request->scale)
        fmpq_set(scale, request->scale);
}

/* Head i of the weights = head h of the layer. */
static attest_status set_head(attest_weights *weights, size_t i,
                              const attest_import_layer *layer, size_t h,
                              const attest_import *request, const fmpq *scale,
                              attest_budget *budget, attest_error *error)
{
    return attest_import_set_head(&weights->head[i], layer, h, request->bias_o && i == 0, scale,
                                  budget, error);
}

/* The names of one head's tensors, where {} stands for its number. */
typedef struct head_names {
    char text[9][ATTEST_IMPORT_NAME_SIZE];
} head_names;

static bool has_hole(const char *name)
{
    return name && strstr(name, "{}");
}

/* one = the request for the tensors of head h alone. */
static attest_status name_head(attest_import *one, head_names *names,
                               const attest_import *request, size_t h, attest_error *error)
{
    const char **const name[9] = {&one->q,      &one->k,      &one->v,
                                  &one->qkv,    &one->o,      &one->bias_q,
                                  &one->bias_k, &one->bias_v, &one->bias_qkv};

    *one = *request;
    one->heads = one->count = 1;
    one->first = 0;
    if (!has_hole(request->o)) {
        one->o_heads = request->heads;
        one->o_head = h;
    }
    for (int i = 0; i < 9; i++) {
        const char *hole = *name[i] ? strstr(*name[i], "{}") : NULL;

        if (!hole)
            continue;
        if (snprintf(names->text[i], sizeof names->text[i], "%.*s%zu%s", (int)(hole - *name[i]),
                     *name[i], h, hole + 2) >= (int)sizeof names->text[i])
            return attest_error_set(error, ATTEST_USAGE, "'%.80s' is too long a name",
                                    *name[i]);
        *name[i] = names->text[i];
    }
    return ATTEST_OK;
}

/* Heads with tensors of their own. */
static attest_status import_each(attest_weights *weights, attest_model_file *file,
                                 const attest_import *request, attest_budget *budget,
                                 attest_error *error)
{
    for (size_t i = 0; i < request->count; i++) {
        const attest_model_config none = {0};
        attest_import_layer layer;
        attest_import one;
        head_names names;
        attest_status status;
        fmpq_t scale;

        ATTEST_TRY(name_head(&one, &names, request, request->first + i, error));
        ATTEST_TRY(attest_import_find(&layer, file, &one, error));
        if (i == 0)
            ATTEST_TRY(begin(weights, &layer, request, &none, budget, error));
        if (layer.dim + layer.has_bias != weights->dim)
            return attest_error_set(
                error, ATTEST_FORMAT, "head %zu has dimension %zu, but the first one %zu",
                request->first + i, layer.dim, weights->dim - layer.has_bias);
        fmpq_init(scale);
        set_scale(scale, request, layer.size);
        status = set_head(weights, i, &layer, 0, request, scale, budget, error);
        fmpq_clear(scale);
        ATTEST_TRY(status);
    }
    return ATTEST_OK;
}

/* All heads of a layer whose tensors are found. */
static attest_status import_heads(attest_weights *weights, const attest_import_layer *layer,
                                  const attest_import *request,
                                  const attest_model_config *config, const fmpq *scale,
                                  attest_model_file *file, attest_budget *budget,
                                  attest_error *error)
{
    /* A norm of keys would undo a scale before it. */
    const fmpq *before = request->known.k_norm ? NULL : scale;

    ATTEST_TRY(begin(weights, layer, request, config, budget, error));
    for (size_t i = 0; i < request->count; i++)
        ATTEST_TRY(
            set_head(weights, i, layer, request->first + i, request, before, budget, error));
    return request->arch ? attest_import_set_form(weights, layer, request, config, scale, file,
                                                  budget, error)
                         : ATTEST_OK;
}

attest_status attest_import_set(attest_weights *weights, attest_model_file *file,
                                const char *path, attest_import *request, attest_budget *budget,
                                attest_error *error)
{
    attest_model_config config = {0};
    attest_import_layer layer;
    attest_status status;
    fmpq_t scale;

    if (request->arch) {
        /* Positions and norms are those of a layer, and would be left out. */
        if (has_hole(request->q) || has_hole(request->qkv))
            return attest_error_set(error, ATTEST_USAGE,
                                    "'%.80s' is of one head, and an architecture has tensors "
                                    "of all heads: leave one of the two out",
                                    has_hole(request->q) ? request->q : request->qkv);
        ATTEST_TRY(attest_import_arch_set(request, file, error));
        ATTEST_TRY(attest_model_config_find(&config, &request->has_config, request->config,
                                            path, budget, error));
        request->window = config.window;
    }
    if (has_hole(request->q) || has_hole(request->qkv))
        return import_each(weights, file, request, budget, error);
    ATTEST_TRY(attest_import_find(&layer, file, request, error));
    if (request->arch)
        ATTEST_TRY(attest_model_config_check(&config, request->arch, layer.heads,
                                             layer.part[ATTEST_IMPORT_K].groups, layer.size,
                                             error));
    fmpq_init(scale);
    set_scale(scale, request, config.scalar ? config.scalar : layer.size);
    status = import_heads(weights, &layer, request, &config, scale, file, budget, error);
    fmpq_clear(scale);
    return status;
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
    status = attest_import_set(weights, &file, path, request, budget, error);
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
