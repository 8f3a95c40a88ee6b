/* import_arch.c -- the tensors of attention layers in known architectures. */
#include "base/hint.h"
#include "model/import_parts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"

enum {
    Q,
    K,
    V,
    O,
    QKV,
    BIAS_Q,
    BIAS_K,
    BIAS_V,
    BIAS_O,
    BIAS_QKV,
    NORM,
    NORM_BIAS,
    Q_NORM,
    K_NORM,
    NAMES
};
enum { PREFIXES = 3 };

/* {} is the layer. Names that a file does not have are left out, except for q (or qkv) and o.
 */
typedef struct layout {
    const char *name;
    const char *prefix[PREFIXES];
    const char *tensor[NAMES];
    bool interleaved; /* q, k, v of head 0, then of head 1, ... */
    bool by_shape;    /* Conv1D stores inputs times outputs, Linear the other way round */
    bool causal, before;
    attest_norm norm; /* before it attends */
    double eps, rotary;
    bool alibi, one_more;
} layout;

static const layout known[] = {
    {"gpt2",
     {"", "transformer.", NULL},
     {[QKV] = "h.{}.attn.c_attn.weight",
      [BIAS_QKV] = "h.{}.attn.c_attn.bias",
      [O] = "h.{}.attn.c_proj.weight",
      [BIAS_O] = "h.{}.attn.c_proj.bias",
      [NORM] = "h.{}.ln_1.weight",
      [NORM_BIAS] = "h.{}.ln_1.bias"},
     .norm = ATTEST_NORM_LAYER,
     .eps = 1e-5,
     .by_shape = true,
     .causal = true,
     .before = true},
    {"llama",
     {"model.", "", "language_model.model."},
     {[Q] = "layers.{}.self_attn.q_proj.weight",
      [K] = "layers.{}.self_attn.k_proj.weight",
      [V] = "layers.{}.self_attn.v_proj.weight",
      [O] = "layers.{}.self_attn.o_proj.weight",
      [BIAS_Q] = "layers.{}.self_attn.q_proj.bias",
      [BIAS_K] = "layers.{}.self_attn.k_proj.bias",
      [BIAS_V] = "layers.{}.self_attn.v_proj.bias",
      [BIAS_O] = "layers.{}.self_attn.o_proj.bias",
      [NORM] = "layers.{}.input_layernorm.weight",
      [Q_NORM] = "layers.{}.self_attn.q_norm.weight",
      [K_NORM] = "layers.{}.self_attn.k_norm.weight"},
     .norm = ATTEST_NORM_RMS,
     .eps = 1e-6,
     .rotary = 1,
     .causal = true,
     .before = true},
    {"gemma2",
     {"model.", "", "language_model.model."},
     {[Q] = "layers.{}.self_attn.q_proj.weight",
      [K] = "layers.{}.self_attn.k_proj.weight",
      [V] = "layers.{}.self_attn.v_proj.weight",
      [O] = "layers.{}.self_attn.o_proj.weight",
      [NORM] = "layers.{}.input_layernorm.weight",
      [Q_NORM] = "layers.{}.self_attn.q_norm.weight",
      [K_NORM] = "layers.{}.self_attn.k_norm.weight"},
     .norm = ATTEST_NORM_RMS,
     .eps = 1e-6,
     .rotary = 1,
     .one_more = true,
     .causal = true,
     .before = true},
    {"phi3",
     {"model.", "", NULL},
     {[QKV] = "layers.{}.self_attn.qkv_proj.weight",
      [O] = "layers.{}.self_attn.o_proj.weight",
      [NORM] = "layers.{}.input_layernorm.weight"},
     .norm = ATTEST_NORM_RMS,
     .eps = 1e-5,
     .rotary = 1,
     .causal = true,
     .before = true},
    {"bloom",
     {"transformer.", "", NULL},
     {[QKV] = "h.{}.self_attention.query_key_value.weight",
      [BIAS_QKV] = "h.{}.self_attention.query_key_value.bias",
      [O] = "h.{}.self_attention.dense.weight",
      [BIAS_O] = "h.{}.self_attention.dense.bias",
      [NORM] = "h.{}.input_layernorm.weight",
      [NORM_BIAS] = "h.{}.input_layernorm.bias"},
     .norm = ATTEST_NORM_LAYER,
     .eps = 1e-5,
     .alibi = true,
     .interleaved = true,
     .causal = true,
     .before = true},
    {"neox",
     {"gpt_neox.", "", NULL},
     {[QKV] = "layers.{}.attention.query_key_value.weight",
      [BIAS_QKV] = "layers.{}.attention.query_key_value.bias",
      [O] = "layers.{}.attention.dense.weight",
      [BIAS_O] = "layers.{}.attention.dense.bias",
      [NORM] = "layers.{}.input_layernorm.weight",
      [NORM_BIAS] = "layers.{}.input_layernorm.bias"},
     .norm = ATTEST_NORM_LAYER,
     .eps = 1e-5,
     .rotary = 0.25,
     .interleaved = true,
     .causal = true,
     .before = true},
    {"bert",
     {"bert.", "", "roberta."},
     {[Q] = "encoder.layer.{}.attention.self.query.weight",
      [K] = "encoder.layer.{}.attention.self.key.weight",
      [V] = "encoder.layer.{}.attention.self.value.weight",
      [O] = "encoder.layer.{}.attention.output.dense.weight",
      [BIAS_Q] = "encoder.layer.{}.attention.self.query.bias",
      [BIAS_K] = "encoder.layer.{}.attention.self.key.bias",
      [BIAS_V] = "encoder.layer.{}.attention.self.value.bias",
      [BIAS_O] = "encoder.layer.{}.attention.output.dense.bias"},
     .causal = false},
};

enum { KNOWN = sizeof known / sizeof known[0] };

static const layout *find_layout(const char *name)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

static attest_status refuse_name(const char *name, attest_error *error)
{
    char list[128] = "";

    for (size_t i = 0; i < KNOWN; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i].name);
    }
    return attest_error_set(error, ATTEST_USAGE,
                            "no architecture '%.40s' is known; there are %s", name, list);
}

static void set_name(char text[ATTEST_IMPORT_NAME_SIZE], const char *prefix,
                     const char *pattern, size_t layer)
{
    const char *hole = strstr(pattern, "{}");

    snprintf(text, ATTEST_IMPORT_NAME_SIZE, "%s%.*s%zu%s", prefix, (int)(hole - pattern),
             pattern, layer, hole + 2);
}

/* The prefix under which the file has the layer's queries, or NULL. */
static const char *find_prefix(const layout *l, size_t layer, attest_model_file *file)
{
    char name[ATTEST_IMPORT_NAME_SIZE];

    for (int i = 0; i < PREFIXES && l->prefix[i]; i++) {
        set_name(name, l->prefix[i], l->tensor[l->tensor[QKV] ? QKV : Q], layer);
        if (attest_model_file_has(file, name))
            return l->prefix[i];
    }
    return NULL;
}

attest_norm attest_import_arch_norm(const char *arch)
{
    const layout *l = find_layout(arch);

    return l ? l->norm : ATTEST_NORM_NONE;
}

bool attest_import_arch_is_causal(const char *arch)
{
    const layout *l = find_layout(arch);

    return l && l->causal;
}

bool attest_import_arch_has(const char *arch, size_t layer, attest_model_file *file)
{
    const layout *l = find_layout(arch);

    return l && find_prefix(l, layer, file);
}

/* A fused matrix has about three times as many outputs as inputs; its orientation follows from
 * that. */
static attest_status set_orientation(attest_import *request, attest_model_file *file,
                                     attest_error *error)
{
    attest_array array;

    ATTEST_TRY(attest_model_file_get(&array, file, request->qkv, error));
    request->transpose = array.rank == 2 && array.shape[1] > array.shape[0];
    return ATTEST_OK;
}

/* Writes the prefix of the names of the layer's attention tensors: "model.layers.3.self_attn.".
 */
static void set_layer_prefix(char text[ATTEST_IMPORT_NAME_SIZE], const layout *l,
                             const char *prefix, size_t layer)
{
    const char *part = strstr(l->tensor[O], "{}.") + 3;
    char pattern[ATTEST_IMPORT_NAME_SIZE];

    snprintf(pattern, sizeof pattern, "%.*s",
             (int)(part - l->tensor[O] + (ptrdiff_t)strcspn(part, ".") + 1), l->tensor[O]);
    set_name(text, prefix, pattern, layer);
}

/* Returns whether a tensor that the layout does not list may be ignored: masks and angles,
 * which follow from the other tensors, and BERT's norm after attention. */
static bool is_harmless(const char *rest)
{
    static const char *const name[] = {"bias", "masked_bias"};
    static const char *const part[] = {"rotary_emb.", "output.LayerNorm."};

    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        if (strcmp(rest, name[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        if (strncmp(rest, part[i], strlen(part[i])) == 0)
            return true;
    return false;
}

static bool is_of_layout(const char *tensor, const layout *l, const char *prefix, size_t layer)
{
    char name[ATTEST_IMPORT_NAME_SIZE];

    for (int i = 0; i < NAMES; i++) {
        if (!l->tensor[i])
            continue;
        set_name(name, prefix, l->tensor[i], layer);
        if (strcmp(name, tensor) == 0)
            return true;
    }
    return false;
}

/* Models with the tensor names of an architecture that attend in another way have further
 * tensors: sinks, other norms, scales of quantised matrices. They are rejected. */
static attest_status refuse_others(const layout *l, const char *prefix,
                                   const attest_import *request, const attest_model_file *file,
                                   attest_error *error)
{
    char layer_prefix[ATTEST_IMPORT_NAME_SIZE];
    size_t length;

    set_layer_prefix(layer_prefix, l, prefix, request->layer);
    length = strlen(layer_prefix);
    for (size_t i = 0; i < file->names; i++) {
        const char *name = file->name[i].name;

        if (strncmp(name, layer_prefix, length) == 0 && !is_harmless(name + length) &&
            !is_of_layout(name, l, prefix, request->layer))
            return attest_error_set(
                error, ATTEST_UNABLE,
                "there is a tensor '%.120s' whose function in the architecture "
                "%s is not known: name the tensors instead, or record q, k and v",
                name, l->name);
    }
    return ATTEST_OK;
}

/* A norm with a bias is LayerNorm, not RMSNorm. */
static attest_status check_norm(const layout *l, const char *prefix,
                                const attest_import *request, attest_model_file *file,
                                attest_error *error)
{
    char name[ATTEST_IMPORT_NAME_SIZE];

    if (l->norm != ATTEST_NORM_RMS || request->norm == ATTEST_NORM_NONE)
        return ATTEST_OK;
    set_name(name, prefix, "layers.{}.input_layernorm.bias", request->layer);
    if (!attest_model_file_has(file, name))
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_UNABLE,
                            "there is a tensor '%s': the norm of %s is RMSNorm, which has no "
                            "bias. Record q, k and v instead",
                            name, l->name);
}

attest_status attest_import_arch_set(attest_import *request, attest_model_file *file,
                                     attest_error *error)
{
    attest_import_known *known_layer = &request->known;
    const char **const target[NAMES] = {
        &request->q,          &request->k,         &request->v,           &request->o,
        &request->qkv,        &request->bias_q,    &request->bias_k,      &request->bias_v,
        &request->bias_o,     &request->bias_qkv,  &request->norm_weight, &request->norm_bias,
        &known_layer->q_norm, &known_layer->k_norm};
    const layout *l = find_layout(request->arch);
    const char *prefix;

    if (!l)
        return refuse_name(request->arch, error);
    prefix = find_prefix(l, request->layer, file);
    set_name(known_layer->text[0], "", l->tensor[l->tensor[QKV] ? QKV : Q], request->layer);
    if (!prefix)
        return attest_error_set(
            error, ATTEST_USAGE,
            "no layer %zu of %s: there is no tensor '%s' " ATTEST_HINT_PREFIX, request->layer,
            request->arch, known_layer->text[0]);
    if (request->norm != ATTEST_NORM_NONE && request->norm != l->norm)
        return attest_error_set(error, ATTEST_USAGE,
                                "%s does not begin with that norm: it has %s", request->arch,
                                l->norm == ATTEST_NORM_NONE    ? "none before attention"
                                : l->norm == ATTEST_NORM_LAYER ? "LayerNorm"
                                                               : "RMSNorm");
    ATTEST_TRY(refuse_others(l, prefix, request, file, error));
    ATTEST_TRY(check_norm(l, prefix, request, file, error));
    if (l->norm == ATTEST_NORM_RMS) {
        /* Others call the norm before the feed-forward layer post_attention_layernorm. */
        set_name(known_layer->text[0], prefix, "layers.{}.post_feedforward_layernorm.weight",
                 request->layer);
        request->norm_after = attest_model_file_has(file, known_layer->text[0]);
    }
    for (int i = 0; i < NAMES; i++) {
        if (!l->tensor[i] || *target[i] || (i == BIAS_O && request->count < request->heads))
            continue; /* the output's bias is one for all heads: it is taken with all of them */
        if ((i == NORM || i == NORM_BIAS) && request->norm == ATTEST_NORM_NONE)
            continue;
        set_name(known_layer->text[i], prefix, l->tensor[i], request->layer);
        if (i <= QKV || i == NORM || attest_model_file_has(file, known_layer->text[i]))
            *target[i] = known_layer->text[i];
    }
    known_layer->causal = l->causal;
    known_layer->before = l->before;
    known_layer->eps = l->eps;
    known_layer->rotary = l->rotary;
    known_layer->alibi = l->alibi;
    known_layer->one_more = l->one_more;
    known_layer->norm = l->norm;
    request->interleaved = l->interleaved;
    return l->by_shape ? set_orientation(request, file, error) : ATTEST_OK;
}
