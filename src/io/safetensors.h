/* safetensors.h -- the tensors of a safetensors file.
 *
 * The file is a 64-bit little-endian length, a JSON object of that length,
 *
 *     {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
 *
 * and the data. Offsets count from the end of the object. As the format requires, names are
 * unique and the tensors cover the data without overlap and without gaps. Data need not be
 * aligned. */
#ifndef ATTEST_IO_SAFETENSORS_H
#define ATTEST_IO_SAFETENSORS_H

#include <attest/judge.h>

#include "io/array.h"
#include "io/json_read.h"

/* The longest header that is accepted: the limit of the format. */
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
    attest_json_document header; /* owns the names */
    size_t *lengths;             /* storage of all shapes */
} attest_safetensors;

/* Parses the header; the data are not copied. The budget (NULL: unlimited) is charged for the
 * header. Status: FORMAT, UNABLE, NOMEM; after a failure there is nothing to clear. Cost: O(n
 * log n) for n tensors, at most 20 bytes of memory per byte of header. */
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

/* The same for integers: I8, I16, I32, I64 and U8, U16, U32, U64. */
attest_status attest_safetensors_get_integers(attest_array *array,
                                              const attest_safetensors *file, const char *name,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* A tensor to be written: as many values as the product of its shape, the last index fastest.
 */
typedef struct attest_safetensors_item {
    char *name;
    attest_tensor_type type; /* the type in the file; never BOOL */
    size_t rank, shape[4];
    double *value;
} attest_safetensors_item;

/* Writes the file, whole or not at all, "-" to standard output; the data begin at a multiple
 * of 8 bytes. The values must be numbers of their types, or NaN, or infinities where the type
 * has them. Status: DOMAIN (a value is not; the text names it), IO, NOMEM. */
attest_status attest_safetensors_write(const char *path, const attest_safetensors_item *item,
                                       size_t count, attest_error *error) ATTEST_WARN_UNUSED;

#endif
