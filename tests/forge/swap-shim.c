/* swap-shim.c -- a library to be preloaded: changes a file at a chosen moment of another
 * program.
 *
 * SWAP_FILE is the name by which the program opens the file, SWAP_CONTENTS a file with what
 * stands in it from then on, SWAP_AT the moment: calls of open, read, mmap, close, malloc,
 * calloc and realloc are counted from the first time the file is opened, and before call number
 * SWAP_AT the contents change. SWAP_HOW is "rename" (SWAP_CONTENTS becomes the file) or
 * "overwrite" (the bytes are written into it, which a mapping of it shows). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own, since malloc itself is in the way here. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static bool opened, done;
static long calls;

/* By system calls alone, so that none of it is counted. */
static void overwrite(const char *path, const char *contents)
{
    static char buffer[1 << 16];
    long from = syscall(SYS_openat, AT_FDCWD, contents, O_RDONLY, 0), got;
    long to = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY, 0);

    while ((got = syscall(SYS_read, from, buffer, sizeof buffer)) > 0)
        if (syscall(SYS_write, to, buffer, got) != got)
            _exit(99);
    syscall(SYS_close, from);
    syscall(SYS_close, to);
}

static void note_call(void)
{
    const char *at = getenv("SWAP_AT"), *how = getenv("SWAP_HOW");

    if (!opened || done || !at || !how || calls++ < strtol(at, NULL, 10))
        return;
    done = true;
    if (strcmp(how, "overwrite") == 0)
        overwrite(getenv("SWAP_FILE"), getenv("SWAP_CONTENTS"));
    else if (syscall(SYS_renameat2, AT_FDCWD, getenv("SWAP_CONTENTS"), AT_FDCWD,
                     getenv("SWAP_FILE"), 0))
        _exit(99);
}

int open(const char *path, int flags, ...)
{
    const char *file = getenv("SWAP_FILE");
    va_list more;
    int mode;

    note_call();
    opened = opened || (file && strcmp(path, file) == 0);
    va_start(more, flags);
    mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

ssize_t read(int file, void *to, size_t count)
{
    note_call();
    return syscall(SYS_read, file, to, count);
}

int close(int file)
{
    note_call();
    return (int)syscall(SYS_close, file);
}

void *mmap(void *where, size_t size, int protection, int flags, int file, off_t offset)
{
    note_call();
    return (void *)syscall(SYS_mmap, where, size, protection, flags, file, offset);
}

void *mmap64(void *where, size_t size, int protection, int flags, int file, off_t offset)
    __attribute__((alias("mmap")));

void *malloc(size_t size)
{
    note_call();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    note_call();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    note_call();
    return __libc_realloc(block, size);
}
