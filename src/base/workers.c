/* workers.c -- shared memory and forked workers. */
#include "base/workers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <signal.h>
#include <sys/prctl.h>
#endif

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

size_t attest_workers_default(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    return online > 1 ? (size_t)online : 1;
}

/* What the workers share: the next item, and whether one of them failed. */
typedef struct counter {
    atomic_size_t next;
    atomic_bool failed;
} counter;

static void run_items(bool (*work)(void *context, size_t i), void *context, size_t count,
                      counter *shared)
{
    while (!atomic_load(&shared->failed)) {
        size_t i = atomic_fetch_add(&shared->next, 1);
        if (i >= count)
            return;
        if (!work(context, i))
            atomic_store(&shared->failed, true);
    }
}

/* In a child: work, and leave without running what the parent registered for its exit. */
static void run_child(bool (*work)(void *context, size_t i), void *context, size_t count,
                      counter *shared, pid_t parent)
{
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() == parent)
        run_items(work, context, count, shared);
    _exit(0);
}

static attest_status wait_for(const pid_t *child, size_t children, attest_error *error)
{
    attest_status status = ATTEST_OK;

    for (size_t c = 0; c < children; c++) {
        int end = 0;
        while (waitpid(child[c], &end, 0) < 0 && errno == EINTR)
            continue;
        if (WIFEXITED(end) && WEXITSTATUS(end) == 4)
            status = attest_error_set(error, ATTEST_NOMEM, "a worker ran out of memory");
        else if (!WIFEXITED(end) || WEXITSTATUS(end) != 0)
            status = attest_error_set(error, ATTEST_IO, "a worker died");
    }
    return status;
}

attest_status attest_workers_run(bool (*work)(void *context, size_t i), void *context,
                                 size_t count, size_t jobs, attest_error *error)
{
    counter *shared = attest_shared_alloc(1, sizeof *shared);
    pid_t child[MOST_JOBS], parent = getpid();
    size_t children = 0;
    attest_status status;

    if (!shared)
        return attest_memory_fail(error);
    if (jobs > count)
        jobs = count;
    if (jobs > MOST_JOBS)
        jobs = MOST_JOBS;
    fflush(NULL); /* or a child would hold, and might write, what the parent has buffered */
    while (jobs > 1 && children + 1 < jobs) {
        pid_t pid = fork();
        if (pid == 0)
            run_child(work, context, count, shared, parent);
        if (pid < 0)
            break; /* the others do its work */
        child[children++] = pid;
    }
    run_items(work, context, count, shared);
    status = wait_for(child, children, error);
    if (status == ATTEST_OK && atomic_load(&shared->failed))
        status = attest_memory_fail(error);
    attest_shared_free(shared, 1, sizeof *shared);
    return status;
}
