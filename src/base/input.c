/* input.c -- a whole file as bytes. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/memory.h"

static attest_status io_error(attest_error *error, const char *path, const char *what)
{
    return attest_error_set(error, ATTEST_IO, "%s: cannot %s: %s", path, what, strerror(errno));
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

/* Reads to the end of the file. expected sizes the first block; a pipe grows from there. */
static attest_status read_all(attest_input *input, int file, const char *path, size_t expected,
                              size_t limit, attest_error *error)
{
    size_t room = expected + 1, size = 0;
    unsigned char *data = attest_memory_alloc(room, 1);
    ssize_t got;

    if (!data)
        return attest_error_set(error, ATTEST_NOMEM, "%s: out of memory", path);
    while ((got = read_some(file, data + size, room - size)) > 0) {
        size += (size_t)got;
        if (size > limit) {
            free(data);
            return attest_error_set(error, ATTEST_UNABLE, "%s: more than %zu bytes of input",
                                    path, limit);
        }
        if (size == room) {
            unsigned char *grown = attest_memory_resize(data, room, 2);
            if (!grown) {
                free(data);
                return attest_error_set(error, ATTEST_NOMEM, "%s: out of memory", path);
            }
            data = grown;
            room *= 2;
        }
    }
    if (got < 0) {
        attest_status status = io_error(error, path, "read");
        free(data);
        return status;
    }
    input->data = data;
    input->size = size;
    input->mapped = false;
    return ATTEST_OK;
}

static attest_status map_all(attest_input *input, int file, const char *path, size_t size,
                             attest_error *error)
{
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);

    if (data == MAP_FAILED)
        return io_error(error, path, "map");
    input->data = data;
    input->size = size;
    input->mapped = true;
    return ATTEST_OK;
}

static attest_status take(attest_input *input, int file, const char *path, size_t limit,
                          attest_error *error)
{
    struct stat about;

    if (fstat(file, &about) != 0)
        return io_error(error, path, "read");
    if (S_ISDIR(about.st_mode))
        return attest_error_set(error, ATTEST_IO, "%s: is a directory", path);
    if (!S_ISREG(about.st_mode))
        return read_all(input, file, path, 65535, limit, error);
    if ((size_t)about.st_size >= ATTEST_INPUT_MAP_FROM)
        return map_all(input, file, path, (size_t)about.st_size, error);
    return read_all(input, file, path, (size_t)about.st_size, SIZE_MAX, error);
}

const char *attest_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

attest_status attest_input_open(attest_input *input, const char *path, size_t limit,
                                attest_error *error)
{
    attest_status status;
    int file;

    if (strcmp(path, "-") == 0)
        return take(input, STDIN_FILENO, attest_input_name(path), limit, error);
    do
        file = attest_fault("open") ? (errno = EIO, -1) : open(path, O_RDONLY | O_CLOEXEC);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return io_error(error, path, "open");
    status = take(input, file, path, limit, error);
    close(file);
    return status;
}

void attest_input_close(attest_input *input)
{
    if (input->mapped)
        munmap((void *)(uintptr_t)input->data, input->size);
    else
        free((void *)(uintptr_t)input->data);
    memset(input, 0, sizeof *input);
}
