/* preload.c -- fails allocations of any program that it is preloaded into: ATTEST_PRELOAD=K
 * fails the K-th, K+ that and all later ones. ATTEST_PRELOAD_STACKS names a file that gets
 * two numbers of 64 bits for every allocation: which it is, and one that is the same where the
 * same calls led to it. A process that is forked counts on from what its parent had.
 *
 * Starting a program takes longer than most of the runs: with ATTEST_PRELOAD_SERVER=DIR it
 * stops before main and reads places, K or K+, one a line, from standard input; for each the
 * program is forked and runs, its output in DIR/stdout and DIR/stderr, and the status of
 * wait is written to standard output. Needs glibc, whose own functions it calls. */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

enum { DEPTH = 64, SECONDS = 300 };

static atomic_ulong passes;
static unsigned long first;
static int from_then_on, begun, stacks = -1;

static void set_place(const char *k)
{
    first = k ? strtoul(k, NULL, 10) : 0;
    from_then_on = k && strchr(k, '+') != NULL;
}

static void reopen(int file, const char *directory, const char *name, int flags)
{
    char path[4096];
    int opened;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    opened = open(path, flags, 0600);
    if (opened < 0 || dup2(opened, file) < 0)
        _exit(99);
    close(opened);
}

/* Returns in every child, which is to run the program; ends the server with its input. */
static void serve(const char *directory)
{
    char place[64];
    int status;

    for (;;) {
        size_t length = 0;
        pid_t child;

        do { /* no stream: the program's own would hold what is read ahead */
            if (length == sizeof place || read(STDIN_FILENO, place + length, 1) != 1)
                _exit(0);
        } while (place[length++] != '\n');
        place[length - 1] = '\0';
        child = fork();
        if (child == 0) {
            set_place(place);
            reopen(STDIN_FILENO, "/dev", "null", O_RDONLY);
            reopen(STDOUT_FILENO, directory, "stdout", O_WRONLY | O_CREAT | O_TRUNC);
            reopen(STDERR_FILENO, directory, "stderr", O_WRONLY | O_CREAT | O_TRUNC);
            alarm(SECONDS);
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) != child ||
            write(STDOUT_FILENO, &status, sizeof status) != (ssize_t)sizeof status)
            _exit(99);
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("ATTEST_PRELOAD_STACKS"),
               *server = getenv("ATTEST_PRELOAD_SERVER");
    void *frame[2];

    set_place(getenv("ATTEST_PRELOAD"));
    stacks = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (stacks >= 0)
        backtrace(frame, 2); /* the first call loads a library */
    if (server)
        serve(server);
    begun = 1; /* what the loader allocates is not the program's */
}

/* The calls that led here, as one number (FNV-1a over return addresses). */
static void tell_stack(unsigned long k)
{
    static atomic_flag inside = ATOMIC_FLAG_INIT;
    void *frame[DEPTH];
    uint64_t told[2] = {k, 0xcbf29ce484222325};
    int count;

    if (atomic_flag_test_and_set(&inside))
        return;
    count = backtrace(frame, DEPTH);
    for (int i = 0; i < count; i++)
        told[1] = (told[1] ^ (uintptr_t)frame[i]) * 0x100000001b3;
    if (write(stacks, told, sizeof told) < 0)
        _exit(1);
    atomic_flag_clear(&inside);
}

static int fails(void)
{
    unsigned long k = begun ? atomic_fetch_add(&passes, 1) + 1 : 0;

    if (k && stacks >= 0)
        tell_stack(k);
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
