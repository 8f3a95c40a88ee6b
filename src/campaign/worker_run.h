/* worker_run.h -- inside a worker. */
#ifndef ATTEST_CAMPAIGN_WORKER_RUN_H
#define ATTEST_CAMPAIGN_WORKER_RUN_H

#include "campaign/worker.h"

/* What a worker is given. */
typedef struct attest_worker_place {
    const attest_plan *plan;
    attest_chunk_watch *watch;
    int channel;
    int other_end; /* of the channel: the campaign's, and not to be kept open here */
} attest_worker_place;

/* Runs jobs from the channel and sends their results into it, until it ends. place: an
 * attest_worker_place. */
void attest_worker_run(void *place);

#endif
