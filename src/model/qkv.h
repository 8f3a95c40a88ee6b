/* qkv.h -- queries, keys and values of one layer or of many, and outputs, from files.
 *
 * A tensor has shape (batch, heads, tokens, dim), (heads, tokens, dim) or (tokens, dim), or the
 * axes of a layout; packed (tokens, heads, dim); a cache in pages (pages, page size, heads,
 * dim). A mask has shape (batch, heads, queries, keys) or the last axes of that; a sink
 * (heads); descale factors are one number, (heads) or (batch, heads); offsets and lengths
 * (sequences); the table of pages (sequences, pages of each). */
#ifndef ATTEST_MODEL_QKV_H
#define ATTEST_MODEL_QKV_H

#include <attest/judge.h>

#include "io/tensor_file.h"

enum {
    ATTEST_QKV_Q = 0,
    ATTEST_QKV_K,
    ATTEST_QKV_V,
    ATTEST_QKV_MASK,
    ATTEST_QKV_SINK,
    ATTEST_QKV_Q_DESCALE,
    ATTEST_QKV_K_DESCALE,
    ATTEST_QKV_V_DESCALE,
    ATTEST_QKV_PAST_K,
    ATTEST_QKV_PAST_V,
    ATTEST_QKV_CU_SEQLENS_Q, /* from here on: integers */
    ATTEST_QKV_CU_SEQLENS_K,
    ATTEST_QKV_LENGTHS,
    ATTEST_QKV_BLOCK_TABLE,
    ATTEST_QKV_PARTS
};

/* "q", "k", "v", "mask" and so on. */
extern const char *const attest_qkv_part_name[ATTEST_QKV_PARTS];

/* The order of the axes of q, k and v, and of outputs: b batch, h heads, s tokens, d dim. */
typedef enum attest_qkv_layout {
    ATTEST_QKV_BY_RANK =
        0, /* bhsd, hsd or sd; packed: shd; pages: (pages, page size, heads, dim) */
    ATTEST_QKV_BHSD,
    ATTEST_QKV_BSHD,
    ATTEST_QKV_HSD,
    ATTEST_QKV_SHD,
    ATTEST_QKV_SD
} attest_qkv_layout;

/* "default", "bhsd" and so on; ended by NULL. */
extern const char *const attest_qkv_layout_name[];

/* Where the tensors are. Strings are the caller's and must stay. */
typedef struct attest_qkv_names {
    const char *path; /* a safetensors or .npz file; NULL: each tensor is an .npy file */
    const char *name[ATTEST_QKV_PARTS]; /* tensors, or .npy files. NULL: "q", "k", "v" in a
                                         * file of tensors; none of the others */
    attest_qkv_layout layout;
} attest_qkv_names;

/* Tensors of a layer that were computed (model_qkv.h). */
typedef struct attest_qkv_formed {
    double *block; /* the memory of the tensors */
    attest_tensor tensor[ATTEST_QKV_PARTS];
} attest_qkv_formed;

typedef struct attest_qkv_source {
    attest_qkv_names names;
    attest_tensor_file file[ATTEST_QKV_PARTS]; /* only the first if there is a path */
    bool layered;                              /* the names are patterns, see below */
    size_t *layer;                             /* the numbers of the layers */
    size_t layers;                             /* at least 1 */
    size_t rank;                               /* the axes of the q that was read last */
    bool tokens_first;                         /* ... its tokens come before its heads */
    int64_t *integer[ATTEST_QKV_PARTS - ATTEST_QKV_CU_SEQLENS_Q]; /* of that layer */
    attest_qkv_formed *formed; /* by place, in place of names; NULL: none */
} attest_qkv_source;

/* Reads the files and finds the layers: the numbers for which there is a q; each needs all
 * other tensors that are named by a pattern. Status: USAGE, FORMAT, IO, UNABLE, NOMEM; the text
 * begins with the path. After a failure there is nothing to close. */
attest_status attest_qkv_source_open(attest_qkv_source *source, const attest_qkv_names *names,
                                     attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_qkv_source_close(attest_qkv_source *source);

/* The tensors of qkv = those of the layer at this place, valid until the next call; its other
 * members are unchanged. The shapes are not compared. Status as above. */
attest_status attest_qkv_source_read(attest_qkv *qkv, attest_qkv_source *source, size_t place,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* The layout with which q, k and v fit each other, if they do not with the one that was read,
 * and there is one; else NULL. */
const char *attest_qkv_suggest_layout(const attest_qkv_source *source, const attest_qkv *qkv);

/* The name of the file with q, for errors. */
const char *attest_qkv_source_path(const attest_qkv_source *source);

/* The output of a kernel. */
typedef struct attest_qkv_output {
    attest_tensor_file own;
    attest_tensor_file *file; /* own, or the file of the source if it is the same */
    char *path, *name;
} attest_qkv_output;

/* Opens "FILE" or "FILE:NAME"; without a name it is "out", with layers "layers.{}.out". Status
 * as above. After a failure there is nothing to close. */
attest_status attest_qkv_output_open(attest_qkv_output *output, const char *text,
                                     attest_qkv_source *source, attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_qkv_output_close(attest_qkv_output *output);

/* The rows of an output that are read: get sets batch, head and token of row i < count. */
typedef struct attest_qkv_output_rows {
    void (*get)(size_t at[3], const void *context, size_t i);
    const void *context;
    size_t count;
} attest_qkv_output_rows;

/* to = rows of the output of the layer at this place, one after another; NULL: all rows, in the
 * order (batch, heads, tokens). shape: batch, heads, tokens, dim. The axes in the file are
 * those of q; or, where only that fits, heads and tokens are exchanged, or heads are side by
 * side: (batch, tokens, heads * dim), or (tokens, heads * dim). Leading axes of length 1 may be
 * missing. NaN and infinities are kept. Status as above. */
attest_status attest_qkv_output_read(double *to, attest_qkv_output *output,
                                     const attest_qkv_source *source, size_t place,
                                     const size_t shape[4], const attest_qkv_output_rows *rows,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Names of tensors of many layers are patterns, "layers.{}.q", where "{}" stands for a number
 * in decimal without leading zeros. Returns whether the name is a pattern. */
bool attest_qkv_is_pattern(const char *name);

/* Returns the name for this layer, which the caller frees; NULL: out of memory. */
char *attest_qkv_format_name(const char *pattern, size_t layer);

/* *layer = the numbers for which the file has a tensor of that name, in increasing order,
 * *count of them; the caller frees them. Status: USAGE (a pattern with several {}), FORMAT (a
 * number with leading zeros, which would be left out otherwise), NOMEM. */
attest_status attest_qkv_find_layers(size_t **layer, size_t *count,
                                     const attest_tensor_file *file, const char *pattern,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
