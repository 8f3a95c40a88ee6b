/* import.h -- the attention heads of a real model as weights.
 *
 * A model computes, for a token x, q = A_q x + b_q, k = A_k x + b_k, v = A_v x + b_v, attends
 * with the scores scale * (k . q), and adds A_o (sum of the heads' outputs side by side) + b_o.
 * attest's weights have no biases. With any bias, tokens get one more coordinate, which is 1
 * (attest_dataset_set_homogeneous), and the biases become columns:
 *
 *     W_Q = [A_q  b_q]    W_K = scale [A_k  b_k]    W_V = [A_v  b_v]    W_O = [A_o]
 *                                                                             [ 0 ]
 *
 * so that the coordinate stays 1 under skip. For b_o the first head gets one more dimension: a
 * row (0, ..., 0, 1) of W_V, whose average under softmax or hardmax is 1, and the column
 * (b_o, 0) of W_O; rows of zeros in W_Q and W_K leave the scores alone. All of it is exact.
 *
 * Rotary positions, ALiBi, norms of queries and keys and softcap of an architecture become the
 * form of the weights (weights.h); the scale is then part of the keys' gains, if there are any.
 *
 * A norm in front, z = norm(x) g + b entry by entry, leaves (x - mean)/root or x/root to
 * pairing.h: g and b go into the matrices, A diag(g) and A b. */
#ifndef ATTEST_MODEL_IMPORT_H
#define ATTEST_MODEL_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/dataset.h>
#include <attest/weights.h>

enum { ATTEST_IMPORT_NAMES = 14, ATTEST_IMPORT_NAME_SIZE = 160 };

/* The properties of an architecture, and the names of its tensors. */
typedef struct attest_import_known {
    bool causal;
    bool before; /* it attends to normed tokens, and the skip adds those before the norm: a skip
                  * of the weights alone differs from the model */
    attest_norm norm; /* the norm of tokens before attention */
    double eps;       /* eps of that norm, unless the config has one */
    double rotary; /* the part of a head that is rotated, unless the config has one; 0: none */
    bool alibi;    /* positions of keys are added to scores */
    bool one_more; /* its norms multiply by 1 + their weights */
    const char *q_norm, *k_norm; /* tensors of RMSNorms of queries and keys, or NULL */
    char text[ATTEST_IMPORT_NAMES][ATTEST_IMPORT_NAME_SIZE];
} attest_import_known;

/* Which tensors to take. Matrices map columns to rows: A_q has shape (H s, d), A_k and A_v
 * (G s, d) where G divides H (several heads may share keys and values), A_o (d, H s); with
 * transpose all four are stored the other way round. Head h owns the rows h s ... h s + s - 1.
 * Biases are optional (NULL), as vectors of as many entries as their matrix has rows. "{}" in
 * the names of q, k, v or qkv, and of biases and o, stands for the number of a head: then each
 * head has tensors of its own, A_o for all of them or, with {}, for each. */
typedef struct attest_import {
    const char *q, *k, *v, *o;
    const char *qkv;  /* instead of q, k and v: all three in one tensor of (H + 2 G) s rows */
    bool interleaved; /* qkv holds q, k, v of head 0, of head 1, ... (G = H); else q, k, v */
    const char *bias_q, *bias_k, *bias_v, *bias_o, *bias_qkv;
    attest_norm norm;                    /* the weights begin with this norm of tokens, and */
    const char *norm_weight, *norm_bias; /* its factors and terms, or NULL */
    const fmpq *norm_eps; /* NULL: that of the config, of the architecture, or 1e-5 */
    bool transpose;
    size_t heads;      /* H >= 1 */
    size_t first;      /* the first head to take ... */
    size_t count;      /* ... and how many: first + count <= heads */
    size_t o_heads;    /* number of heads in A_o if the other tensors have one head; 0: heads */
    size_t o_head;     /* which of them the first head is */
    const fmpq *scale; /* NULL: 1 */
    bool rsqrt; /* instead of scale: 1/sqrt(s), or the binary32 number nearest to it; s is that
                 * of the config, if it has one */
    const char *arch;   /* NULL, or an architecture, which has the names for ... */
    size_t layer;       /* ... this layer */
    const char *config; /* the model's config.json; NULL: the one beside the model, if any */
    attest_import_known known; /* of arch, once it was read, */
    bool has_config;           /* whether there was one, */
    size_t window;             /* and its sliding window, which weights do not have; 0: none */
    bool norm_after;           /* the model norms the output of attention; weights do not */
} attest_import;

/* weights = the heads that the request names (with arch, names that are NULL are filled in),
 * from the safetensors file at path; activation, ties, mask and skip are as after init. Exact.
 * Status: FORMAT (the file; a shape that does not fit: the text names tensor and shape), USAGE
 * (no such tensor, tensors named twice or not at all), IO, UNABLE, NOMEM; the text begins with
 * the path. On failure weights is as after init.
 */
attest_status attest_import_read(attest_weights *weights, const char *path,
                                 attest_import *request, attest_budget *budget,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether the request names a bias, so that tokens have d + 1 coordinates. */
bool attest_import_has_bias(const attest_import *request);

#endif
