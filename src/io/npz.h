/* npz.h -- weights from NumPy's .npz archives.
 *
 * The arrays WQ, WK, WV of shape (H, s, d) and WO of shape (H, d, s), as numpy.savez and
 * numpy.savez_compressed write them; other entries are ignored. Softmax, no mask, with skip: an
 * archive says nothing about these. */
#ifndef ATTEST_IO_NPZ_H
#define ATTEST_IO_NPZ_H

#include <attest/weights.h>

/* weights = those of the archive. Status: FORMAT (the text names the array), UNABLE, NOMEM; on
 * failure the weights are as after init. Memory besides the weights: one array. */
attest_status attest_weights_set_npz(attest_weights *weights, const unsigned char *bytes,
                                     size_t size, attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
