/* schedule.c -- which chunk is run next. */
#include "campaign/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"

/* The time that a property has used. */
struct attest_share {
    uint64_t number;     /* of its next chunk */
    uint64_t sent, done; /* chunks that were started, and finished */
    double seconds;      /* of workers, for finished chunks */
};

/* Estimates the cost of a chunk before anything is measured: the more expensive its trials, the
 * smaller the default budget of a property. */
static double estimate_cost(const attest_plan *plan, size_t p)
{
    attest_chunk chunk;

    attest_plan_get_chunk(&chunk, plan, p, 0);
    return (double)chunk.count / (double)(plan->property[p]->trials + 1);
}

static void sort_expensive_first(attest_schedule *schedule)
{
    for (size_t i = 0; i < schedule->plan->properties; i++) {
        size_t place = i;

        while (place > 0 && estimate_cost(schedule->plan, schedule->order[place - 1]) <
                                estimate_cost(schedule->plan, i)) {
            schedule->order[place] = schedule->order[place - 1];
            place--;
        }
        schedule->order[place] = i;
    }
}

attest_status attest_schedule_init(attest_schedule *schedule, const attest_plan *plan,
                                   const attest_join *join, attest_error *error)
{
    *schedule = (attest_schedule){.plan = plan, .join = join};
    schedule->share = attest_memory_alloc(plan->properties, sizeof *schedule->share);
    schedule->order = attest_memory_alloc(plan->properties, sizeof *schedule->order);
    if (!schedule->share || !schedule->order) {
        attest_schedule_clear(schedule);
        return attest_memory_fail(error);
    }
    schedule->end = attest_clock_seconds() + plan->time;
    for (size_t p = 0; p < plan->properties; p++)
        schedule->share[p].number = plan->shard - 1;
    sort_expensive_first(schedule);
    return ATTEST_OK;
}

void attest_schedule_clear(attest_schedule *schedule)
{
    free(schedule->share);
    free(schedule->order);
    memset(schedule, 0, sizeof *schedule);
}

/* Returns whether the property has a chunk that was not started: share->number. */
static bool has_more(attest_schedule *schedule, size_t p)
{
    const attest_join *join = &schedule->join[p];
    uint64_t chunks = attest_plan_chunks(schedule->plan, p);
    attest_share *share = &schedule->share[p];

    if (join->ended)
        return false;
    while (share->number < chunks && attest_join_has(join, share->number))
        share->number += schedule->plan->shards;
    return share->number < chunks;
}

static bool give(attest_schedule *schedule, size_t p, attest_job *job)
{
    attest_share *share = &schedule->share[p];

    *job = (attest_job){.property = p, .number = share->number};
    share->number += schedule->plan->shards;
    share->sent++;
    return true;
}

static bool next_in_order(attest_schedule *schedule, attest_job *job)
{
    for (; schedule->property < schedule->plan->properties; schedule->property++)
        if (has_more(schedule, schedule->property))
            return give(schedule, schedule->property, job);
    return false;
}

/* Returns the mean seconds of a chunk; 0 if none is finished. */
static double mean(const attest_share *share)
{
    return share->done ? share->seconds / (double)share->done : 0;
}

/* Returns the seconds of finished chunks, plus the estimate for those that are running. */
static double used(const attest_share *share)
{
    return share->seconds + mean(share) * (double)(share->sent - share->done);
}

/* Chooses the property that has used the least time among those whose next chunk is expected to
 * end in time. A property whose first chunk is still running waits for it. */
static bool next_by_share(attest_schedule *schedule, attest_job *job)
{
    double left = schedule->end - attest_clock_seconds();
    size_t best = SIZE_MAX;

    for (size_t p = 0; p < schedule->plan->properties; p++) {
        const attest_share *share = &schedule->share[p];

        if (has_more(schedule, p) && (share->done > 0 || share->sent == 0) &&
            mean(share) < left &&
            (best == SIZE_MAX || used(share) < used(&schedule->share[best])))
            best = p;
    }
    return best != SIZE_MAX && give(schedule, best, job);
}

bool attest_schedule_next(attest_schedule *schedule, attest_job *job)
{
    if (schedule->plan->time <= 0)
        return next_in_order(schedule, job);
    while (schedule->given < schedule->plan->properties) {
        size_t p = schedule->order[schedule->given++];

        if (attest_join_trials(&schedule->join[p]) == 0 && has_more(schedule, p))
            return give(schedule, p, job);
    }
    return next_by_share(schedule, job);
}

void attest_schedule_note(attest_schedule *schedule, size_t property, double seconds)
{
    schedule->share[property].done++;
    schedule->share[property].seconds += seconds;
}
