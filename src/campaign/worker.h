/* worker.h -- processes that run chunks, and the pool of them.
 *
 * A worker is forked from the campaign, so it has the plan; a job names a chunk of it. A
 * property that crashes, hangs or uses up its memory ends its worker, not the campaign. */
#ifndef ATTEST_CAMPAIGN_WORKER_H
#define ATTEST_CAMPAIGN_WORKER_H

#include <sys/types.h>

#include "campaign/campaign_record.h"
#include "campaign/plan.h"

/* A message to a worker. */
typedef struct attest_job {
    size_t property;
    uint64_t number; /* of the chunk */
    double began;    /* attest_clock_seconds when the job was sent first */
    bool one_by_one; /* a worker died while it decided trials together */
    size_t unbegun;  /* workers that died before they began with the job */
    size_t deaths;
    attest_death death[ATTEST_CHUNK_DEATHS];
} attest_job;

typedef struct attest_worker {
    pid_t process; /* 0: none */
    int channel;   /* the socket to and from it; -1: none */
    attest_chunk_watch *watch;
    bool busy;
    attest_job job; /* while busy */
    bool timed_out; /* it was killed because a call took too long */
    attest_text received;
} attest_worker;

typedef struct attest_pool {
    const attest_plan *plan;
    size_t count;
    attest_worker *worker;
    size_t busy;
} attest_pool;

/* Makes a pool of plan->jobs workers, none of which is started yet. Status: NOMEM. */
attest_status attest_pool_init(attest_pool *pool, const attest_plan *plan,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* Kills all workers and frees the pool. */
void attest_pool_clear(attest_pool *pool);

/* Sends the job to an idle worker, which is started if necessary. Domain: pool->busy <
 * pool->count. Status: IO, NOMEM. */
attest_status attest_pool_send(attest_pool *pool, const attest_job *job,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* Waits for a message, at most a quarter of a second. If *arrived, record (initialised) is the
 * result of a job, with the seconds since job.began, and text (empty) its text. When a worker
 * dies, its job is sent to another one without the trial at which it died; after
 * ATTEST_CHUNK_DEATHS deaths all trials of the chunk are undecided. Status: IO (a worker cannot
 * be started), NOMEM, FORMAT. */
attest_status attest_pool_wait(attest_pool *pool, bool *arrived, attest_campaign_record *record,
                               attest_text *text, attest_error *error) ATTEST_WARN_UNUSED;

#endif
