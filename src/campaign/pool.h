/* pool.h -- some workers, and what becomes of their jobs. */
#ifndef ATTEST_CAMPAIGN_POOL_H
#define ATTEST_CAMPAIGN_POOL_H

#include "campaign/worker.h"

typedef struct attest_pool {
    const attest_plan *plan;
    size_t count;
    attest_worker *worker;
    size_t busy;
} attest_pool;

/* Starts no worker yet. Status: NOMEM. */
attest_status attest_pool_init(attest_pool *pool, const attest_plan *plan,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* Kills the workers that are there. */
void attest_pool_clear(attest_pool *pool);

/* Whether a job can be taken now. */
static inline bool attest_pool_idle(const attest_pool *pool)
{
    return pool->busy < pool->count;
}

/* Gives the job to an idle worker, started if need be. Domain: attest_pool_idle. Status: IO,
 * NOMEM. */
attest_status attest_pool_send(attest_pool *pool, const attest_job *job,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* Waits, a quarter of a second at most, for something to happen. *arrived tells whether entry
 * (initialised) is the result of a job, and text (empty) what it is formatted to; its seconds
 * are those from job.began on. A worker that dies is replaced, and its job goes on without the
 * trial that killed it; after ATTEST_CHUNK_DEATHS of them all trials of the chunk are
 * undecided. Status: IO (a worker that cannot start), NOMEM, FORMAT. */
attest_status attest_pool_wait(attest_pool *pool, bool *arrived, attest_entry *entry,
                               attest_text *text, attest_error *error) ATTEST_WARN_UNUSED;

#endif
