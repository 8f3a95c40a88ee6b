/* file.c -- inputs, read once into memory; outputs, which appear whole or not at all; the
 * directory of a campaign, and its lock. */
#include "config.h" /* O_TMPFILE is an extension */

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/hint.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "base/text.h"

enum { PIPE_BLOCK = 65536 }; /* if the size is unknown */

static attest_status io_error(attest_error *error, const char *path, const char *what)
{
    if (errno == ENOMEM)
        return attest_memory_fail_at(error, path);
    return attest_error_set(error, ATTEST_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* Inputs. */

static attest_status too_large(attest_error *error, const char *path, size_t limit)
{
    return attest_error_set(error, ATTEST_UNABLE, "%s: more than %zu " ATTEST_HINT_INPUT, path,
                            limit);
}

static attest_status no_file(attest_error *error, const char *path)
{
    return attest_error_set(error, ATTEST_USAGE, "%s: is not a regular file", path);
}

static ssize_t read_some(int file, void *to, size_t count)
{
    ssize_t got;

    if (attest_fault("read")) {
        errno = EIO;
        return -1;
    }
    do
        got = read(file, to, count);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Reads to the end. room sizes the first block; a pipe, or a file that grows meanwhile, takes
 * more. What was read so far is the input's, also after a failure. */
static attest_status read_all(attest_input *input, int file, const char *name, size_t room,
                              size_t limit, attest_error *error)
{
    unsigned char *data = attest_memory_alloc(room, 1);
    ssize_t got;

    input->data = data;
    if (!data)
        return attest_memory_fail_at(error, name);
    while ((got = read_some(file, data + input->size, room - input->size)) > 0) {
        input->size += (size_t)got;
        if (input->size > limit)
            return too_large(error, name, limit);
        if (input->size < room)
            continue;
        if (!attest_memory_grow(&data, &room, room + 1, 1))
            return attest_memory_fail_at(error, name);
        input->data = data;
    }
    return got < 0 ? io_error(error, name, "read") : ATTEST_OK;
}

/* Reads the open file. Its type is taken from the descriptor: the path may lead to another file
 * by now. */
static attest_status take(attest_input *input, int file, bool files_only, size_t limit,
                          attest_error *error)
{
    const char *name = attest_input_name(input->path);
    struct stat about;

    if (fstat(file, &about) != 0)
        return io_error(error, name, "read");
    input->regular = S_ISREG(about.st_mode);
    if (files_only && !input->regular)
        return no_file(error, name);
    if (S_ISDIR(about.st_mode))
        return attest_error_set(error, ATTEST_IO, "%s: is a directory", name);
    if (!input->regular)
        return read_all(input, file, name, PIPE_BLOCK, limit, error);
    if ((uintmax_t)about.st_size > limit)
        return too_large(error, name, limit);
    /* One byte more than the size: the read after the last byte finds the end. */
    return read_all(input, file, name, (size_t)about.st_size + 1, limit, error);
}

static int open_path(const char *path, int flags)
{
    int file;

    do
        file = attest_fault("open") ? (errno = EIO, -1) : open(path, flags);
    while (file < 0 && errno == EINTR);
    return file;
}

static attest_status open_input(attest_input *input, const char *path, bool files_only,
                                size_t limit, attest_error *error)
{
    const int flags = O_RDONLY | O_CLOEXEC | (files_only ? O_NONBLOCK | O_NOCTTY : 0);
    bool is_stdin = strcmp(path, "-") == 0;
    int file = is_stdin ? STDIN_FILENO : open_path(path, flags);
    attest_status status;

    *input = (attest_input){.path = path};
    if (file < 0)
        return io_error(error, path, "open");
    status = take(input, file, files_only, limit, error);
    if (!is_stdin)
        close(file);
    ATTEST_TRY_OR(status, attest_input_close(input));
    return ATTEST_OK;
}

attest_status attest_input_open(attest_input *input, const char *path, size_t limit,
                                attest_error *error)
{
    return open_input(input, path, false, limit, error);
}

attest_status attest_input_open_file(attest_input *input, const char *path, size_t limit,
                                     attest_error *error)
{
    struct stat about;

    /* Opening a pipe wakes the process that writes to it, and opening a device may do anything:
     * only regular files are opened. */
    *input = (attest_input){.path = path};
    if (strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)))
        return no_file(error, attest_input_name(path));
    return open_input(input, path, true, limit, error);
}

const char *attest_input_sha256(attest_input *input)
{
    if (!input->sha256[0])
        attest_sha256_hex(input->sha256, input->data, input->size);
    return input->sha256;
}

attest_status attest_input_locate(const attest_input *input, attest_status status,
                                  attest_error *error)
{
    return attest_error_prefix(error, status, attest_input_name(input->path));
}

const char *attest_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void attest_input_close(attest_input *input)
{
    free((void *)(uintptr_t)input->data);
    *input = (attest_input){.path = input->path};
}

/* Outputs. */

/* Resolves symbolic links, so that rename replaces the file and not the link. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);

    return real || errno == ENOMEM ? real : attest_memory_copy(path);
}

static attest_status open_direct(attest_output *output, attest_error *error)
{
    if (strcmp(output->path, "-") == 0)
        output->stream = stdout;
    else
        output->stream = attest_fault("open") ? (errno = EIO, NULL) : fopen(output->path, "w");
    return output->stream ? ATTEST_OK : io_error(error, output->path, "open for writing");
}

/* mkstemp makes files that only their owner may read. Gives the empty file the permissions of
 * the file that it will replace, or those of a new file. */
static void set_permissions(int file, const char *path)
{
    mode_t mask = umask(0), mode = 0666 & ~mask;
    struct stat about;

    umask(mask);
    if (stat(path, &about) == 0)
        mode = about.st_mode & 0777;
    if (fchmod(file, mode) != 0)
        return; /* a file system without permission bits: the file is usable anyway */
}

/* Opens the directory of the path for syncing: after a rename the new entry is on disk only
 * once the directory is synced. It is opened before the rename, so that a failure to open it
 * leaves the old file in place. */
static int open_directory(const char *path)
{
    char *directory ATTEST_FREED = attest_memory_copy(path);
    char *slash = directory ? strrchr(directory, '/') : NULL;

    if (!directory) {
        errno = ENOMEM;
        return -1;
    }
    if (slash)
        slash[slash == directory] = '\0';
    return open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Opens a file without a name in the directory of path. It gets its name when it is complete,
 * and disappears if the process ends before. It is named through /proc, and not every file
 * system supports it. */
static FILE *open_nameless(const char *path)
{
#ifdef O_TMPFILE
    int directory = open_directory(path), file = -1;
    FILE *stream = NULL;

    if (directory >= 0 && access("/proc/self/fd", X_OK) == 0)
        file = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0)
        set_permissions(file, path);
    if (file >= 0 && !(stream = fdopen(file, "w")))
        close(file);
    if (directory >= 0)
        close(directory);
    return stream;
#else
    (void)path;
    return NULL;
#endif
}

static FILE *open_named(char *temporary, const char *path)
{
    int file = mkstemp(temporary);
    FILE *stream;

    if (file < 0)
        return NULL;
    set_permissions(file, path);
    stream = fdopen(file, "w");
    if (!stream) {
        close(file);
        unlink(temporary);
    }
    return stream;
}

static attest_status open_temporary(attest_output *output, attest_error *error)
{
    attest_text name;

    attest_text_init(&name);
    attest_text_printf(&name, "%s.XXXXXX", output->path);
    output->temporary = attest_text_take(&name);
    if (!output->temporary)
        return attest_memory_fail_at(error, output->path);
    if (attest_fault("open")) {
        errno = EIO;
    } else {
        output->stream = open_nameless(output->path);
        output->nameless = output->stream != NULL;
        if (!output->stream)
            output->stream = open_named(output->temporary, output->path);
    }
    if (output->stream)
        return ATTEST_OK;
    free(output->temporary);
    output->temporary = NULL;
    return io_error(error, output->path, "create");
}

static attest_status open_stream(attest_output *output, const char *path, bool files_only,
                                 attest_error *error)
{
    struct stat about;
    bool exists = stat(output->path, &about) == 0;

    if (files_only && exists && !S_ISREG(about.st_mode))
        return attest_error_set(error, ATTEST_USAGE, "%s: is not a regular file", path);
    if (strcmp(path, "-") == 0 ||
        (exists && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)))
        return open_direct(output, error);
    if (exists && S_ISDIR(about.st_mode))
        return attest_error_set(error, ATTEST_IO, "%s: is a directory", path);
    return open_temporary(output, error);
}

static attest_status open_output(attest_output *output, const char *path, bool files_only,
                                 attest_error *error)
{
    memset(output, 0, sizeof *output);
    output->path = strcmp(path, "-") == 0 ? attest_memory_copy(path) : resolve(path);
    if (!output->path)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY_OR(open_stream(output, path, files_only, error), attest_output_abandon(output));
    return ATTEST_OK;
}

attest_status attest_output_open(attest_output *output, const char *path, attest_error *error)
{
    return open_output(output, path, false, error);
}

attest_status attest_output_open_file(attest_output *output, const char *path,
                                      attest_error *error)
{
    return open_output(output, path, true, error);
}

/* Fails unless files can be created in the directory of path. */
static attest_status check_directory(const char *path, attest_error *error)
{
    int directory = open_directory(path);
    attest_status status = ATTEST_OK;

    if (directory < 0 || faccessat(directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
        status = io_error(error, path, "create");
    if (directory >= 0)
        close(directory);
    return status;
}

attest_status attest_output_check(const char *path, bool is_directory, attest_error *error)
{
    struct stat about;
    char *real ATTEST_FREED = NULL;
    bool exists;

    if (strcmp(path, "-") == 0)
        return ATTEST_OK;
    real = resolve(path);
    if (!real)
        return attest_memory_fail_at(error, path);
    exists = stat(real, &about) == 0;
    if (exists && S_ISDIR(about.st_mode) && !is_directory)
        return attest_error_set(error, ATTEST_IO, "%s: is a directory", path);
    if (exists && is_directory)
        return access(path, W_OK | X_OK) == 0 && S_ISDIR(about.st_mode)
                   ? ATTEST_OK
                   : attest_error_set(
                         error, ATTEST_IO, "%s: cannot create files in it: %s", path,
                         S_ISDIR(about.st_mode) ? strerror(errno) : strerror(ENOTDIR));
    return !exists || S_ISREG(about.st_mode) ? check_directory(real, error) : ATTEST_OK;
}

static int sync_file(int file)
{
    return attest_fault("fsync") ? (errno = EIO, -1) : fsync(file);
}

/* Names the complete file that has no name yet; errno is EEXIST if the name is taken. */
static bool name_file(int file, const char *name)
{
    char link[64];

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives the file a temporary name that no other file has. */
static bool name_temporarily(attest_output *output, int file)
{
    char *end = output->temporary + strlen(output->temporary) - strlen("XXXXXX");
    uint32_t number = (uint32_t)getpid();

    for (int attempt = 0; attempt < 1000; attempt++, number++) {
        snprintf(end, sizeof "XXXXXX", "%06x", (unsigned)(number & 0xFFFFFF));
        if (name_file(file, output->temporary)) {
            output->nameless = false;
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    return false;
}

/* Puts the complete file in the place of the target: under its name at once if the target does
 * not exist, so that a kill leaves no temporary file, and otherwise by renaming a temporary
 * file. */
static const char *place_file(attest_output *output, int file)
{
    if (attest_fault("rename"))
        return "rename the temporary file to";
    if (output->nameless && name_file(file, output->path)) {
        free(output->temporary);
        output->temporary = NULL;
        return NULL;
    }
    if (output->nameless && (errno != EEXIST || !name_temporarily(output, file)))
        return "create";
    if (rename(output->temporary, output->path) != 0)
        return "rename the temporary file to";
    free(output->temporary);
    output->temporary = NULL;
    return NULL;
}

/* Puts the complete file in the place of the target and syncs the directory, so that the name
 * is on disk. */
static const char *replace_target(attest_output *output, int file)
{
    int directory = open_directory(output->path);
    const char *failed;

    if (directory < 0)
        return "open the directory of";
    failed = place_file(output, file);
    /* EINVAL: a file system whose directories cannot be synced */
    if (!failed && sync_file(directory) != 0 && errno != EINVAL)
        failed = "sync the directory of";
    close(directory);
    return failed;
}

int attest_output_reason(FILE *stream)
{
    int reason;

    clearerr(stream);
    errno = 0;
    reason = (putc('\n', stream) == EOF || fflush(stream) != 0) && errno ? errno : EIO;
    clearerr(stream);
    return reason;
}

static void close_quietly(int file)
{
    int reason = errno;

    close(file);
    errno = reason;
}

/* On a full disk fprintf succeeds, fflush fails and fclose returns 0 again: each step is
 * checked. */
static const char *finish(attest_output *output)
{
    FILE *stream = output->stream;
    const char *what = NULL;
    int file = -1;
    bool broken = ferror(stream), failed = attest_fault("write") || fflush(stream) != 0;

    if (broken && errno == 0)
        errno = attest_output_reason(stream);
    failed = failed || broken;
    if (failed && errno == 0)
        errno = EIO;
    output->stream = NULL;
    if (stream == stdout)
        return failed ? "write" : NULL;
    if (!failed && output->temporary && sync_file(fileno(stream)) != 0)
        failed = true;
    if (!failed && output->nameless && (file = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)) < 0)
        failed = true; /* the file without a name is deleted when it is closed */
    if (fclose(stream) != 0 || attest_fault("close") || failed)
        what = "write";
    else if (output->temporary)
        what = replace_target(output, file);
    if (file >= 0)
        close_quietly(file);
    return what;
}

attest_status attest_output_commit(attest_output *output, attest_error *error)
{
    attest_status status = ATTEST_OK;
    const char *failed;

    errno = 0;
    failed = finish(output);
    if (failed) {
        const char *name = strcmp(output->path, "-") == 0 ? "standard output" : output->path;
        if (errno == 0)
            errno = EIO;
        status = io_error(error, name, failed);
    }
    attest_output_abandon(output);
    return status;
}

void attest_output_abandon(attest_output *output)
{
    if (output->stream && output->stream != stdout)
        fclose(output->stream);
    if (output->temporary && !output->nameless)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
}

/* The directory of a campaign. Its lock is one of fcntl: it is released when the process ends
 * for any reason, forked workers do not inherit it, and F_GETLK returns the number of its
 * owner. */

char *attest_directory_join(const char *path, const char *name)
{
    attest_text text;

    attest_text_init(&text);
    attest_text_printf(&text, "%s/%s", path, name);
    return attest_text_take(&text);
}

static attest_status lock(attest_directory *directory, attest_error *error)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path ATTEST_FREED = attest_directory_join(directory->path, "lock");

    if (!path)
        return attest_memory_fail(error);
    directory->lock = attest_fault("open")
                          ? (errno = EIO, -1)
                          : open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    /* A symbolic link could make this create or lock a file elsewhere. */
    if (directory->lock < 0 && errno == ELOOP)
        return attest_error_set(error, ATTEST_IO,
                                "%s: its file lock is a symbolic link: remove it",
                                directory->path);
    if (directory->lock < 0)
        return io_error(error, directory->path, "create the file lock in it");
    if (fcntl(directory->lock, F_SETLK, &whole) == 0)
        return ATTEST_OK;
    if (errno != EACCES && errno != EAGAIN)
        return io_error(error, directory->path, "lock it");
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
    directory->lock = -1;
    directory->path = strdup(path);
    if (!directory->path)
        return attest_memory_fail(error);
    ATTEST_TRY_OR(mkdir(path, 0777) != 0 && errno != EEXIST
                      ? io_error(error, path, "create the directory")
                      : lock(directory, error),
                  attest_directory_close(directory));
    return ATTEST_OK;
}

void attest_directory_close(attest_directory *directory)
{
    if (directory->lock >= 0)
        close(directory->lock);
    free(directory->path);
    directory->path = NULL;
    directory->lock = -1;
}
