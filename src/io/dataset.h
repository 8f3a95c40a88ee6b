/* dataset.h -- datasets in files: JSON objects, on their own or inside other ones, and the
 * numbers of binary files. */
#ifndef ATTEST_IO_DATASET_H
#define ATTEST_IO_DATASET_H

#include <attest/dataset.h>

#include "io/array.h"
#include "io/json_read.h"
#include "io/json_write.h"

/* dataset = the attest/dataset object. Errors stick: FORMAT, UNABLE, NOMEM; after a failure the
 * dataset is empty. */
void attest_dataset_set_json(attest_dataset *dataset, const attest_json_cursor *object);

/* The same from the text of a file. */
attest_status attest_dataset_parse_json(attest_dataset *dataset, const char *text, size_t size,
                                        attest_budget *budget,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the object under key (NULL: at the top or in an array). */
void attest_dataset_write_json(attest_json *json, const char *key,
                               const attest_dataset *dataset);

/* Writes sequence i as an array of tokens, an element of an array. */
void attest_dataset_write_sequence_json(attest_json *json, const attest_dataset *dataset,
                                        size_t i);

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
