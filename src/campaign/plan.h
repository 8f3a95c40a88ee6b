/* plan.h -- what a campaign is to do: which properties, how often, from which seed.
 *
 * The trials of a property are numbered 0, 1, 2, ... and cut into chunks of a size that belongs
 * to the property. Where a property is targeted, every fourth chunk is a guided search. Shard k
 * of n runs the chunks whose number is k - 1 modulo n. */
#ifndef ATTEST_CAMPAIGN_PLAN_H
#define ATTEST_CAMPAIGN_PLAN_H

#include "campaign/chunk.h"

typedef struct attest_plan {
    uint64_t seed;
    uint64_t trials; /* of every property; 0: as many as each has by default */
    double time;     /* > 0: seconds for all properties together; trials 0: no other limit */
    attest_setting setting;
    size_t properties;
    const attest_property *const *property;
    size_t shard, shards; /* 1 of 1: everything */
    bool partial;         /* what is there of it: some chunks are missing */
    bool named;           /* the properties were chosen one by one, not "all" */
    bool keep_going;      /* a violation does not end a property */
    bool observe;         /* every trial is told of */
    int64_t run_start;    /* when it began, seconds since 1970 */
    double timeout;       /* seconds for one call; 0: none */
    size_t memory;        /* of one worker, bytes; 0: no limit */
    size_t jobs;          /* >= 1 */
} attest_plan;

/* The number of chunks of property p in all shards together; UINT64_MAX: time is the limit. */
uint64_t attest_plan_chunks(const attest_plan *plan, size_t p);

/* Whether the chunk of this number belongs to the plan's shard. */
static inline bool attest_plan_has(const attest_plan *plan, uint64_t number)
{
    return number % plan->shards == plan->shard - 1;
}

/* chunk = number `number` of property p. Domain: number < attest_plan_chunks. */
void attest_plan_get_chunk(attest_chunk *chunk, const attest_plan *plan, size_t p,
                           uint64_t number);

/* One more than the last trial of the chunk that trial t of property p is in: so many trials
 * run that chunk whole. */
uint64_t attest_plan_end(const attest_plan *plan, size_t p, uint64_t t);

/* What results depend on, as a JSON object: version, engine, seed, setting, properties with
 * their trials and chunks, shards. Two plans with the same text give the same results, but for
 * the limits of time and memory. shard_too: with the number of the shard. The caller frees it;
 * NULL: out of memory. */
char *attest_plan_format(const attest_plan *plan, bool shard_too);

#endif
