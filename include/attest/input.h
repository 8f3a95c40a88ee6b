/* input.h -- an input file: opened once, its bytes in memory, and their hash.
 *
 * The same bytes are parsed, verified and hashed, even if the file changes in the meantime.
 * Files are never mapped: a mapping changes with the file, and truncating the file would kill
 * the process. */
#ifndef ATTEST_INPUT_H
#define ATTEST_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/export.h>
#include <attest/error.h>
#include <attest/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attest_input {
    const char *path; /* owned by the caller; it must outlive the input */
    const unsigned char *data;
    size_t size;
    bool regular;    /* a file that can be opened again, not a pipe or a device */
    char sha256[65]; /* in hex, or empty: not computed yet */
} attest_input;

/* Reads the file at path, or standard input for "-", to its end. A file of more than limit
 * bytes is rejected before memory is allocated, a pipe once more than limit bytes were read.
 * The error's text begins with the path, or with "standard input". On failure input is empty,
 * and may be closed. Status: IO, NOMEM, UNABLE (limit). */
ATTEST_API attest_status attest_input_open(attest_input *input, const char *path, size_t limit,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* The SHA-256 of the bytes in hex, computed by the first call. */
ATTEST_API const char *attest_input_sha256(attest_input *input);

/* Frees the bytes. */
ATTEST_API void attest_input_close(attest_input *input);

#ifdef __cplusplus
}
#endif

#endif
