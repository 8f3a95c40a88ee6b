/* input.h -- opening input files, and locating errors in them. */
#ifndef ATTEST_BASE_INPUT_H
#define ATTEST_BASE_INPUT_H

#include <attest/input.h>

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

/* The same; closes the input. */
attest_status attest_input_end(attest_input *input, attest_status status, attest_error *error);

/* The name of the path in errors: itself, or "standard input". */
const char *attest_input_name(const char *path);

#endif
