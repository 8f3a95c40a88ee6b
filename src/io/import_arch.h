/* import_arch.h -- where known architectures keep the tensors of an attention layer. */
#ifndef ATTEST_IO_IMPORT_ARCH_H
#define ATTEST_IO_IMPORT_ARCH_H

#include "io/import.h"
#include "io/model_file.h"

/* Sets q, k, v, o, qkv, the biases, interleaved and transpose of the request, and what is
 * known, to what layer request->layer of request->arch is in the file; names that the caller
 * gave stay. Which way fused matrices are stored follows from their shape. Status: USAGE (no
 * such architecture; no such layer in the file: the text says what was looked for), FORMAT. */
attest_status attest_import_arch_set(attest_import *request, attest_model_file *file,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
