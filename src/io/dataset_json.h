/* dataset_json.h -- datasets as JSON objects, on their own or inside other ones. */
#ifndef ATTEST_IO_DATASET_JSON_H
#define ATTEST_IO_DATASET_JSON_H

#include <attest/dataset.h>

#include "io/json_take.h"
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

#endif
