/* output.h -- files that are written whole or not at all.
 *
 * Data go to a temporary file in the directory of the target, one without a name if the file
 * system supports that; commit flushes it, fsyncs it, renames it over the target and fsyncs
 * the directory. It gets the permissions of the file that it replaces. A target that exists
 * and is not a regular file (a pipe, /dev/null) is written directly, and so is "-", standard
 * output. */
#ifndef ATTEST_BASE_OUTPUT_H
#define ATTEST_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <attest/error.h>

typedef struct attest_output {
    FILE *stream;    /* write here */
    char *path;      /* the target */
    char *temporary; /* NULL when the target is written directly */
    bool nameless;   /* the temporary file has no name yet and is deleted with the process */
} attest_output;

/* Checks that a file, or a directory, can be created or written at path, before work whose
 * result would be lost. Opening may fail all the same. Status: IO, NOMEM. */
attest_status attest_output_check(const char *path, bool is_directory,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Status: IO, NOMEM. Fault points "open", "alloc". */
attest_status attest_output_open(attest_output *output, const char *path,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Opens a file whose name the user did not choose (a fixed name in a directory). If it exists,
 * it must be a regular file, since opening a FIFO may never end. Status: also USAGE, if it is
 * not. */
attest_status attest_output_open_file(attest_output *output, const char *path,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Completes the file and frees the output, also after a failure. After a failure the target is
 * unchanged, unless syncing its directory failed: then it is the complete new file, which a
 * crash of the machine may still undo. Fault points "write", "fsync", "close", "rename". */
attest_status attest_output_commit(attest_output *output,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Returns the errno of a stream that failed earlier. The errno of that write is lost, so
 * another byte is written to get it; the file is incomplete anyway. Clears the error of the
 * stream. EIO if the byte is accepted. */
int attest_output_reason(FILE *stream);

/* Deletes the temporary file. */
void attest_output_abandon(attest_output *output);

#endif
