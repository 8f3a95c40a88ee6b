/* file.h -- opens inputs and locates errors in them; writes files whole or not at all; locks a
 * directory. */
#ifndef ATTEST_BASE_FILE_H
#define ATTEST_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <attest/input.h>
#include <attest/error.h>

/* Opens an input: attest_input_open or attest_input_open_file. */
typedef attest_status attest_input_opener(attest_input *input, const char *path, size_t limit,
                                          attest_error *error);

/* Like attest_input_open, but accepts regular files only, and never waits. Every path that is
 * not an operand or an option's argument is opened by this function: a path from another file,
 * a file that is found in a directory, a file with a fixed name. Opening a FIFO or reading a
 * device there may never end. Status: also USAGE, if it is not a regular file. */
attest_status attest_input_open_file(attest_input *input, const char *path, size_t limit,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Returns the status of parsing the input; on a failure the path is put before the error's
 * text. */
attest_status attest_input_locate(const attest_input *input, attest_status status,
                                  attest_error *error);

/* The name of the path in errors: itself, or "standard input". */
const char *attest_input_name(const char *path);

/* A file that is written whole or not at all. Data go to a temporary file in the directory of
 * the target, one without a name if the file system supports that; commit flushes it, fsyncs
 * it, renames it over the target and fsyncs the directory. It gets the permissions of the file
 * that it replaces. A target that exists and is not a regular file (a pipe, /dev/null) is
 * written directly, and so is "-", standard output. */
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

/* The directory of a campaign, which one process locks. */
typedef struct attest_directory {
    char *path;
    int lock; /* the file "lock" in it, locked; -1: none */
} attest_directory;

/* Creates the directory if it does not exist, and locks it until it is closed or the process
 * ends. Status: IO, NOMEM; USAGE if another process has the lock. */
attest_status attest_directory_open(attest_directory *directory, const char *path,
                                    attest_error *error) ATTEST_WARN_UNUSED;
void attest_directory_close(attest_directory *directory);

/* "PATH/NAME", the caller's to free; NULL: out of memory. */
char *attest_directory_join(const char *path, const char *name);

#endif
