/* config.c -- what the config.json of a model says of its attention. */
#include "model/config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <attest/flint.h>

#include "base/memory.h"
#include "base/scope.h"
#include "model/import_arch.h"
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

static const char advice[] = "Record q, k and v instead";

/* An object for each kind of layers stands in the place of one for all of them. */
static attest_status refuse_kinds(const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor member;

    for (size_t i = 0; attest_json_get_member_at(&member, object, i); i++)
        if (attest_json_is_object(&member))
            return attest_json_fail(&member, error, ATTEST_UNABLE,
                                    "layers with positions of their own are not known. %s",
                                    advice);
    return ATTEST_OK;
}

/* What one object says of rotary positions; newer files have theta and part there, too. */
static attest_status get_positions(attest_model_config *config,
                                   const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor kind;
    const char *type = "default";

    ATTEST_TRY(refuse_kinds(object, error));
    if (find_any(&kind, object, NAMES("rope_type", "type")))
        ATTEST_TRY(attest_json_get_string(&type, &kind, error));
    ATTEST_TRY(get_double(&config->rope_theta, object, NAMES("rope_theta"), error));
    ATTEST_TRY(get_double(&config->rope_part, object, NAMES("partial_rotary_factor"), error));
    if (strcmp(type, "default") == 0)
        return ATTEST_OK;
    ATTEST_TRY(get_double(&config->scaling.factor, object, NAMES("factor"), error));
    if (strcmp(type, "llama3") == 0)
        return get_waves(&config->scaling, object, error);
    if (strcmp(type, "linear") != 0)
        return attest_json_fail(
            object, error, ATTEST_UNABLE,
            "rotary positions of type '%.40s' are not known: there are default, "
            "linear and llama3. %s",
            type, advice);
    return config->scaling.factor > 0
               ? ATTEST_OK
               : attest_json_fail(object, error, ATTEST_FORMAT, "linear needs factor");
}

static attest_status get_scaling(attest_model_config *config, const attest_json_cursor *root,
                                 attest_error *error)
{
    attest_json_cursor object;

    if (attest_json_find_member(&object, root, "rope_scaling"))
        ATTEST_TRY(get_positions(config, &object, error));
    return attest_json_find_member(&object, root, "rope_parameters")
               ? get_positions(config, &object, error)
               : ATTEST_OK;
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

/* A truth value that must be this one, if it is there. */
static attest_status refuse_bool(const attest_json_cursor *root, const char *name, bool known,
                                 const char *what, attest_error *error)
{
    attest_json_cursor member;
    bool value = known;

    if (attest_json_find_member(&member, root, name))
        ATTEST_TRY(attest_json_get_bool(&value, &member, error));
    return value == known ? ATTEST_OK
                          : attest_json_fail(&member, error, ATTEST_UNABLE, "%s not known. %s",
                                             what, advice);
}

/* What would change attention and is not known here. */
static attest_status refuse_others(const attest_json_cursor *root, attest_error *error)
{
    static const char *const member_of[][2] = {
        {"rope_local_base_freq", "layers with positions of their own are"},
        {"no_rope_layers", "layers with positions of their own are"},
        {"no_rope_layer_interval", "layers with positions of their own are"},
        {"attention_multiplier", "a scale of the model's own is"},
        {"clip_qkv", "clipped queries, keys and values are"}};
    attest_json_cursor member;
    const char *kind = "absolute";

    for (size_t i = 0; i < sizeof member_of / sizeof member_of[0]; i++)
        if (attest_json_find_member(&member, root, member_of[i][0]))
            return attest_json_fail(&member, error, ATTEST_UNABLE, "%s not known. %s",
                                    member_of[i][1], advice);
    if (attest_json_find_member(&member, root, "position_embedding_type"))
        ATTEST_TRY(attest_json_get_string(&kind, &member, error));
    if (strcmp(kind, "absolute") != 0)
        return attest_json_fail(&member, error, ATTEST_UNABLE,
                                "positions of type '%.40s' are not known. %s", kind, advice);
    ATTEST_TRY(refuse_bool(root, "scale_attn_by_inverse_layer_idx", false,
                           "a scale by layer is", error));
    ATTEST_TRY(
        refuse_bool(root, "scale_attn_weights", true, "scores without a scale are", error));
    return refuse_bool(root, "apply_residual_connection_post_layernorm", false,
                       "a skip that adds what the norm returns is", error);
}

static attest_status get_type(attest_model_config *config, const attest_json_cursor *root,
                              attest_error *error)
{
    attest_json_cursor member;
    const char *type;

    if (!attest_json_find_member(&member, root, "model_type"))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_string(&type, &member, error));
    snprintf(config->type, sizeof config->type, "%s", type);
    return ATTEST_OK;
}

static attest_status get_bool(bool *value, const attest_json_cursor *root, const char *name,
                              attest_error *error)
{
    attest_json_cursor member;

    return attest_json_find_member(&member, root, name)
               ? attest_json_get_bool(value, &member, error)
               : ATTEST_OK;
}

/* What the config says of the mask; is_decoder is false also of models that have one. */
static attest_status get_mask(attest_model_config *config, const attest_json_cursor *root,
                              attest_error *error)
{
    bool both_ways = false, causal = true;

    ATTEST_TRY(get_bool(&config->causal, root, "is_decoder", error));
    ATTEST_TRY(get_bool(&both_ways, root, "use_bidirectional_attention", error));
    ATTEST_TRY(get_bool(&causal, root, "is_causal", error));
    config->both_ways = both_ways || !causal;
    return ATTEST_OK;
}

static attest_status get_all(attest_model_config *config, const attest_json_cursor *root,
                             attest_error *error)
{
    ATTEST_TRY(get_size(&config->heads, root, NAMES("num_attention_heads", "n_head"), error));
    ATTEST_TRY(get_size(&config->key_heads, root, NAMES("num_key_value_heads"), error));
    ATTEST_TRY(get_size(&config->head_dim, root, NAMES("head_dim"), error));
    ATTEST_TRY(get_type(config, root, error));
    ATTEST_TRY(get_mask(config, root, error));
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

typedef attest_status document_reader(attest_json_document *document, const char *path,
                                      attest_budget *budget, attest_error *error);

static attest_status read_config(attest_model_config *config, document_reader *read,
                                 const char *path, attest_budget *budget, attest_error *error)
{
    attest_json_document document;
    attest_json_cursor root, text;
    attest_status status;

    memset(config, 0, sizeof *config);
    ATTEST_TRY(read(&document, path, budget, error));
    root = attest_json_root(&document);
    /* A model of texts and pictures has a config for each. */
    status = get_all(
        config, attest_json_find_member(&text, &root, "text_config") ? &text : &root, error);
    attest_json_document_clear(&document);
    return status == ATTEST_OK ? status : attest_error_prefix(error, status, path);
}

attest_status attest_model_config_read(attest_model_config *config, const char *path,
                                       attest_budget *budget, attest_error *error)
{
    return read_config(config, attest_json_document_read, path, budget, error);
}

attest_status attest_model_config_find(attest_model_config *config, bool *found,
                                       const char *path, const char *model,
                                       attest_budget *budget, attest_error *error)
{
    static const char name[] = "config.json";
    const char *slash = strrchr(model, '/');
    size_t folder = slash ? (size_t)(slash - model) + 1 : 0;
    char *beside;
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
    /* One that is there and cannot be read must not look like none. */
    *found = access(beside, F_OK) == 0 || errno != ENOENT;
    if (*found)
        status = read_config(config, attest_json_document_read_file, beside, budget, error);
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

/* Types that have the tensors of an architecture. Those of none have its names, but attend in
 * another way: what they do otherwise would be left out without a word. Types that are not here
 * are taken to be what the user says. */
static const char *const type_of[][2] = {
    {"gpt2", "gpt2"},    {"llama", "llama"},    {"mistral", "llama"}, {"mixtral", "llama"},
    {"qwen2", "llama"},  {"qwen3", "llama"},    {"gemma", "gemma2"},  {"gemma2", "gemma2"},
    {"phi3", "phi3"},    {"bloom", "bloom"},    {"gpt_neox", "neox"}, {"bert", "bert"},
    {"roberta", "bert"}, {"cohere", NULL},      {"cohere2", NULL},    {"ernie4_5", NULL},
    {"falcon", NULL},    {"glm", NULL},         {"glm4", NULL},       {"gpt_oss", NULL},
    {"llama4", NULL},    {"llama4_text", NULL}, {"exaone4", NULL},    {"qwen", NULL}};

static attest_status check_type(const attest_model_config *config, const char *arch,
                                attest_error *error)
{
    for (size_t i = 0; i < sizeof type_of / sizeof type_of[0]; i++) {
        const char *known = type_of[i][1];

        if (strcmp(type_of[i][0], config->type) != 0 || (known && strcmp(known, arch) == 0))
            continue;
        return known ? attest_error_set(error, ATTEST_USAGE,
                                        "the config says model_type '%s': that is the "
                                        "architecture %s, not %s",
                                        config->type, known, arch)
                     : attest_error_set(error, ATTEST_UNABLE,
                                        "the config says model_type '%s', whose attention is "
                                        "not known: it is not that of %s. %s",
                                        config->type, arch, advice);
    }
    return ATTEST_OK;
}

static attest_status check_mask(const attest_model_config *config, const char *arch,
                                attest_error *error)
{
    bool causal = attest_import_arch_is_causal(arch);

    if (causal ? !config->both_ways : !config->causal)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_UNABLE,
                            "the config says that there is %s, and %s has %s: name the tensors "
                            "and the mask instead, or record q, k and v",
                            causal ? "no causal mask" : "a causal mask", arch,
                            causal ? "one" : "none");
}

attest_status attest_model_config_check(const attest_model_config *config, const char *arch,
                                        size_t heads, size_t key_heads, size_t size,
                                        attest_error *error)
{
    ATTEST_TRY(check_type(config, arch, error));
    ATTEST_TRY(check_mask(config, arch, error));
    if (config->heads > 0 && config->heads != heads)
        return attest_error_set(error, ATTEST_USAGE, "the config says %zu heads, not %zu",
                                config->heads, heads);
    if (config->head_dim > 0 && config->head_dim != size)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the config says %zu heads of %zu, but in the tensors heads "
                                "have size %zu",
                                heads, config->head_dim, size);
    if (config->key_heads > 0 && config->key_heads != key_heads)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the config says %zu heads of keys and values, but the tensors "
                                "have %zu",
                                config->key_heads, key_heads);
    return ATTEST_OK;
}
