/* npy.h -- NumPy's .npy files, versions 1.0, 2.0 and 3.0.
 *
 * Taken: float16, float32, float64, the signed and unsigned integers of 8 to 64 bits, in either
 * byte order and either storage order, and bool, for masks. Refused: complex, longdouble,
 * strings, objects and structures. The header is read by a grammar of its own, nothing is
 * evaluated:
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }
 *
 * each key exactly once, in any order. */
#ifndef ATTEST_IO_NPY_H
#define ATTEST_IO_NPY_H

#include "io/array.h"

enum {
    ATTEST_NPY_MAGIC_SIZE = 6,
    /* The longest header that is read, the bytes before its text included. NumPy writes longer
     * ones only for structures, which are refused anyway. */
    ATTEST_NPY_MAX_HEADER = 65536
};

/* True when the bytes begin as an .npy file does. */
bool attest_npy_is(const unsigned char *bytes, size_t count);

/* Reads type, order and shape from the first count bytes of a file; *header_size is where its
 * elements begin. array->data is not set. count need not reach beyond the header, nor beyond
 * ATTEST_NPY_MAX_HEADER. Status: FORMAT. */
attest_status attest_npy_parse_header(attest_array *array, size_t *header_size,
                                      const unsigned char *bytes, size_t count,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Requires a file of this size to be the header and the elements, and nothing else.
 * Status: FORMAT. */
attest_status attest_npy_check_size(const attest_array *array, size_t header_size, size_t size,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* A whole file; array->data points into its bytes. Status: FORMAT. */
attest_status attest_npy_parse(attest_array *array, const unsigned char *bytes, size_t size,
                               attest_error *error) ATTEST_WARN_UNUSED;

#endif
