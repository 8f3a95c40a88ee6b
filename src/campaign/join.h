/* join.h -- the results of the chunks of one property, joined.
 *
 * The joined result does not depend on which process ran a chunk, or when: unless the plan
 * keeps going, it ends with the first chunk that has a violation, and later chunks do not count
 * even if they were run. There are two ways to get there:
 *
 * - in order (a campaign that runs): a chunk that arrives early waits for those before it;
 * - in any order (shards read one after another, where nearly all chunks would wait): a chunk
 * is counted when it arrives, and one bit of it is kept. If chunks after the first violation
 * were counted before it was known, all chunks must be added a second time. */
#ifndef ATTEST_CAMPAIGN_JOIN_H
#define ATTEST_CAMPAIGN_JOIN_H

#include <stdio.h>

#include "campaign/campaign_record.h"
#include "campaign/plan.h"

typedef struct attest_join {
    const attest_plan *plan;
    size_t property;
    uint64_t next;                  /* in order: the first chunk that is not joined yet */
    bool ended;                     /* by a violation */
    attest_chunk_result result;     /* of the chunks that were joined */
    FILE *observations;             /* in order: receives those of joined chunks; may be NULL */
    struct attest_waiting *waiting; /* in order: chunks that arrived early, by their numbers */

    bool any_order;
    bool again;            /* any order: chunks after the cut were counted */
    uint64_t cut;          /* any order: the first chunk with a violation, or UINT64_MAX */
    uint64_t last, chunks; /* any order: the largest number counted; how many were counted */
    attest_budget *budget; /* any order: is charged for the bits */
    unsigned char *seen;   /* any order: one bit for each chunk */
    size_t size;           /* of seen, bytes */

    uint64_t tightest_at, open_at;    /* the chunks that these members of result come from */
    struct attest_first_place *first; /* of each label: where it appears first */
    size_t room;
} attest_join;

/* Starts joining chunks in order. The plan must outlive the join. */
void attest_join_init(attest_join *join, const attest_plan *plan, size_t property);

/* Starts joining chunks in any order. budget (NULL: unlimited) must outlive the join. Domain:
 * the plan is shard 1 of 1. */
void attest_join_init_any_order(attest_join *join, const attest_plan *plan, size_t property,
                                attest_budget *budget);
void attest_join_clear(attest_join *join);

/* Adds a record and takes over its texts; a chunk that was added before is ignored. Status:
 * FORMAT (the plan's shard has no such chunk), UNABLE (the budget), NOMEM. */
attest_status attest_join_add(attest_join *join, attest_campaign_record *record,
                              attest_error *error) ATTEST_WARN_UNUSED;

/* In order: returns whether the chunk of this number was added. */
bool attest_join_has(const attest_join *join, uint64_t number);

/* Returns the number of trials that were joined. */
uint64_t attest_join_trials(const attest_join *join);

/* Any order: drops everything but the cut, so that all chunks can be added again. */
void attest_join_restart(attest_join *join);

/* Any order: sorts labels, violations and deaths by chunk. Returns true, and sets *missing, if
 * a chunk of the plan before the end or the cut was not added; a plan that is limited by time
 * misses none. */
bool attest_join_end(attest_join *join, uint64_t *missing);

#endif
