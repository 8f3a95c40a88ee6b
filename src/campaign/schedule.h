/* schedule.h -- which chunk is run next.
 *
 * Without a limit of time: property after property, chunk after chunk. With one, each property
 * gets one chunk first, the most expensive first, even if that exceeds the budget. The seconds
 * of those chunks estimate the later ones: the next chunk is one of the property that has had
 * the least time, among those whose chunk is expected to end in time. */
#ifndef ATTEST_CAMPAIGN_SCHEDULE_H
#define ATTEST_CAMPAIGN_SCHEDULE_H

#include "campaign/join.h"
#include "campaign/worker.h"

typedef struct attest_share attest_share;

typedef struct attest_schedule {
    const attest_plan *plan;
    const attest_join *join; /* of each property */
    size_t property;         /* without a limit of time: the current one */
    double end;              /* by attest_clock_seconds; with a limit of time */
    attest_share *share;     /* of each property */
    size_t *order;           /* of the first chunks, most expensive first */
    size_t given;            /* first chunks that were given out */
} attest_schedule;

/* Starts the clock. Status: NOMEM. */
attest_status attest_schedule_init(attest_schedule *schedule, const attest_plan *plan,
                                   const attest_join *join,
                                   attest_error *error) ATTEST_WARN_UNUSED;
void attest_schedule_clear(attest_schedule *schedule);

/* job = the next chunk; returns false if there is none. */
bool attest_schedule_next(attest_schedule *schedule, attest_job *job);

/* Records how long a worker took for a chunk of the property. */
void attest_schedule_note(attest_schedule *schedule, size_t property, double seconds);

#endif
