/* dataset_array.h -- a dataset from the numbers of a binary file. */
#ifndef ATTEST_IO_DATASET_ARRAY_H
#define ATTEST_IO_DATASET_ARRAY_H

#include <attest/dataset.h>

#include "io/array.h"

/* The dataset of an array of shape (N, n, d): N sequences of n tokens of d entries, exactly.
 * It gets a table of doubles, or a rational one if some 64-bit integer is not a double.
 * Status: FORMAT (another shape, an empty one, NaN or infinite entries: the text has shape or
 * index), UNABLE, NOMEM. On failure the dataset is unchanged. Cost: one pass, and besides the
 * dataset 64 KiB or one token as doubles. */
attest_status attest_dataset_set_array(attest_dataset *dataset, const attest_array *array,
                                       attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* The dataset of a whole .npy file. Status: as above. */
attest_status attest_dataset_set_npy(attest_dataset *dataset, const unsigned char *bytes,
                                     size_t size, attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* The dataset of one tensor of a safetensors file, of shape (N, n, d), or (n, d) for a single
 * sequence, as models store their embedding tables. tensor may be NULL if the file has only
 * one. Status: as above, and USAGE (no such tensor, or none was named). */
attest_status attest_dataset_set_safetensors(attest_dataset *dataset,
                                             const unsigned char *bytes, size_t size,
                                             const char *tensor, attest_budget *budget,
                                             attest_error *error) ATTEST_WARN_UNUSED;

#endif
