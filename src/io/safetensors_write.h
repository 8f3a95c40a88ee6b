/* safetensors_write.h -- tensors of doubles as a safetensors file. */
#ifndef ATTEST_IO_SAFETENSORS_WRITE_H
#define ATTEST_IO_SAFETENSORS_WRITE_H

#include <attest/judge.h>

/* One tensor: the product of the shape's lengths of values, the last index fastest. */
typedef struct attest_safetensors_item {
    char *name;
    attest_tensor_type type; /* what it is written as; never BOOL */
    size_t rank, shape[4];
    double *value;
} attest_safetensors_item;

/* Writes the file, whole or not at all, "-" to standard output; the data begin at a multiple of
 * 8 bytes. The values must be numbers of their types, or NaN, or infinities where the type has
 * them. Status: DOMAIN (a value is not; the text names it), IO, NOMEM. */
attest_status attest_safetensors_write(const char *path, const attest_safetensors_item *item,
                                       size_t count, attest_error *error) ATTEST_WARN_UNUSED;

#endif
