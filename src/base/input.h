/* input.h -- what readers of input files share. */
#ifndef ATTEST_BASE_INPUT_H
#define ATTEST_BASE_INPUT_H

#include <attest/input.h>

/* Like attest_input_open, but takes regular files only: what a certificate names must be found
 * again, and must not be without end. Does not wait, as an open of a pipe does. Status: also
 * USAGE, for what is no regular file. */
attest_status attest_input_open_file(attest_input *input, const char *path, size_t limit,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* status, which parsing the input gave; if it failed, the error's text begins with the path
 * from now on. */
attest_status attest_input_locate(const attest_input *input, attest_status status,
                                  attest_error *error);

/* The same at the end of the input, which is closed. */
attest_status attest_input_end(attest_input *input, attest_status status, attest_error *error);

/* How errors name the path: itself, or "standard input". */
const char *attest_input_name(const char *path);

#endif
