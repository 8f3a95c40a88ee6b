/* model_qkv.h -- queries, keys and values of a model's layers, from its weights and the
 * recorded stream.
 *
 * The recording contains the stream that enters each layer; norms, projections, biases and
 * rotary positions are computed. The results are tensors in binary64 of a source of qkv.h,
 * whose file is that of the stream. */
#ifndef ATTEST_MODEL_MODEL_QKV_H
#define ATTEST_MODEL_MODEL_QKV_H

#include "model/config.h"
#include "model/qkv.h"

/* The request. Strings belong to the caller; it must outlive the source. */
typedef struct attest_model_stream {
    const char *arch;   /* as in import.h */
    const char *model;  /* its weights, as file.h reads them */
    const char *config; /* its config.json; NULL: the one beside the model, if there is one */
    const char *path;   /* the file of the stream */
    const char *name;   /* its tensor, (batch, tokens, d) or (tokens, d): "layers.{}.x" */
    size_t heads;       /* 0: that of the config */
    bool one;           /* form `layer` alone */
    size_t layer;
    /* The results. */
    attest_model_config known;
    size_t rotary; /* entries of a head that positions turn */
    bool alibi, key_norm;
    char scale[ATTEST_MODEL_CONFIG_NUMBER];
    char sha256[65]; /* of the model; empty: an index of several files */
} attest_model_stream;

/* Opens the source and computes its layers: those that match the name and are in the model, or
 * `layer`. Scale, softcap and causal mask of qkv are set to those of the model unless they are
 * given. Status: USAGE, FORMAT, IO, UNABLE, NOMEM; the text begins with the path. After a
 * failure there is nothing to close. */
attest_status attest_model_qkv_open(attest_qkv_source *source, attest_qkv *qkv,
                                    attest_model_stream *stream, attest_budget *budget,
                                    attest_error *error) ATTEST_WARN_UNUSED;

#endif
