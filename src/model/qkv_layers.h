/* qkv_layers.h -- tensors of many layers, named by a pattern: "layers.{}.q".
 *
 * "{}" stands for a number in decimal, without leading zeros. */
#ifndef ATTEST_MODEL_QKV_LAYERS_H
#define ATTEST_MODEL_QKV_LAYERS_H

#include "io/tensor_file.h"

/* Does the name stand for one tensor in each layer? */
bool attest_qkv_is_pattern(const char *name);

/* The name in this layer; the caller frees it. NULL: out of memory. */
char *attest_qkv_format_name(const char *pattern, size_t layer);

/* *layer = the numbers for which the file has a tensor of that name, in increasing order,
 * *count of them; the caller frees them. Status: USAGE (a pattern with several {}), FORMAT (a
 * number with leading zeros, which would be left out otherwise), NOMEM. */
attest_status attest_qkv_find_layers(size_t **layer, size_t *count,
                                     const attest_tensor_file *file, const char *pattern,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
