/* config.h -- what the config.json of a model says of its attention.
 *
 * Members are those of the transformers package; what is not there stays 0. All of it is
 * hostile. */
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
    size_t window;                            /* sliding_window, where it is used */
    char softcap[ATTEST_MODEL_CONFIG_NUMBER]; /* attn_logit_softcapping; empty: none */
    size_t scalar; /* query_pre_attn_scalar: scores are divided by its root */
} attest_model_config;

/* Reads the file. Status: FORMAT, IO, UNABLE (a scaling of positions that is not known), NOMEM;
 * the text begins with the path. */
attest_status attest_model_config_read(attest_model_config *config, const char *path,
                                       attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* The same, from the path, or where that is NULL from config.json beside the model, if there is
 * one; *found tells. */
attest_status attest_model_config_find(attest_model_config *config, bool *found,
                                       const char *path, const char *model,
                                       attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Is this the config of a layer of this architecture, with so many heads of this size, and so
 * many of keys? Members that are not there say nothing. Status: USAGE, FORMAT, UNABLE. */
attest_status attest_model_config_check(const attest_model_config *config, const char *arch,
                                        size_t heads, size_t key_heads, size_t size,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* rotary = how positions turn heads of this size, where this part of a head is turned unless
 * the config says another. Status: FORMAT. */
attest_status attest_model_config_rotary(attest_rotary_doubles *rotary,
                                         const attest_model_config *config, double part,
                                         size_t size, attest_error *error) ATTEST_WARN_UNUSED;

#endif
