/* config.c -- reads the attention parameters in the config.json of a model. */
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
#include "io/json_read.h"
#include "model/import_parts.h"
#include "number/scope.h"

/* The first of the names that is there, and not null. */
static bool find_any(attest_json_cursor *member, const attest_json_cursor *object,
                     const char *const *name)
{
    for (; *name; name++)
        if (attest_json_find_member(member, object, *name))
            return true;
    return false;
}

static void take_size(size_t *value, const attest_json_cursor *object, const char *const *name)
{
    attest_json_cursor member;

    if (find_any(&member, object, name))
        *value = attest_json_take_size(&member, NULL);
}

/* A number above 0, to the nearest double. */
static void take_double(double *value, const attest_json_cursor *object,
                        const char *const *name)
{
    attest_json_cursor member;

    FMPQ(exact);
    MPFR(53, x);
    if (!find_any(&member, object, name))
        return;
    attest_json_take_rational(exact, &member, NULL);
    fmpq_get_mpfr(x, exact, MPFR_RNDN);
    *value = mpfr_get_d(x, MPFR_RNDN);
    if (!(*value > 0 && isfinite(*value)))
        attest_json_refuse(&member, "a number above 0 is expected");
}

/* Returns the number under key, or the default. */
static bool take_bool(const attest_json_cursor *object, const char *name, bool otherwise)
{
    return attest_json_has(object, name) ? attest_json_take_bool(object, name) : otherwise;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* llama3 mixes by wavelengths, given as parts of the original length. */
static void set_waves(attest_rotary_doubles *scaling, const attest_json_cursor *object)
{
    double low = 0, high = 0, length = 0;

    take_double(&low, object, NAMES("low_freq_factor"));
    take_double(&high, object, NAMES("high_freq_factor"));
    take_double(&length, object, NAMES("original_max_position_embeddings"));
    if (!(low > 0 && high > low && length > 0 && scaling->factor > 0))
        attest_json_refuse(object,
                           "llama3 needs factor, low_freq_factor below high_freq_factor, "
                           "and original_max_position_embeddings");
    scaling->long_wave = length / low;
    scaling->short_wave = length / high;
}

static const char advice[] = "Record q, k and v instead";

/* Reads the rotary positions of one object; newer files have theta and part in it, too. */
static void set_positions(attest_model_config *config, const attest_json_cursor *object)
{
    attest_json_cursor member;
    const char *type = "default";

    /* There may be an object for each kind of layers instead of one for all. */
    for (size_t i = 0; attest_json_get_member_at(&member, object, i); i++)
        if (attest_json_is_object(&member))
            attest_json_refuse_as(&member, ATTEST_UNABLE,
                                  "positions that differ between layers are not supported. %s",
                                  advice);
    if (find_any(&member, object, NAMES("rope_type", "type")))
        type = attest_json_take_string(&member, NULL);
    take_double(&config->rope_theta, object, NAMES("rope_theta"));
    take_double(&config->rope_part, object, NAMES("partial_rotary_factor"));
    if (strcmp(type, "default") == 0)
        return;
    take_double(&config->scaling.factor, object, NAMES("factor"));
    if (strcmp(type, "llama3") == 0)
        set_waves(&config->scaling, object);
    else if (strcmp(type, "linear") != 0)
        attest_json_refuse_as(
            object, ATTEST_UNABLE,
            "rotary positions of type '%.40s' are not supported; default, linear "
            "and llama3 are. %s",
            type, advice);
    else if (!(config->scaling.factor > 0))
        attest_json_refuse(object, "linear needs factor");
}

static void set_softcap(attest_model_config *config, const attest_json_cursor *root)
{
    attest_json_cursor member;
    const char *text;
    double value;

    if (!attest_json_find_member(&member, root, "attn_logit_softcapping"))
        return;
    take_double(&value, root, NAMES("attn_logit_softcapping"));
    text = attest_json_take_text(&member, NULL);
    if (strlen(text) >= sizeof config->softcap)
        attest_json_refuse(&member, "the number is too long");
    else
        strcpy(config->softcap, text);
}

/* Refuses the config if it has this member with another truth value than the supported one. */
static void refuse_bool(const attest_json_cursor *root, const char *name, bool known,
                        const char *what)
{
    attest_json_cursor member;

    if (attest_json_find_member(&member, root, name) &&
        attest_json_take_bool(&member, NULL) != known)
        attest_json_refuse_as(&member, ATTEST_UNABLE, "%s not supported. %s", what, advice);
}

/* Refuses members that would change attention and are not supported. */
static void refuse_others(const attest_json_cursor *root)
{
    static const char *const member_of[][2] = {
        {"rope_local_base_freq", "positions that differ between layers are"},
        {"no_rope_layers", "positions that differ between layers are"},
        {"no_rope_layer_interval", "positions that differ between layers are"},
        {"attention_multiplier", "another scale of the scores is"},
        {"clip_qkv", "clipped queries, keys and values are"}};
    attest_json_cursor member;

    for (size_t i = 0; i < sizeof member_of / sizeof member_of[0]; i++)
        if (attest_json_find_member(&member, root, member_of[i][0]))
            attest_json_refuse_as(&member, ATTEST_UNABLE, "%s not supported. %s",
                                  member_of[i][1], advice);
    if (attest_json_find_member(&member, root, "position_embedding_type")) {
        const char *kind = attest_json_take_string(&member, NULL);

        if (strcmp(kind, "absolute") != 0)
            attest_json_refuse_as(&member, ATTEST_UNABLE,
                                  "positions of type '%.40s' are not supported. %s", kind,
                                  advice);
    }
    refuse_bool(root, "scale_attn_by_inverse_layer_idx", false, "a scale by layer is");
    refuse_bool(root, "scale_attn_weights", true, "scores without a scale are");
    refuse_bool(root, "apply_residual_connection_post_layernorm", false,
                "a skip connection that begins after the norm is");
}

static void set_all(attest_model_config *config, const attest_json_cursor *root)
{
    attest_json_cursor member;
    bool both_ways;

    take_size(&config->heads, root, NAMES("num_attention_heads", "n_head"));
    take_size(&config->key_heads, root, NAMES("num_key_value_heads"));
    take_size(&config->head_dim, root, NAMES("head_dim"));
    if (attest_json_has(root, "model_type"))
        snprintf(config->type, sizeof config->type, "%s",
                 attest_json_take_string(root, "model_type"));
    /* is_decoder is false also of models that have a causal mask. */
    config->causal = take_bool(root, "is_decoder", config->causal);
    both_ways = take_bool(root, "use_bidirectional_attention", false);
    config->both_ways = !take_bool(root, "is_causal", true) || both_ways;
    take_size(&config->scalar, root, NAMES("query_pre_attn_scalar"));
    take_double(&config->norm_eps, root,
                NAMES("rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps", "norm_epsilon"));
    take_double(&config->rope_theta, root, NAMES("rope_theta", "rotary_emb_base"));
    take_double(&config->rope_part, root, NAMES("partial_rotary_factor", "rotary_pct"));
    if (attest_json_find_member(&member, root, "rope_scaling"))
        set_positions(config, &member);
    if (attest_json_find_member(&member, root, "rope_parameters"))
        set_positions(config, &member);
    if (take_bool(root, "use_sliding_window", true))
        take_size(&config->window, root, NAMES("sliding_window"));
    refuse_others(root);
    set_softcap(config, root);
}

typedef attest_status document_reader(attest_json_document *document, const char *path,
                                      attest_budget *budget, attest_error *error);

static attest_status read_config(attest_model_config *config, document_reader *read,
                                 const char *path, attest_budget *budget, attest_error *error)
{
    attest_json_document document ATTEST_CLEARED_BY(attest_json_document_clear);
    attest_json_failure failure;
    attest_json_cursor root, text;

    memset(config, 0, sizeof *config);
    ATTEST_TRY(read(&document, path, budget, error));
    root = attest_json_begin(&document, &failure, error);
    /* The config of a multimodal model contains one for texts. */
    set_all(config, attest_json_find_member(&text, &root, "text_config") ? &text : &root);
    return attest_error_prefix(error, failure.status, path);
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
    size_t prefix = slash ? (size_t)(slash - model) + 1 : 0;
    char *beside;
    attest_status status = ATTEST_OK;

    *found = true;
    if (path)
        return attest_model_config_read(config, path, budget, error);
    memset(config, 0, sizeof *config);
    beside = attest_memory_alloc(prefix + sizeof name, 1);
    if (!beside)
        return attest_memory_fail(error);
    memcpy(beside, model, prefix);
    memcpy(beside + prefix, name, sizeof name);
    /* A config.json that exists and cannot be read is an error. */
    *found = access(beside, F_OK) == 0 || errno != ENOENT;
    if (*found)
        status = read_config(config, attest_json_document_read_file, beside, budget, error);
    free(beside);
    return status;
}

attest_status attest_model_config_rotary(attest_rotary_doubles *rotary,
                                         const attest_model_config *config, double part,
                                         size_t size, attest_error *error)
{
    bool none = part == 0;

    part = config->rope_part > 0 ? config->rope_part : part;
    *rotary = config->scaling;
    if (none)
        return ATTEST_OK;
    if (part > 1)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "the config rotates a part of %g of each head; the part must be at most 1", part);
    rotary->dims = (size_t)(part * (double)size);
    rotary->theta = config->rope_theta > 0 ? config->rope_theta : 10000;
    if (rotary->dims == 0 || rotary->dims % 2 != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "rotary positions rotate pairs of entries, but %zu of the %zu "
                                "of a head is not an even number",
                                rotary->dims, size);
    return ATTEST_OK;
}

/* Model types with the tensors of an architecture. A type with arch NULL has the same tensor
 * names, but attends in another way, and is rejected. The user vouches for types that are not
 * listed. */
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
                                        "the config gives model_type '%s': that is the "
                                        "architecture %s, not %s",
                                        config->type, known, arch)
                     : attest_error_set(error, ATTEST_UNABLE,
                                        "the config gives model_type '%s', whose attention is "
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
                            "the config specifies %s, but %s has %s: name the tensors "
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
        return attest_error_set(error, ATTEST_USAGE, "the config gives %zu heads, not %zu",
                                config->heads, heads);
    if (config->head_dim > 0 && config->head_dim != size)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the config gives %zu heads of %zu, but in the tensors heads "
                                "have size %zu",
                                heads, config->head_dim, size);
    if (config->key_heads > 0 && config->key_heads != key_heads)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "the config gives %zu heads of keys and values, but the tensors "
            "have %zu",
            config->key_heads, key_heads);
    return ATTEST_OK;
}
