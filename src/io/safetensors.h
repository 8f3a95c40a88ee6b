/* safetensors.h -- the tensors of a safetensors file.
 *
 * The file is a 64-bit little-endian length, a JSON object of that length,
 *
 *     {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
 *
 * and the data. Offsets count from the end of the object. As the format demands, names are
 * unique and the tensors cover the data without overlap and without a gap. Data need not be
 * aligned. */
#ifndef ATTEST_DATA_SAFETENSORS_H
#define ATTEST_DATA_SAFETENSORS_H

#include "io/array.h"
#include "io/json_read.h"

/* The longest header that is read; the format's own limit. */
#define ATTEST_SAFETENSORS_MAX_HEADER ((size_t)100000000)

enum { ATTEST_SAFETENSORS_DTYPE_SIZE = 16 };

typedef struct attest_safetensors_tensor {
    const char *name; /* UTF-8 */
    char dtype[ATTEST_SAFETENSORS_DTYPE_SIZE];
    const size_t *shape;
    size_t rank;
    size_t begin, end; /* in the data */
} attest_safetensors_tensor;

typedef struct attest_safetensors {
    attest_safetensors_tensor *tensor; /* ordered by name */
    size_t count;
    const unsigned char *data;
    attest_json_document header; /* it holds the names */
    size_t *lengths;             /* all shapes */
} attest_safetensors;

/* True when the bytes begin as a safetensors file of this size does. */
bool attest_safetensors_is(const unsigned char *bytes, size_t size);

/* Reads the header; the data stay where they are. The budget (NULL: unlimited) is
 * charged for the header. Status: FORMAT, UNABLE, NOMEM; after a failure there is nothing to
 * clear. Cost: O(n log n) for n tensors, at most 20 bytes of memory per byte of
 * header. */
attest_status attest_safetensors_parse(attest_safetensors *file, const unsigned char *bytes,
                                       size_t size, attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;
void attest_safetensors_clear(attest_safetensors *file);

/* The tensor of this name, or NULL. Cost: O(log n). */
const attest_safetensors_tensor *attest_safetensors_find(const attest_safetensors *file,
                                                         const char *name);

/* array = the tensor of this name; it points into the file's bytes. Status: USAGE (no such
 * tensor; the text lists some that exist), FORMAT (its dtype is not F64, F32, F16, BF16,
 * F8_E4M3, F8_E5M2, U8 or BOOL). */
attest_status attest_safetensors_get(attest_array *array, const attest_safetensors *file,
                                     const char *name, attest_error *error) ATTEST_WARN_UNUSED;

#endif
