/* chunk_result.h -- filling and joining the results of chunks. */
#ifndef ATTEST_IO_CHUNK_RESULT_H
#define ATTEST_IO_CHUNK_RESULT_H

#include "campaign/chunk.h"
#include "io/json_read.h"
#include "io/json_write.h"

/* Counts the trial's labels. Status: NOMEM. */
attest_status attest_chunk_result_add_labels(attest_chunk_result *result,
                                             const attest_trial *trial) ATTEST_WARN_UNUSED;

/* Counts the name so many times more. Status: NOMEM. */
attest_status attest_chunk_result_add_label(attest_chunk_result *result, const char *name,
                                            uint64_t count) ATTEST_WARN_UNUSED;

/* Appends a violation; its texts belong to the result then, whatever the status. Status: NOMEM
 * (also when a text is NULL). */
attest_status
attest_chunk_result_add_violation(attest_chunk_result *result,
                                  const attest_violation *violation) ATTEST_WARN_UNUSED;

/* Appends a death. Status: NOMEM. */
attest_status attest_chunk_result_add_death(attest_chunk_result *result,
                                            const attest_death *death) ATTEST_WARN_UNUSED;

/* Adds the result of the chunk that follows, whose texts are taken over: it is empty then. Of
 * equal margins the earlier one stays the tightest. Observations are dropped.
 * Status: NOMEM. */
attest_status attest_chunk_result_join(attest_chunk_result *result,
                                       attest_chunk_result *next) ATTEST_WARN_UNUSED;

/* Writes the result as a JSON object under key, and reads it back: the same, bit for bit.
 * Status: FORMAT, NOMEM; after a failure the result can only be cleared. */
void attest_chunk_result_write(attest_json *json, const char *key,
                               const attest_chunk_result *result);
attest_status attest_chunk_result_read(attest_chunk_result *result,
                                       const attest_json_cursor *object,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
