/* import_arch.h -- where known architectures keep the tensors of an attention layer. */
#ifndef ATTEST_MODEL_IMPORT_ARCH_H
#define ATTEST_MODEL_IMPORT_ARCH_H

#include "model/import.h"
#include "model/file.h"

/* Sets q, k, v, o, qkv, the biases, interleaved and transpose of the request, and what is
 * known, to what layer request->layer of request->arch is in the file; names that the caller
 * gave stay. Which way fused matrices are stored follows from their shape. Status: USAGE (no
 * such architecture; no such layer in the file: the text says what was looked for), FORMAT,
 * UNABLE (tensors of which is not known what they do). */
attest_status attest_import_arch_set(attest_import *request, attest_model_file *file,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* What an architecture norms its tokens by before it attends; NONE where it is not known. */
attest_norm attest_import_arch_norm(const char *arch);

/* Does a token see only those before it? False also where the architecture is not known. */
bool attest_import_arch_is_causal(const char *arch);

/* Is that layer in the file? False also where there is no such architecture. */
bool attest_import_arch_has(const char *arch, size_t layer, attest_model_file *file);

#endif
