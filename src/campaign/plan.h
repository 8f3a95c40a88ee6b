/* plan.h -- what a campaign runs: which properties, how many trials, from which seed.
 *
 * The trials of a property are numbered 0, 1, 2, ... and cut into chunks; the property sets
 * their size. Every fourth chunk of a targeted property is a guided search. Shard k of n runs
 * the chunks whose number is k - 1 modulo n. */
#ifndef ATTEST_CAMPAIGN_PLAN_H
#define ATTEST_CAMPAIGN_PLAN_H

#include "campaign/chunk.h"

typedef struct attest_plan {
    uint64_t seed;
    uint64_t trials; /* of every property; 0: the default of each */
    double time;     /* > 0: seconds for all properties together; trials 0: no other limit */
    attest_setting setting;
    size_t properties;
    const attest_property *const *property;
    size_t shard, shards; /* 1 of 1: everything */
    bool partial;         /* some chunks are missing: a partial merge */
    bool named;           /* the properties were named, not "all" */
    bool keep_going;      /* a violation does not end a property */
    bool observe;         /* every trial is written to observations.jsonl */
    int64_t run_start;    /* when the campaign began, seconds since 1970 */
    double timeout;       /* seconds for one call; 0: none */
    size_t memory;        /* of one worker, bytes; 0: no limit */
    size_t jobs;          /* >= 1 */
} attest_plan;

/* Returns the number of chunks of property p in all shards together; UINT64_MAX: no limit but
 * time.
 */
uint64_t attest_plan_chunks(const attest_plan *plan, size_t p);

/* Returns whether the chunk of this number belongs to the plan's shard. */
bool attest_plan_has(const attest_plan *plan, uint64_t number);

/* chunk = the chunk of property p with this number. Domain: number < attest_plan_chunks. */
void attest_plan_get_chunk(attest_chunk *chunk, const attest_plan *plan, size_t p,
                           uint64_t number);

/* Returns how many trials of property p include the whole chunk of trial t. */
uint64_t attest_plan_end(const attest_plan *plan, size_t p, uint64_t t);

/* Returns everything that results depend on as a JSON object: version, engine, seed, setting,
 * properties with their trials and chunks, shards. Plans with the same text give the same
 * results, except where time or memory run out. shard_too: includes the number of the shard.
 * The caller frees the text; NULL: out of memory. */
char *attest_plan_format(const attest_plan *plan, bool shard_too);

/* A plan that was read from a text, and the memory that it points to. */
typedef struct attest_saved_plan {
    attest_plan plan;
    const attest_property **list;
    char *without;
} attest_saved_plan;

/* Returns the property of this name, or NULL. */
typedef const attest_property *attest_property_finder(const char *name);

/* saved (uninitialised) = the plan in text[0..size), with one job and without limits of time
 * and memory; the time of a plan that was limited by it becomes 1. Status: FORMAT (also if this
 * program would write the plan differently: another version, another engine, other properties),
 * UNABLE (the budget, NULL: unlimited), NOMEM; then nothing is left to clear. */
attest_status attest_saved_plan_parse(attest_saved_plan *saved, const char *text, size_t size,
                                      attest_property_finder *find, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;
void attest_saved_plan_clear(attest_saved_plan *saved);

#endif
