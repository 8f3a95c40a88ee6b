/* chunk_result.h -- filling the result of a chunk, trial by trial. */
#ifndef ATTEST_CAMPAIGN_CHUNK_RESULT_H
#define ATTEST_CAMPAIGN_CHUNK_RESULT_H

#include "campaign/chunk.h"

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

#endif
