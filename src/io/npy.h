/* npy.h -- NumPy's files: .npy arrays, versions 1.0, 2.0 and 3.0, and .npz archives of
 * weights.
 *
 * Accepted: float16, float32, float64, the signed and unsigned integers of 8 to 64 bits, in
 * either byte order and either storage order, and bool, for masks. Rejected: complex,
 * longdouble, strings, objects and structures. The header is parsed by a grammar of its own
 * and never evaluated:
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }
 *
 * each key exactly once, in any order. */
#ifndef ATTEST_IO_NPY_H
#define ATTEST_IO_NPY_H

#include <attest/weights.h>

#include "io/array.h"
#include "io/zip.h"

/* Reads the header of an entry of an .npz archive, from its beginning only. It must agree with
 * the size of the entry, so that a small archive cannot claim to contain a large array.
 * Status: FORMAT, NOMEM. */
attest_status attest_npy_read_header(attest_array *array, size_t *header_size,
                                     const attest_zip_entry *entry,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* A whole file; array->data points into its bytes. Status: FORMAT. */
attest_status attest_npy_parse(attest_array *array, const unsigned char *bytes, size_t size,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* weights = the arrays WQ, WK, WV of shape (H, s, d) and WO of shape (H, d, s) of an .npz
 * archive, as numpy.savez and numpy.savez_compressed write them; other entries are ignored.
 * They are softmax heads without a mask and with skip, since an archive does not contain these
 * options. Status: FORMAT (the text names the array), UNABLE, NOMEM; on failure the weights
 * are as after init. Memory besides the weights: one array. */
attest_status attest_weights_set_npz(attest_weights *weights, const unsigned char *bytes,
                                     size_t size, attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
