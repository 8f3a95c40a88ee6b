/* workers.h -- long work: forked workers and the memory they share, progress, a clock, and the
 * name of the processor. */
#ifndef ATTEST_BASE_WORKERS_H
#define ATTEST_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <attest/error.h>
#include <attest/progress.h>

#include "base/scope.h"

/* Returns zeroed memory that forked children and their parent share; NULL: out of memory.
 * Never NULL for 0 bytes. Fault point "alloc". */
void *attest_shared_alloc(size_t count, size_t size);

/* Frees the block that alloc returned for the same arguments, or NULL. */
void attest_shared_free(void *block, size_t count, size_t size);

/* ATTEST_SHARED(type, name, count): a pointer to such memory for count values, freed at the
 * end of its block. count is evaluated twice. */
typedef struct attest_shared_block {
    void *address;
    size_t count, size;
} attest_shared_block;

void attest_shared_block_clear(attest_shared_block *block);

#define ATTEST_SHARED(type, name, count)                                                       \
    attest_shared_block name##_block ATTEST_CLEARED_BY(attest_shared_block_clear) = {          \
        attest_shared_alloc(count, sizeof(type)), count, sizeof(type)};                        \
    type *name = name##_block.address

/* Like attest_shared_alloc, for attest_workers_run with this number of jobs: plain memory for
 * one job, since a mapping costs more than a small amount of work. */
void *attest_workers_alloc(size_t count, size_t size, size_t jobs);
void attest_workers_free(void *block, size_t count, size_t size, size_t jobs);

/* ATTEST_WORKERS(type, name, count, jobs): a pointer to such memory for count values, freed at
 * the end of its block. count and jobs are evaluated twice. */
typedef struct attest_workers_block {
    void *address;
    size_t count, size, jobs;
} attest_workers_block;

void attest_workers_block_clear(attest_workers_block *block);

#define ATTEST_WORKERS(type, name, count, jobs)                                                \
    attest_workers_block name##_block ATTEST_CLEARED_BY(attest_workers_block_clear) = {        \
        attest_workers_alloc(count, sizeof(type), jobs), count, sizeof(type), jobs};           \
    type *name = name##_block.address

/* Calls work(context, i) for every i < count in jobs processes; with one job, or if a fork is
 * not worth it, in this one. The results must depend on i alone and be written to shared
 * memory. Workers take the next item as they finish one. Status: NOMEM if work returned false
 * for some item; IO if a worker could not start or died. Cost: one fork per job. */
attest_status attest_workers_run(bool (*work)(void *context, size_t i), void *context,
                                 size_t count, size_t jobs,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Starts a process that calls run(context) and then ends without running the exit handlers of
 * its parent. The buffers of its streams are empty; it is killed when its parent ends. Returns
 * its number, or -1 with errno set. Fault point "fork". */
pid_t attest_workers_start(void (*run)(void *context), void *context);

/* Returns whether this is such a process. It prints nothing: its parent reports how it ended.
 */
bool attest_workers_inside(void);

/* Waits for the end of that process and returns its status as waitpid gives it. */
int attest_workers_wait(pid_t process);

/* The exit code of a process that found no memory. */
enum { ATTEST_WORKERS_NO_MEMORY = 4 };

/* The number of online processors, at least 1. */
size_t attest_workers_default(void);

/* Reports done of total to the callback, if there is one; the first report of a stage has done
 * = 0. */
void attest_progress_report(const attest_progress *progress, const char *what, uint64_t done,
                            uint64_t total, const char *note);

/* Reports the end of a stage, successful or not. */
void attest_progress_end(const attest_progress *progress);

/* Declares const attest_progress *name = progress; a stage that is reported to it ends with
 * the block. */
#define ATTEST_PROGRESS_STAGE(name, progress)                                                  \
    const attest_progress *name ATTEST_CLEARED_BY(attest_progress_end_stage) = progress

void attest_progress_end_stage(const attest_progress **progress);

/* Time that never goes back, for durations. */
int64_t attest_clock_nanoseconds(void);
double attest_clock_seconds(void);

/* name = the name of the processor, cut to size bytes, or the architecture ("x86_64") if the
 * system has none. It may contain any bytes but zero; escape it before printing. Domain: size
 * >= 1. */
void attest_machine_cpu(char *name, size_t size);

#endif
