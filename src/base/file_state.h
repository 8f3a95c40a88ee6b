/* file_state.h -- whether a file is still what it was.
 *
 * A certificate holds the hashes of its inputs, which are read for that a second time. */
#ifndef ATTEST_BASE_FILE_STATE_H
#define ATTEST_BASE_FILE_STATE_H

#include <stdint.h>

#include <attest/error.h>

typedef struct attest_file_state {
    uint64_t device, file, size;
    int64_t seconds, nanoseconds; /* of the last change of its contents */
} attest_file_state;

/* Status: IO, also for what is no regular file: a pipe cannot be read twice. */
attest_status attest_file_state_get(attest_file_state *state, const char *path,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* IO if the file is gone, is another one, or was written since. */
attest_status attest_file_state_check(const attest_file_state *state, const char *path,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
