/* preload.c -- fails allocations of any program that it is preloaded into: ATTEST_PRELOAD=K
 * fails the K-th, K+ that and all later ones. ATTEST_PRELOAD_COUNT names a file that gets the
 * number of allocations at the end. Needs glibc, whose own functions it calls. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_ulong passes;
static unsigned long first;
static int from_then_on, begun;

__attribute__((constructor)) static void begin(void)
{
    const char *k = getenv("ATTEST_PRELOAD");

    first = k ? strtoul(k, NULL, 10) : 0;
    from_then_on = k && strchr(k, '+') != NULL;
    begun = 1; /* what the loader allocates is not the program's */
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("ATTEST_PRELOAD_COUNT");
    char text[32];
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    if (file < 0)
        return;
    snprintf(text, sizeof text, "%lu\n", atomic_load(&passes));
    if (write(file, text, strlen(text)) < 0)
        _exit(1);
    close(file);
}

static int fails(void)
{
    unsigned long k = begun ? atomic_fetch_add(&passes, 1) + 1 : 0;

    if (first == 0 || (from_then_on ? k < first : k != first))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}
