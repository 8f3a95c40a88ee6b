/* input.h -- a whole file as bytes. */
#ifndef ATTEST_BASE_INPUT_H
#define ATTEST_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>

/* Files above this size are mapped instead of read. A mapped file that another program shortens
 * meanwhile ends the process with SIGBUS; small files cannot do that. */
#define ATTEST_INPUT_MAP_FROM ((size_t)16 << 20)

typedef struct attest_input {
    const unsigned char *data; /* never NULL */
    size_t size;
    bool mapped;
} attest_input;

/* The contents of the file at path, or of standard input for "-". limit caps what is read from
 * a pipe, whose size nobody knows beforehand. The error's text begins with the path. Status:
 * IO, NOMEM, UNABLE (limit). Fault points "open", "read". */
attest_status attest_input_open(attest_input *input, const char *path, size_t limit,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* How errors name the path: itself, or "standard input". */
const char *attest_input_name(const char *path);

void attest_input_close(attest_input *input);

#endif
