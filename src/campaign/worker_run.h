/* worker_run.h -- inside a worker. */
#ifndef ATTEST_CAMPAIGN_WORKER_RUN_H
#define ATTEST_CAMPAIGN_WORKER_RUN_H

#include "campaign/worker.h"

/* Runs jobs from the channel and sends their results into it, until it ends. Leaves by _exit:
 * never returns, and runs no exit handlers. */
_Noreturn void attest_worker_run(const attest_plan *plan, pid_t parent,
                                 attest_chunk_watch *watch, int channel);

#endif
