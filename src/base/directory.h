/* directory.h -- the directory of a campaign, which one process locks. */
#ifndef ATTEST_BASE_DIRECTORY_H
#define ATTEST_BASE_DIRECTORY_H

#include <stdbool.h>

#include <attest/error.h>

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
