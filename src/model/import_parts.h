/* import_parts.h -- the parts of attest_import_read: the tensors of a layer, the matrices of a
 * head and the form of scores. */
#ifndef ATTEST_MODEL_IMPORT_PARTS_H
#define ATTEST_MODEL_IMPORT_PARTS_H

#include "io/array.h"
#include "model/config.h"
#include "model/file.h"
#include "model/import.h"

enum { ATTEST_IMPORT_Q = 0, ATTEST_IMPORT_K, ATTEST_IMPORT_V, ATTEST_IMPORT_O, ATTEST_IMPORTS };

/* One of the layer's matrices A_q, A_k, A_v, A_o in its tensor, and its bias in another. */
typedef struct attest_import_part {
    const char *name, *bias_name; /* the tensors; bias_name may be NULL */
    attest_array array, bias;
    size_t rows, cols;         /* of the tensor, after transposition */
    size_t row_step, col_step; /* in its storage */
    size_t first_row;          /* of this part in the tensor, and in the bias */
    size_t head_rows;          /* from the first row of one head to that of the next */
    size_t groups;             /* G: heads of its own; H heads share them evenly */
} attest_import_part;

/* A layer whose shapes fit together. */
typedef struct attest_import_layer {
    attest_import_part part[ATTEST_IMPORTS];
    size_t size;   /* s */
    size_t dim;    /* d */
    size_t heads;  /* H */
    size_t o_head; /* the index of the first of them in A_o */
    bool has_bias;
    bool one_more;                       /* the norm multiplies by 1 + its factors */
    bool normed;                         /* the norm's factors and terms go into the matrices */
    attest_array norm_weight, norm_bias; /* dim numbers; data NULL: 1 and 0 */
} attest_import_layer;

/* Finds the tensors of the request, and s and d. Status: FORMAT, USAGE. */
attest_status attest_import_find(attest_import_layer *layer, attest_model_file *file,
                                 const attest_import *request,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* head = head h of the layer, exactly as in import.h; of size s + 1 if it has the bias of the
 * output. Status: FORMAT, UNABLE. */
attest_status attest_import_set_head(attest_head *head, const attest_import_layer *layer,
                                     size_t h, bool output_bias, const fmpq *scale,
                                     attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* array = the factors of the norm of queries or keys of this name: one for each entry of a
 * head, or of all `groups` heads. Unchanged if name is NULL. Status: FORMAT, and as for
 * file.h. */
attest_status attest_import_find_gain(attest_array *array, attest_model_file *file,
                                      const char *name, size_t size, size_t groups,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the form of the weights, whose heads are those of the request, from the architecture
 * and the config. scale (NULL: 1) goes into the gains of keys, if there are any. Status:
 * FORMAT, USAGE, UNABLE, NOMEM. */
attest_status attest_import_set_form(attest_weights *weights, const attest_import_layer *layer,
                                     const attest_import *request,
                                     const attest_model_config *config, const fmpq *scale,
                                     attest_model_file *file, attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* As attest_import_read, for a model that is open; its config is looked for beside path. On
 * failure the weights must be cleared. */
attest_status attest_import_set(attest_weights *weights, attest_model_file *file,
                                const char *path, attest_import *request, attest_budget *budget,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* value = the shortest decimal number that rounds to this double. */
void attest_import_set_decimal(fmpq_t value, double number);

/* Sets q, k, v, o, qkv, the biases, interleaved, transpose and the known properties of the
 * request to those of layer request->layer of request->arch in the file; names that the caller
 * gave are kept. The order of axes of fused matrices follows from their shape. Status: USAGE
 * (no such architecture; no such layer in the file: the text contains the name that was looked
 * for), FORMAT, UNABLE (tensors with an unknown function). */
attest_status attest_import_arch_set(attest_import *request, attest_model_file *file,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* The norm of tokens before attention in an architecture; NONE if it is unknown. */
attest_norm attest_import_arch_norm(const char *arch);

/* Returns whether the architecture has a causal mask; false if it is unknown. */
bool attest_import_arch_is_causal(const char *arch);

/* Returns whether the file has this layer; false if the architecture is unknown. */
bool attest_import_arch_has(const char *arch, size_t layer, attest_model_file *file);

#endif
