/* workers.h -- memory that forked workers share with their parent, and the workers. */
#ifndef ATTEST_BASE_WORKERS_H
#define ATTEST_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <attest/error.h>

#include "base/scope.h"

/* bytes zeroed bytes that a forked child writes and its parent reads; NULL: out of memory.
 * Never NULL for 0 bytes. Fault point "alloc". */
void *attest_shared_alloc(size_t count, size_t size);

/* Gives back what alloc returned for the same arguments; NULL is allowed. */
void attest_shared_free(void *block, size_t count, size_t size);

/* ATTEST_SHARED(type, name, count): a pointer to such memory for count values, given back when
 * its block ends. count is evaluated twice. */
typedef struct attest_shared_block {
    void *address;
    size_t count, size;
} attest_shared_block;

static inline void attest_shared_block_clear(attest_shared_block *block)
{
    attest_shared_free(block->address, block->count, block->size);
}

#define ATTEST_SHARED(type, name, count)                                                       \
    attest_shared_block name##_block ATTEST_CLEARED_BY(attest_shared_block_clear) = {          \
        attest_shared_alloc(count, sizeof(type)), count, sizeof(type)};                        \
    type *name = name##_block.address

/* The same for workers of attest_workers_run: plain memory where there is one job, since a
 * mapping costs more than small work does. */
void *attest_workers_alloc(size_t count, size_t size, size_t jobs);
void attest_workers_free(void *block, size_t count, size_t size, size_t jobs);

/* Calls work(context, i) for every i < count in jobs processes; with one job, or where that is
 * not worth a fork, in this one. What work computes must depend on i alone and go to shared
 * memory. Items are handed out as workers ask for them. Status: NOMEM when work returned false
 * for some item; IO when a worker could not start or died. Cost: one fork per job. */
attest_status attest_workers_run(bool (*work)(void *context, size_t i), void *context,
                                 size_t count, size_t jobs,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Starts a process that calls run(context) and then leaves, without what was registered for the
 * exit of its parent. Nothing is in the buffers of its streams; it dies with its parent.
 * Returns its number; -1: errno says why there is none. Fault point "fork". */
pid_t attest_workers_start(void (*run)(void *context), void *context);

/* Whether this is such a process. It prints nothing: its parent reports how it ended. */
bool attest_workers_inside(void);

/* Waits for the end of that process and returns its status as waitpid gives it. */
int attest_workers_wait(pid_t process);

/* The exit code of a process that found no memory. */
enum { ATTEST_WORKERS_NO_MEMORY = 4 };

/* The processors that are online, at least 1. */
size_t attest_workers_default(void);

#endif
