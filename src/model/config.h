/* config.h -- the attention parameters in the config.json of a model.
 *
 * Members are those of the transformers package; missing ones are 0. The file is untrusted. */
#ifndef ATTEST_MODEL_CONFIG_H
#define ATTEST_MODEL_CONFIG_H

#include "model/positions.h"

#include <stdbool.h>

#include <attest/error.h>
#include <attest/number.h>

enum { ATTEST_MODEL_CONFIG_NUMBER = 64 };

typedef struct attest_model_config {
    size_t heads;                             /* num_attention_heads, n_head */
    size_t key_heads;                         /* num_key_value_heads */
    size_t head_dim;                          /* head_dim */
    char type[ATTEST_MODEL_CONFIG_NUMBER];    /* model_type, its beginning; empty: none */
    bool causal;                              /* is_decoder: there is a causal mask */
    bool both_ways;                           /* is_causal false, use_bidirectional_attention */
    double norm_eps;                          /* rms_norm_eps, layer_norm_eps, ... */
    double rope_theta;                        /* rope_theta, rotary_emb_base */
    double rope_part;                         /* rotary_pct, partial_rotary_factor */
    attest_rotary_doubles scaling;            /* rope_scaling: its factor and waves alone */
    size_t window;                            /* sliding_window, if it is used */
    char softcap[ATTEST_MODEL_CONFIG_NUMBER]; /* attn_logit_softcapping; empty: none */
    size_t scalar; /* query_pre_attn_scalar: scores are divided by its root */
} attest_model_config;

/* Reads the file. Status: FORMAT, IO, UNABLE (an unsupported scaling of positions), NOMEM; the
 * text begins with the path. */
attest_status attest_model_config_read(attest_model_config *config, const char *path,
                                       attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* The same from path, or, if path is NULL, from config.json beside the model; *found = whether
 * there is one. */
attest_status attest_model_config_find(attest_model_config *config, bool *found,
                                       const char *path, const char *model,
                                       attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Checks that this is the config of a layer of this architecture, with this number of heads of
 * this size, and of key heads. Missing members are not checked. Status: USAGE, FORMAT, UNABLE.
 */
attest_status attest_model_config_check(const attest_model_config *config, const char *arch,
                                        size_t heads, size_t key_heads, size_t size,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* rotary = the rotary positions of heads of this size, of which this part is rotated unless
 * the config has another. Status: FORMAT. */
attest_status attest_model_config_rotary(attest_rotary_doubles *rotary,
                                         const attest_model_config *config, double part,
                                         size_t size, attest_error *error) ATTEST_WARN_UNUSED;

#endif
