/* directory.c -- the directory of a campaign, and its lock.
 *
 * The lock is one of fcntl: it is released when the process ends for any reason, forked workers
 * do not inherit it, and F_GETLK returns the number of its owner. */
#include "base/memory.h"
#include "base/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/scope.h"
#include "base/text.h"

char *attest_directory_join(const char *path, const char *name)
{
    attest_text text;

    attest_text_init(&text);
    attest_text_printf(&text, "%s/%s", path, name);
    return attest_text_take(&text);
}

static attest_status fail(attest_error *error, const char *path, const char *what)
{
    return attest_error_set(error, ATTEST_IO, "%s: cannot %s: %s", path, what,
                            strerror(errno ? errno : EIO));
}

static attest_status lock(attest_directory *directory, attest_error *error)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path ATTEST_FREED = attest_directory_join(directory->path, "lock");

    if (!path)
        return attest_memory_fail(error);
    directory->lock =
        attest_fault("open") ? -1 : open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    /* A symbolic link could make this create or lock a file elsewhere. */
    if (directory->lock < 0 && errno == ELOOP)
        return attest_error_set(error, ATTEST_IO,
                                "%s: its file lock is a symbolic link: remove it",
                                directory->path);
    if (directory->lock < 0)
        return fail(error, directory->path, "create the file lock in it");
    if (fcntl(directory->lock, F_SETLK, &whole) == 0)
        return ATTEST_OK;
    if (errno != EACCES && errno != EAGAIN)
        return fail(error, directory->path, "lock it");
    whole.l_type = F_WRLCK;
    if (fcntl(directory->lock, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK)
        return attest_error_set(error, ATTEST_USAGE, "%s: in use by process %ld",
                                directory->path, (long)whole.l_pid);
    return attest_error_set(error, ATTEST_USAGE, "%s: in use by another process",
                            directory->path);
}

attest_status attest_directory_open(attest_directory *directory, const char *path,
                                    attest_error *error)
{
    attest_status status;

    directory->lock = -1;
    directory->path = strdup(path);
    if (!directory->path)
        return attest_memory_fail(error);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        status = fail(error, path, "create the directory");
    else
        status = lock(directory, error);
    if (status != ATTEST_OK)
        attest_directory_close(directory);
    return status;
}

void attest_directory_close(attest_directory *directory)
{
    if (directory->lock >= 0)
        close(directory->lock);
    free(directory->path);
    directory->path = NULL;
    directory->lock = -1;
}
