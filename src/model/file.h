/* file.h -- the tensors of a model: a safetensors file, an .npz archive, or several
 * safetensors files with an index.
 *
 * An index has a name that ends in .json: {"weight_map": {"TENSOR": "FILE", ...}, ...}, with
 * files in its own directory. A file is opened when the first of its tensors is needed. All
 * files are untrusted, see tensor_file.h. */
#ifndef ATTEST_MODEL_FILE_H
#define ATTEST_MODEL_FILE_H

#include "io/json_read.h"
#include "io/tensor_file.h"

/* Where a tensor is. */
typedef struct attest_model_name {
    const char *name;
    size_t shard;
} attest_model_name;

typedef struct attest_model_shard {
    char *path;
    bool open;
    attest_tensor_file file;
} attest_model_shard;

typedef struct attest_model_file {
    attest_budget *budget;
    attest_model_name *name; /* ordered */
    size_t names;
    attest_model_shard *shard; /* one, or those of the index */
    size_t shards;
    bool indexed;
    attest_json_document index; /* owns the names; those of an archive are in own */
    char *own;
} attest_model_file;

/* Status: FORMAT, IO, UNABLE, NOMEM; the text begins with the path, which must stay. After a
 * failure there is nothing to close. */
attest_status attest_model_file_open(attest_model_file *model, const char *path,
                                     attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_model_file_close(attest_model_file *model);

/* On a failure, puts the path before the error's text unless it begins with it. Returns status.
 */
attest_status attest_model_file_locate(const char *path, attest_status status,
                                       attest_error *error);

bool attest_model_file_has(const attest_model_file *model, const char *name);

/* array = the tensor of this name; it stays until the model is closed. Status: USAGE (there is
 * none; the text names those nearest to it), FORMAT, IO, UNABLE, NOMEM. */
attest_status attest_model_file_get(attest_array *array, attest_model_file *model,
                                    const char *name, attest_error *error) ATTEST_WARN_UNUSED;

/* The type and the shape of tensor i; shape has room for ATTEST_ARRAY_MAX_RANK lengths. Also of
 * types that are not read. Status: as get. */
attest_status attest_model_file_describe(char dtype[ATTEST_SAFETENSORS_DTYPE_SIZE],
                                         size_t *shape, size_t *rank, attest_model_file *model,
                                         size_t i, attest_error *error) ATTEST_WARN_UNUSED;

#endif
