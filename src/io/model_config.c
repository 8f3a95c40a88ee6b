/* model_config.c -- what the config.json of a model says of its attention. */
#include "io/model_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>

#include "base/memory.h"
#include "base/try.h"
#include "io/json_read.h"

/* The first of the names that is there, and not null. */
static bool find_any(attest_json_cursor *member, const attest_json_cursor *object,
                     const char *const *name)
{
    for (; *name; name++)
        if (attest_json_find_member(member, object, *name))
            return true;
    return false;
}

static attest_status get_size(size_t *value, const attest_json_cursor *object,
                              const char *const *name, attest_error *error)
{
    attest_json_cursor member;

    return find_any(&member, object, name) ? attest_json_get_size(value, &member, error)
                                           : ATTEST_OK;
}

/* A number above 0, to the nearest double. */
static attest_status get_double(double *value, const attest_json_cursor *object,
                                const char *const *name, attest_error *error)
{
    attest_json_cursor member;
    attest_status status;
    fmpq_t exact;
    mpfr_t x;

    if (!find_any(&member, object, name))
        return ATTEST_OK;
    fmpq_init(exact);
    status = attest_json_get_rational(exact, &member, error);
    if (status == ATTEST_OK) {
        mpfr_init2(x, 53);
        fmpq_get_mpfr(x, exact, MPFR_RNDN);
        *value = mpfr_get_d(x, MPFR_RNDN);
        mpfr_clear(x);
        if (!(*value > 0 && isfinite(*value)))
            status =
                attest_json_fail(&member, error, ATTEST_FORMAT, "a number above 0 is expected");
    }
    fmpq_clear(exact);
    return status;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* llama3 mixes by wavelengths, given as parts of the original length. */
static attest_status get_waves(attest_prelude_rotary *scaling, const attest_json_cursor *object,
                               attest_error *error)
{
    double low = 0, high = 0, length = 0;

    ATTEST_TRY(get_double(&low, object, NAMES("low_freq_factor"), error));
    ATTEST_TRY(get_double(&high, object, NAMES("high_freq_factor"), error));
    ATTEST_TRY(get_double(&length, object, NAMES("original_max_position_embeddings"), error));
    if (!(low > 0 && high > low && length > 0 && scaling->factor > 0))
        return attest_json_fail(object, error, ATTEST_FORMAT,
                                "llama3 needs factor, low_freq_factor below high_freq_factor, "
                                "and original_max_position_embeddings");
    scaling->long_wave = length / low;
    scaling->short_wave = length / high;
    return ATTEST_OK;
}

static attest_status get_scaling(attest_model_config *config, const attest_json_cursor *root,
                                 attest_error *error)
{
    attest_json_cursor object, kind;
    const char *type = "default";

    /* Newer files have theta there, too. */
    if (!find_any(&object, root, NAMES("rope_scaling", "rope_parameters")))
        return ATTEST_OK;
    if (find_any(&kind, &object, NAMES("rope_type", "type")))
        ATTEST_TRY(attest_json_get_string(&type, &kind, error));
    ATTEST_TRY(get_double(&config->rope_theta, &object, NAMES("rope_theta"), error));
    if (strcmp(type, "default") == 0)
        return ATTEST_OK;
    ATTEST_TRY(get_double(&config->scaling.factor, &object, NAMES("factor"), error));
    if (strcmp(type, "linear") == 0)
        return ATTEST_OK;
    if (strcmp(type, "llama3") == 0)
        return get_waves(&config->scaling, &object, error);
    return attest_json_fail(
        &object, error, ATTEST_UNABLE,
        "rotary positions of type '%.40s' are not known: there are default, "
        "linear and llama3. Record q, k and v instead",
        type);
}

static attest_status get_window(attest_model_config *config, const attest_json_cursor *root,
                                attest_error *error)
{
    attest_json_cursor member;
    bool used = true;

    if (attest_json_find_member(&member, root, "use_sliding_window"))
        ATTEST_TRY(attest_json_get_bool(&used, &member, error));
    return used ? get_size(&config->window, root, NAMES("sliding_window"), error) : ATTEST_OK;
}

static attest_status get_softcap(attest_model_config *config, const attest_json_cursor *root,
                                 attest_error *error)
{
    attest_json_cursor member;
    const char *text;
    double value;

    if (!attest_json_find_member(&member, root, "attn_logit_softcapping"))
        return ATTEST_OK;
    ATTEST_TRY(get_double(&value, root, NAMES("attn_logit_softcapping"), error));
    ATTEST_TRY(attest_json_get_text(&text, &member, error));
    if (strlen(text) >= sizeof config->softcap)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "the number is too long");
    strcpy(config->softcap, text);
    return ATTEST_OK;
}

/* What would change attention and is not known here. */
static attest_status refuse_others(const attest_json_cursor *root, attest_error *error)
{
    static const char advice[] = "Record q, k and v instead";
    attest_json_cursor member;
    const char *kind = "absolute";
    bool by_layer = false;

    if (attest_json_find_member(&member, root, "rope_local_base_freq"))
        return attest_json_fail(&member, error, ATTEST_UNABLE,
                                "layers with positions of their own are not known. %s", advice);
    if (attest_json_find_member(&member, root, "position_embedding_type"))
        ATTEST_TRY(attest_json_get_string(&kind, &member, error));
    if (strcmp(kind, "absolute") != 0)
        return attest_json_fail(&member, error, ATTEST_UNABLE,
                                "positions of type '%.40s' are not known. %s", kind, advice);
    if (attest_json_find_member(&member, root, "scale_attn_by_inverse_layer_idx"))
        ATTEST_TRY(attest_json_get_bool(&by_layer, &member, error));
    return by_layer ? attest_json_fail(&member, error, ATTEST_UNABLE,
                                       "a scale by layer is not known. %s", advice)
                    : ATTEST_OK;
}

static attest_status get_all(attest_model_config *config, const attest_json_cursor *root,
                             attest_error *error)
{
    ATTEST_TRY(get_size(&config->heads, root, NAMES("num_attention_heads", "n_head"), error));
    ATTEST_TRY(get_size(&config->head_dim, root, NAMES("head_dim"), error));
    ATTEST_TRY(get_size(&config->scalar, root, NAMES("query_pre_attn_scalar"), error));
    ATTEST_TRY(get_double(
        &config->norm_eps, root,
        NAMES("rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps", "norm_epsilon"), error));
    ATTEST_TRY(
        get_double(&config->rope_theta, root, NAMES("rope_theta", "rotary_emb_base"), error));
    ATTEST_TRY(get_double(&config->rope_part, root,
                          NAMES("partial_rotary_factor", "rotary_pct"), error));
    ATTEST_TRY(get_scaling(config, root, error));
    ATTEST_TRY(get_window(config, root, error));
    ATTEST_TRY(refuse_others(root, error));
    return get_softcap(config, root, error);
}

attest_status attest_model_config_read(attest_model_config *config, const char *path,
                                       attest_budget *budget, attest_error *error)
{
    attest_json_document document;
    attest_json_cursor root;
    attest_status status;

    memset(config, 0, sizeof *config);
    ATTEST_TRY(attest_json_document_read(&document, path, budget, error));
    root = attest_json_root(&document);
    status = get_all(config, &root, error);
    attest_json_document_clear(&document);
    return status == ATTEST_OK ? status : attest_error_prefix(error, status, path);
}

attest_status attest_model_config_find(attest_model_config *config, bool *found,
                                       const char *path, const char *model,
                                       attest_budget *budget, attest_error *error)
{
    static const char name[] = "config.json";
    const char *slash = strrchr(model, '/');
    size_t folder = slash ? (size_t)(slash - model) + 1 : 0;
    char *beside;
    FILE *file;
    attest_status status = ATTEST_OK;

    *found = true;
    if (path)
        return attest_model_config_read(config, path, budget, error);
    memset(config, 0, sizeof *config);
    beside = attest_memory_alloc(folder + sizeof name, 1);
    if (!beside)
        return attest_memory_fail(error);
    memcpy(beside, model, folder);
    memcpy(beside + folder, name, sizeof name);
    file = fopen(beside, "rb");
    *found = file != NULL;
    if (file) {
        fclose(file);
        status = attest_model_config_read(config, beside, budget, error);
    }
    free(beside);
    return status;
}

attest_status attest_model_config_rotary(attest_prelude_rotary *rotary,
                                         const attest_model_config *config, double part,
                                         size_t size, attest_error *error)
{
    bool none = part == 0;

    part = config->rope_part > 0 ? config->rope_part : part;
    *rotary = config->scaling;
    if (none)
        return ATTEST_OK;
    if (part > 1)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the config turns %g of a head, which is more than all of it",
                                part);
    rotary->dims = (size_t)(part * (double)size);
    rotary->theta = config->rope_theta > 0 ? config->rope_theta : 10000;
    if (rotary->dims == 0 || rotary->dims % 2 != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "positions turn pairs of entries, but %zu of the %zu of a head "
                                "are no pairs",
                                rotary->dims, size);
    return ATTEST_OK;
}
