/* json_file.h -- a JSON file that appears whole or not at all. */
#ifndef ATTEST_IO_JSON_FILE_H
#define ATTEST_IO_JSON_FILE_H

#include "base/output.h"
#include "io/json_write.h"

typedef struct attest_json_file {
    attest_output output;
    attest_json json; /* write here */
} attest_json_file;

/* Status: IO, NOMEM; the text begins with the path. */
attest_status attest_json_file_open(attest_json_file *file, const char *path,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Ends the file; nothing is left to clear. After a failure the target is what it was. */
attest_status attest_json_file_commit(attest_json_file *file,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
