/* file_state.c -- whether a file is still what it was. */
#include "base/file_state.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

attest_status attest_file_state_get(attest_file_state *state, const char *path,
                                    attest_error *error)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return attest_error_set(error, ATTEST_IO, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return attest_error_set(error, ATTEST_IO, "%s: is not a file that can be read again",
                                path);
    *state = (attest_file_state){(uint64_t)about.st_dev, (uint64_t)about.st_ino,
                                 (uint64_t)about.st_size, (int64_t)about.st_mtim.tv_sec,
                                 (int64_t)about.st_mtim.tv_nsec};
    return ATTEST_OK;
}

attest_status attest_file_state_check(const attest_file_state *state, const char *path,
                                      attest_error *error)
{
    attest_file_state now;
    attest_status status = attest_file_state_get(&now, path, error);

    if (status != ATTEST_OK)
        return status;
    if (now.device != state->device || now.file != state->file || now.size != state->size ||
        now.seconds != state->seconds || now.nanoseconds != state->nanoseconds)
        return attest_error_set(error, ATTEST_IO, "%s: was changed while it was in use", path);
    return ATTEST_OK;
}
