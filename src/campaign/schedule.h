/* schedule.h -- which chunk is run next.
 *
 * Without a limit of time: property after property, chunk after chunk. With one, every property
 * gets a chunk first, whatever it takes, the dear ones before the cheap ones; what those took
 * says what the next ones will take. From there on the property that has had the least time is
 * the next, as long as its chunk can be expected to end in time. */
#ifndef ATTEST_CAMPAIGN_SCHEDULE_H
#define ATTEST_CAMPAIGN_SCHEDULE_H

#include "campaign/tally.h"
#include "campaign/worker.h"

typedef struct attest_share attest_share;

typedef struct attest_schedule {
    const attest_plan *plan;
    const attest_tally *tally; /* of each property */
    size_t property;           /* without a limit of time: whose chunks are given out */
    double end;                /* by attest_clock_seconds; with a limit of time */
    attest_share *share;       /* of each property */
    size_t *order;             /* of the first chunks */
    size_t given;              /* of those, so many were given out */
} attest_schedule;

/* The time begins to run. Status: NOMEM. */
attest_status attest_schedule_init(attest_schedule *schedule, const attest_plan *plan,
                                   const attest_tally *tally,
                                   attest_error *error) ATTEST_WARN_UNUSED;
void attest_schedule_clear(attest_schedule *schedule);

/* job = the next chunk that is to be run; false: there is none. */
bool attest_schedule_next(attest_schedule *schedule, attest_job *job);

/* A chunk of the property is done: a worker took so many seconds for it. */
void attest_schedule_note(attest_schedule *schedule, size_t property, double seconds);

#endif
