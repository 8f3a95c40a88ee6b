/* error.h -- error messages of one line.
 *
 * Every call that can fail for a reason worth reporting takes an attest_error as its last
 * argument; NULL is allowed. The text names the file and the position in it and has no
 * newline. It may quote an input file: escape it before printing, as the program does. */
#ifndef ATTEST_ERROR_H
#define ATTEST_ERROR_H

#include <attest/export.h>
#include <attest/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTEST_ERROR_SIZE 512

typedef struct attest_error {
    attest_status status;
    char text[ATTEST_ERROR_SIZE]; /* longer texts are cut in the middle: "..." */
} attest_error;

/* Stores status and the formatted text in *error (if not NULL); returns status. */
ATTEST_API attest_status attest_error_set(attest_error *error, attest_status status,
                                          const char *format, ...) ATTEST_PRINTF(3, 4);

/* Puts "prefix: " before the text unless status is OK; returns status. error may be NULL. */
ATTEST_API attest_status attest_error_prefix(attest_error *error, attest_status status,
                                             const char *prefix);

#ifdef __cplusplus
}
#endif

#endif
