/* workers.h -- memory that forked workers share with their parent, and the workers. */
#ifndef ATTEST_BASE_WORKERS_H
#define ATTEST_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>

/* bytes zeroed bytes that a forked child writes and its parent reads; NULL: out of memory.
 * Never NULL for 0 bytes. Fault point "alloc". */
void *attest_shared_alloc(size_t count, size_t size);

/* Gives back what alloc returned for the same arguments; NULL is allowed. */
void attest_shared_free(void *block, size_t count, size_t size);

/* Calls work(context, i) for every i < count in jobs processes; with one job, or where that is
 * not worth a fork, in this one. What work computes must depend on i alone and go to shared
 * memory. Items are handed out as workers ask for them. Status: NOMEM when work returned false
 * for some item; IO when a worker could not start or died. Cost: one fork per job. */
attest_status attest_workers_run(bool (*work)(void *context, size_t i), void *context,
                                 size_t count, size_t jobs,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* The processors that are online, at least 1. */
size_t attest_workers_default(void);

#endif
