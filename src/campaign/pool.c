/* pool.c -- some workers, and what becomes of their jobs. */
#include "campaign/pool.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/scope.h"
#include "campaign/chunk_result.h"

enum { WAIT_MILLISECONDS = 250 };

/* Workers that may die before they begin with a job: whoever kills one, or memory that is short
 * for a moment, does not end a campaign; what kills every one does. */
enum { MOST_UNBEGUN = 10 };

attest_status attest_pool_init(attest_pool *pool, const attest_plan *plan, attest_error *error)
{
    *pool = (attest_pool){.plan = plan, .count = plan->jobs};
    pool->worker = attest_memory_alloc(pool->count, sizeof *pool->worker);
    if (!pool->worker)
        return attest_memory_fail(error);
    for (size_t w = 0; w < pool->count; w++)
        attest_worker_init(&pool->worker[w]);
    return ATTEST_OK;
}

void attest_pool_clear(attest_pool *pool)
{
    for (size_t w = 0; pool->worker && w < pool->count; w++)
        attest_worker_stop(&pool->worker[w]);
    free(pool->worker);
    memset(pool, 0, sizeof *pool);
}

attest_status attest_pool_send(attest_pool *pool, const attest_job *job, attest_error *error)
{
    attest_worker *worker = pool->worker;

    while (worker->busy)
        worker++;
    if (worker->process == 0)
        ATTEST_TRY(attest_worker_start(worker, pool->plan, error));
    attest_worker_send(worker, job);
    pool->busy++;
    return ATTEST_OK;
}

/* entry, and its text, = that of a chunk whose trials no worker could finish. */
static attest_status give_up(const attest_pool *pool, const attest_job *job,
                             attest_entry *entry, attest_text *text, attest_error *error)
{
    char *format ATTEST_FREED = NULL;
    attest_chunk chunk;

    attest_plan_get_chunk(&chunk, pool->plan, job->property, job->number);
    entry->property = job->property;
    entry->number = job->number;
    entry->result.undecided = chunk.count;
    entry->result.open_reason = attest_memory_copy("workers died again and again");
    for (size_t d = 0; d < job->deaths; d++)
        if (attest_chunk_result_add_death(&entry->result, &job->death[d]) != ATTEST_OK)
            return attest_memory_fail(error);
    format = attest_entry_format(entry); /* with 0 seconds, as a worker does: entry.h */
    entry->result.seconds = attest_clock_seconds() - job->began;
    if (format)
        attest_text_add(text, format);
    if (!entry->result.open_reason || !format || text->failed)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

/* A worker died between two jobs, or before it began with one. */
static attest_status send_unbegun(attest_pool *pool, attest_job *job, bool busy,
                                  attest_error *error)
{
    if (!busy)
        return ATTEST_OK; /* the next job starts another */
    if (++job->unbegun < MOST_UNBEGUN)
        return attest_pool_send(pool, job, error);
    return attest_error_set(error, ATTEST_IO,
                            "%d workers died before their first trial (out of memory?)",
                            MOST_UNBEGUN);
}

/* The same job again, but not the trial that was deadly. */
static attest_status go_on(attest_pool *pool, attest_job *job, const attest_death *death,
                           bool *arrived, attest_entry *entry, attest_text *text,
                           attest_error *error)
{
    job->death[job->deaths++] = *death;
    if (job->deaths < ATTEST_CHUNK_DEATHS)
        return attest_pool_send(pool, job, error);
    *arrived = true;
    return give_up(pool, job, entry, text, error);
}

static attest_status hear(attest_pool *pool, attest_worker *worker, bool *arrived,
                          attest_entry *entry, attest_text *text, attest_error *error)
{
    attest_job job = worker->job;
    bool busy = worker->busy;
    attest_received received;
    attest_death death;

    ATTEST_TRY(attest_worker_receive(worker, &received, entry, text, &death, error));
    if (received == ATTEST_RECEIVED_PART)
        return ATTEST_OK;
    pool->busy -= busy;
    if (received == ATTEST_RECEIVED_NOTHING)
        return send_unbegun(pool, &job, busy, error);
    if (received == ATTEST_RECEIVED_TOGETHER) {
        job.one_by_one = true;
        return attest_pool_send(pool, &job, error);
    }
    if (received == ATTEST_RECEIVED_DEATH)
        return go_on(pool, &job, &death, arrived, entry, text, error);
    *arrived = true;
    entry->result.seconds = attest_clock_seconds() - job.began;
    /* What is not ours may leave memory behind: the next chunk begins afresh. */
    if (pool->plan->property[job.property]->object)
        attest_worker_stop(worker);
    return ATTEST_OK;
}

attest_status attest_pool_wait(attest_pool *pool, bool *arrived, attest_entry *entry,
                               attest_text *text, attest_error *error)
{
    struct pollfd *waiting ATTEST_FREED = attest_memory_alloc(pool->count, sizeof *waiting);
    int ready;

    *arrived = false;
    if (!waiting)
        return attest_memory_fail(error);
    for (size_t w = 0; w < pool->count; w++)
        waiting[w] = (struct pollfd){.fd = pool->worker[w].channel, .events = POLLIN};
    ready = poll(waiting, pool->count, WAIT_MILLISECONDS);
    for (size_t w = 0; w < pool->count; w++) {
        if (ready > 0 && waiting[w].revents && !*arrived)
            ATTEST_TRY(hear(pool, &pool->worker[w], arrived, entry, text, error));
        attest_worker_check_time(&pool->worker[w], pool->plan->timeout);
    }
    return ATTEST_OK;
}
