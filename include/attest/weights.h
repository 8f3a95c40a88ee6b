/* weights.h -- the weights of one attention layer.
 *
 * F(Z) = [Z +] sum over heads of W_O (W_V Z) sigma[(W_K Z)^T (W_Q Z)], sigma on each column:
 * entry (j, k) scores key j for query k. No 1/sqrt(s): it is part of W_K. */
#ifndef ATTEST_WEIGHTS_H
#define ATTEST_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/export.h>
#include <attest/error.h>
#include <attest/input.h>
#include <attest/matrix.h>
#include <attest/number.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attest_activation { ATTEST_SOFTMAX = 0, ATTEST_HARDMAX } attest_activation;

/* How hardmax weights several keys with the maximal score: equally, or only the leftmost. */
typedef enum attest_ties { ATTEST_TIES_UNIFORM = 0, ATTEST_TIES_LEFTMOST } attest_ties;

/* ATTEST_MASK_CAUSAL: query k sees the keys j <= k. */
typedef enum attest_mask { ATTEST_MASK_NONE = 0, ATTEST_MASK_CAUSAL } attest_mask;

/* (x - mean) / sqrt(variance + eps), or x / sqrt(mean of the squares + eps); what a model
 * multiplies and adds after that is part of W_Q, W_K, W_V. */
typedef enum attest_norm {
    ATTEST_NORM_NONE = 0,
    ATTEST_NORM_LAYER,
    ATTEST_NORM_RMS
} attest_norm;

typedef struct attest_head {
    attest_matrix wq, wk, wv; /* s x d */
    attest_matrix wo;         /* d x s */
    attest_matrix gain[2];    /* of queries and of keys: a column, or 0 x 0; see below */
    fmpq_t slope;             /* added to scores per position of the key (ALiBi) */
} attest_head;

/* Rotary positions: at position p of its sequence, counted from 0, entries a = q[i] and b = q[i
 * + dims/2] of a query or a key become a cos - b sin and b cos + a sin of p theta^(-2i/dims).
 */
typedef struct attest_rotary {
    size_t dims;   /* the first entries that are rotated, an even number; 0: none */
    fmpq_t theta;  /* > 0 */
    fmpq_t factor; /* the divisor of frequencies; 0: none */
    /* 0, or: only waves of long_wave positions and more are divided; those of short_wave and
     * less are not, and between them the frequency is mixed, linearly in itself. */
    fmpq_t long_wave, short_wave;
} attest_rotary;

/* Further steps on queries, keys and scores of a real model, in this order. pairing.h replaces
 * them by plain heads. */
typedef struct attest_score_form {
    /* The first entries of a query, as many as the head has gains for them, are divided by
     * sqrt(their mean square + eps) and multiplied by the gains; the same for keys. */
    fmpq_t eps;
    bool over_heads; /* the mean is one over all heads */
    attest_rotary rotary;
    fmpq_t softcap; /* c > 0: c tanh(score / c) takes the place of scores; 0: none */
    /* and then slope * position of the key is added */
} attest_score_form;

typedef struct attest_weights {
    attest_activation activation;
    attest_ties ties;
    attest_mask mask;
    bool skip;
    size_t skip_from;  /* the first entry of a token that the skip adds: pairing.h */
    size_t output_dim; /* the number of leading entries of an output that count; 0: all. To the
                        * others the skip adds nothing, and W_O has rows of zeros */
    bool homogeneous;  /* the last columns of W_Q, W_K, W_V are biases, for tokens with a last
                        * entry 1, which pairing.h appends */
    char *residual;    /* NULL, or the tensor beside the dataset that the skip adds */
    attest_norm norm;  /* the norm of tokens before the heads: pairing.h */
    fmpq_t norm_eps;   /* of the norm, >= 0; only with one */
    attest_score_form form;
    fmpq_t output_error; /* a bound on the distance of outputs from those of the original layer:
                          * 0 unless pairing.h rounded square roots, angles or a softcap */
    size_t dim;          /* d, the same for all heads */
    size_t heads;        /* H >= 1 */
    attest_head *head;
} attest_weights;

/* The number of entries of an output that count. */
static inline size_t attest_weights_output_dim(const attest_weights *weights)
{
    return weights->output_dim ? weights->output_dim : weights->dim;
}

/* The entry of the token that the skip adds to entry c of the output; SIZE_MAX: none. */
static inline size_t attest_weights_skip_entry(const attest_weights *weights, size_t c)
{
    return weights->skip && c < attest_weights_output_dim(weights) ? weights->skip_from + c
                                                                   : SIZE_MAX;
}

/* Returns whether the skip adds the whole, unchanged token. */
static inline bool attest_weights_skip_is_plain(const attest_weights *weights)
{
    return weights->skip && !weights->output_dim;
}

/* Softmax, no mask, skip, no heads. */
ATTEST_API void attest_weights_init(attest_weights *weights);
ATTEST_API void attest_weights_clear(attest_weights *weights);

/* Returns whether there are norms of queries or keys, rotary positions, ALiBi or a softcap. */
ATTEST_API bool attest_weights_have_form(const attest_weights *weights);

/* Makes room for heads empty heads. Status: NOMEM. */
ATTEST_API attest_status attest_weights_resize(attest_weights *weights,
                                               size_t heads) ATTEST_WARN_UNUSED;

/* copy (initialised) = weights. Status: NOMEM. */
ATTEST_API attest_status attest_weights_set(attest_weights *copy,
                                            const attest_weights *weights) ATTEST_WARN_UNUSED;

/* Checks that the shapes fit together: s x d, s x d, s x d, d x s with one d; that tokens have
 * the entries that the skip adds, and W_O rows of zeros for entries beyond output_dim; and
 * that heads have the entries that their form refers to. Status: FORMAT. */
ATTEST_API attest_status attest_weights_check_shapes(const attest_weights *weights,
                                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Reads an attest/weights file, or NumPy's .npz archive of WQ, WK, WV of shape (H, s, d) and WO
 * of shape (H, d, s): softmax, no mask, with skip. Path "-" is standard input. Status: FORMAT,
 * IO, UNABLE, NOMEM; the error's text begins with the path and names the place in the file. On
 * failure weights is as after init. */
ATTEST_API attest_status attest_weights_read(attest_weights *weights, const char *path,
                                             attest_budget *budget,
                                             attest_error *error) ATTEST_WARN_UNUSED;

/* The same, from an open input. */
ATTEST_API attest_status attest_weights_read_input(attest_weights *weights,
                                                   const attest_input *input,
                                                   attest_budget *budget,
                                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Writes an attest/weights file, whole or not at all. Status: IO, NOMEM. */
ATTEST_API attest_status attest_weights_write(const attest_weights *weights, const char *path,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* The words of the file format: "softmax" or "hardmax", "uniform" or "leftmost", "none" or
 * "causal". */
ATTEST_API const char *attest_activation_name(attest_activation activation);
ATTEST_API const char *attest_ties_name(attest_ties ties);
ATTEST_API const char *attest_mask_name(attest_mask mask);

#ifdef __cplusplus
}
#endif

#endif
