/* input.c -- an input file: opened once, its bytes in memory, its hash. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/memory.h"
#include "base/sha256.h"

enum { PIPE_BLOCK = 65536 }; /* if the size is unknown */

static attest_status io_error(attest_error *error, const char *path, const char *what)
{
    return attest_error_set(error, ATTEST_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static attest_status too_large(attest_error *error, const char *path, size_t limit)
{
    return attest_error_set(error, ATTEST_UNABLE, "%s: more than %zu bytes of input", path,
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
    if (status != ATTEST_OK)
        attest_input_close(input);
    return status;
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
    if (status == ATTEST_OK)
        return ATTEST_OK;
    return attest_error_prefix(error, status, attest_input_name(input->path));
}

attest_status attest_input_end(attest_input *input, attest_status status, attest_error *error)
{
    status = attest_input_locate(input, status, error);
    attest_input_close(input);
    return status;
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
