/* workers.c -- forked workers and the memory they share, progress, and the machine. */
#include "base/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <signal.h>
#include <sys/prctl.h>
#endif

#include "base/fault.h"
#include "base/memory.h"

enum { MOST_JOBS = 256 };

void *attest_shared_alloc(size_t count, size_t size)
{
    void *block;

    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    if (count == 0 || size == 0)
        count = size = 1;
    block = attest_memory_alloc(1, 1); /* the fault point, and a NULL in its place */
    if (!block)
        return NULL;
    free(block);
    block = mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

void attest_shared_free(void *block, size_t count, size_t size)
{
    if (count == 0 || size == 0)
        count = size = 1;
    if (block)
        munmap(block, count * size);
}

void *attest_workers_alloc(size_t count, size_t size, size_t jobs)
{
    return jobs > 1 ? attest_shared_alloc(count, size) : attest_memory_alloc(count, size);
}

void attest_workers_free(void *block, size_t count, size_t size, size_t jobs)
{
    if (jobs > 1)
        attest_shared_free(block, count, size);
    else
        free(block);
}

void attest_shared_block_clear(attest_shared_block *block)
{
    attest_shared_free(block->address, block->count, block->size);
}

void attest_workers_block_clear(attest_workers_block *block)
{
    attest_workers_free(block->address, block->count, block->size, block->jobs);
}

size_t attest_workers_default(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    return online > 1 ? (size_t)online : 1;
}

/* Shared by the workers: the next item, and whether one of them failed. */
typedef struct counter {
    atomic_size_t next;
    atomic_bool failed;
} counter;

static bool inside;

bool attest_workers_inside(void)
{
    return inside;
}

pid_t attest_workers_start(void (*run)(void *context), void *context)
{
    pid_t parent = getpid(), child;

    fflush(NULL); /* otherwise the child would inherit, and might write, buffered output */
    child = attest_fault("fork") ? (errno = EAGAIN, -1) : fork();
    if (child != 0)
        return child;
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    inside = true;
    if (getppid() == parent) /* the parent ended before that call */
        run(context);
    _exit(0);
}

int attest_workers_wait(pid_t process)
{
    int status = 0;

    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* The work of attest_workers_run, handed to each child. */
typedef struct items {
    bool (*work)(void *context, size_t i);
    void *context;
    size_t count;
    counter *shared;
} items;

static void run_items(void *context)
{
    const items *all = context;
    counter *shared = all->shared;

    while (!atomic_load(&shared->failed)) {
        size_t i = atomic_fetch_add(&shared->next, 1);
        if (i >= all->count)
            return;
        if (!all->work(all->context, i))
            atomic_store(&shared->failed, true);
    }
}

static attest_status wait_for(const pid_t *child, size_t children, attest_error *error)
{
    attest_status status = ATTEST_OK;

    for (size_t c = 0; c < children; c++) {
        int end = attest_workers_wait(child[c]);

        if (WIFEXITED(end) && WEXITSTATUS(end) == ATTEST_WORKERS_NO_MEMORY)
            status = attest_error_set(error, ATTEST_NOMEM, "a worker ran out of memory");
        else if (!WIFEXITED(end) || WEXITSTATUS(end) != 0)
            status = attest_error_set(error, ATTEST_IO, "a worker died");
    }
    return status;
}

attest_status attest_workers_run(bool (*work)(void *context, size_t i), void *context,
                                 size_t count, size_t jobs, attest_error *error)
{
    items all = {work, context, count, NULL};
    pid_t child[MOST_JOBS], process = 0;
    size_t children = 0;
    attest_status status;
    bool failed;

    if (jobs > count)
        jobs = count;
    if (jobs > MOST_JOBS)
        jobs = MOST_JOBS;
    all.shared = attest_workers_alloc(1, sizeof *all.shared, jobs);
    if (!all.shared)
        return attest_memory_fail(error);
    /* If a worker cannot be started, the others do its work. */
    while (children + 1 < jobs && (process = attest_workers_start(run_items, &all)) > 0)
        child[children++] = process;
    run_items(&all);
    status = wait_for(child, children, error);
    failed = atomic_load(&all.shared->failed);
    attest_workers_free(all.shared, 1, sizeof *all.shared, jobs);
    ATTEST_TRY(status);
    return failed ? attest_memory_fail(error) : ATTEST_OK;
}

void attest_progress_report(const attest_progress *progress, const char *what, uint64_t done,
                            uint64_t total, const char *note)
{
    if (progress->report)
        progress->report(progress->context, what, done, total, note);
}

void attest_progress_end(const attest_progress *progress)
{
    attest_progress_report(progress, NULL, 0, 0, NULL);
}

void attest_progress_end_stage(const attest_progress **progress)
{
    attest_progress_end(*progress);
}

int64_t attest_clock_nanoseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

double attest_clock_seconds(void)
{
    return 1e-9 * (double)attest_clock_nanoseconds();
}

/* The value of the first "key : value" in the text, or NULL. */
static char *find_value(char *text, const char *key)
{
    char *line = strstr(text, key), *colon = line ? strchr(line, ':') : NULL;

    if (!colon)
        return NULL;
    colon += 1 + strspn(colon + 1, " \t");
    colon[strcspn(colon, "\n")] = '\0';
    return *colon ? colon : NULL;
}

/* Reads the name of the first processor. A stream would allocate memory, and the name would
 * depend on whether there is some. */
void attest_machine_cpu(char *name, size_t size)
{
    int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    char text[2048], *value = NULL;
    struct utsname machine;
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;

    if (got > 0) {
        text[got] = '\0';
        value = find_value(text, "model name");
    }
    if (value)
        snprintf(name, size, "%s", value);
    else if (uname(&machine) == 0)
        snprintf(name, size, "%s", machine.machine);
    else
        name[0] = '\0';
    if (file >= 0)
        close(file);
}
