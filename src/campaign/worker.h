/* worker.h -- a process that runs chunks, one after another.
 *
 * It is forked from the campaign, so the plan need not be sent; a job names a chunk of it. A
 * property that crashes, hangs or takes all memory ends its worker, not the campaign. */
#ifndef ATTEST_CAMPAIGN_WORKER_H
#define ATTEST_CAMPAIGN_WORKER_H

#include <sys/types.h>

#include "campaign/entry.h"
#include "campaign/frame.h"
#include "campaign/plan.h"

/* What is sent to a worker. */
typedef struct attest_job {
    size_t property;
    uint64_t number;
    double began;    /* attest_clock_seconds, when it was first given out */
    bool one_by_one; /* it has died while trials were decided together */
    size_t unbegun;  /* workers that died before they began with it */
    size_t deaths;
    attest_death death[ATTEST_CHUNK_DEATHS];
} attest_job;

typedef struct attest_worker {
    pid_t process; /* 0: none */
    int channel;   /* the socket to and from it */
    attest_chunk_watch *watch;
    bool busy;
    attest_job job; /* while busy */
    bool timed_out; /* it was killed for that */
    attest_text received;
} attest_worker;

void attest_worker_init(attest_worker *worker);

/* Starts the process. Status: IO (no process, no socket, no memory to share). */
attest_status attest_worker_start(attest_worker *worker, const attest_plan *plan,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Kills the process if it is there, and gives everything back. */
void attest_worker_stop(attest_worker *worker);

/* Sends a job to an idle worker; if it is dead, receive will tell. */
void attest_worker_send(attest_worker *worker, const attest_job *job);

typedef enum attest_received {
    ATTEST_RECEIVED_PART,     /* more will come */
    ATTEST_RECEIVED_ENTRY,    /* the job is done */
    ATTEST_RECEIVED_DEATH,    /* the process is dead; the worker is as after init */
    ATTEST_RECEIVED_TOGETHER, /* the same, at one of several trials, not known which */
    ATTEST_RECEIVED_NOTHING   /* the same, before its first trial */
} attest_received;

/* Reads what has come. entry (initialised) and its text (empty), or death, are set as the
 * result says. Status: NOMEM, FORMAT (what came is no entry). */
attest_status attest_worker_receive(attest_worker *worker, attest_received *received,
                                    attest_entry *entry, attest_text *text, attest_death *death,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Kills a worker whose call began more than the seconds ago. */
void attest_worker_check_time(attest_worker *worker, double seconds);

#endif
