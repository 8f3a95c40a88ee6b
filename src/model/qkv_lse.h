/* qkv_lse.h -- log-sum-exps, and partial outputs of splits, from files. */
#ifndef ATTEST_MODEL_QKV_LSE_H
#define ATTEST_MODEL_QKV_LSE_H

#include "model/qkv.h"

/* Opens "FILE" or "FILE:NAME"; without a name it is "lse", with layers "layers.{}.lse". Close
 * it with attest_qkv_output_close. Status as attest_qkv_output_open. */
attest_status attest_qkv_lse_open(attest_qkv_output *lse, const char *text,
                                  attest_qkv_source *source, attest_budget *budget,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* to = the log-sum-exps of the layer at this place: shape (batch, heads, queries), the last
 * index fastest. Leading axes of length 1 may be missing, and a last axis of length 1 may be
 * there. NaN and infinities are kept. Status as attest_qkv_output_read. */
attest_status attest_qkv_lse_read(double *to, attest_qkv_output *lse,
                                  const attest_qkv_source *source, size_t place,
                                  const size_t shape[3],
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Partial outputs and log-sum-exps of splits. */
typedef struct attest_qkv_parts {
    size_t parts, shape[4]; /* of the merged output: batch, heads, queries, dim */
    double *out, *lse;      /* parts first, the last index fastest */
    size_t bytes;           /* charged to the budget */
} attest_qkv_parts;

/* Opens a file of parts as the source of outputs beside them. Status as attest_qkv_source_open.
 */
attest_status attest_qkv_parts_open(attest_qkv_source *source, const char *path,
                                    attest_budget *budget,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Reads the tensors out_parts, (parts, batch, heads, queries, dim), and lse_parts, the same
 * without dim; batch, or batch and heads, may be missing in both. Clear it in any case. Status
 * as attest_qkv_source_read. */
attest_status attest_qkv_parts_read(attest_qkv_parts *parts, attest_qkv_source *source,
                                    attest_budget *budget,
                                    attest_error *error) ATTEST_WARN_UNUSED;
void attest_qkv_parts_clear(attest_qkv_parts *parts);

#endif
