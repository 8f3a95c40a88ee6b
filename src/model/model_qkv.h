/* model_qkv.h -- queries, keys and values of a model's layers, from its weights and its
 * stream.
 *
 * What was recorded is the stream that enters each layer; norm, projections, biases, a norm of
 * queries and keys and rotary positions are computed as layer.h says. What comes out are
 * tensors in binary64 of a source of qkv.h, whose file is that of the stream. */
#ifndef ATTEST_MODEL_MODEL_QKV_H
#define ATTEST_MODEL_MODEL_QKV_H

#include "model/config.h"
#include "model/qkv.h"

/* What to form. Strings are the caller's; it stays as long as the source. */
typedef struct attest_model_stream {
    const char *arch;   /* as in import.h */
    const char *model;  /* its weights, as file.h reads them */
    const char *config; /* its config.json; NULL: the one beside the model, if there is one */
    const char *path;   /* the file of the stream */
    const char
        *name;    /* its tensor, of shape (batch, tokens, d) or (tokens, d), "layers.{}.x" */
    size_t heads; /* 0: as the config says */
    bool one;     /* form `layer` alone */
    size_t layer;
    /* What was found. */
    attest_model_config known;
    size_t rotary; /* entries of a head that positions turn */
    bool alibi, key_norm;
    char scale[ATTEST_MODEL_CONFIG_NUMBER];
    char sha256[65]; /* of the model; empty: an index of several files */
} attest_model_stream;

/* Opens the source and forms its layers: those that the name stands for and the model has, or
 * `layer`. qkv's scale, softcap and causal mask are set to the model's where they are not
 * given. Status: USAGE, FORMAT, IO, UNABLE, NOMEM; the text begins with the path. After a
 * failure there is nothing to close. */
attest_status attest_model_qkv_open(attest_qkv_source *source, attest_qkv *qkv,
                                    attest_model_stream *stream, attest_budget *budget,
                                    attest_error *error) ATTEST_WARN_UNUSED;

#endif
