/* output.h -- a file that appears whole or not at all.
 *
 * What is written goes to a temporary file in the target's folder, one without a name where the
 * file system has such; commit flushes it, fsyncs it, renames it over the target and fsyncs the
 * folder. It has the permissions of the file that it replaces. A target that exists and is no
 * regular file (a pipe, /dev/null) is written directly, and so is "-", standard output. */
#ifndef ATTEST_BASE_OUTPUT_H
#define ATTEST_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <attest/error.h>

typedef struct attest_output {
    FILE *stream;    /* write here */
    char *path;      /* the target */
    char *temporary; /* NULL when the target is written directly */
    bool nameless;   /* the temporary file has no name yet, and dies with the process */
} attest_output;

/* Whether a file, or a folder, can be made at path, or is there and can be written: to be asked
 * before work whose result would be lost. Opening may fail all the same. Status: IO, NOMEM. */
attest_status attest_output_check(const char *path, bool is_folder,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Status: IO, NOMEM. Fault points "open", "alloc". */
attest_status attest_output_open(attest_output *output, const char *path,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* The same for a file that the user does not name, one with a fixed name in a directory: what
 * exists there must be a regular file. Opening a FIFO may never end. Status: also USAGE, if it
 * is not a regular file. */
attest_status attest_output_open_file(attest_output *output, const char *path,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Ends the file; whatever the status, nothing is left to clear. After a failure the target is
 * what it was before, unless syncing its folder failed: then it is the new file, whole, which a
 * crash of the machine may still take back. Fault points "write", "fsync", "close", "rename".
 */
attest_status attest_output_commit(attest_output *output,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Why a stream that failed some time ago did: errno of that write is gone, so a byte is written
 * once more to hear it. What the stream leads to is not whole anyhow. The stream's error is
 * cleared. EIO where the byte is taken. */
int attest_output_reason(FILE *stream);

/* Drops what was written. */
void attest_output_abandon(attest_output *output);

#endif
