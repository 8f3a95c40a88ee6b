/* tally.h -- the results of a property's chunks, joined in the order of their numbers.
 *
 * Chunks may be finished in any order, by any process; what is joined is always a row without
 * gaps, and it ends, unless the plan keeps going, with the first chunk that has a violation:
 * later ones do not count, even if they were run. So a tally does not depend on who ran what.
 */
#ifndef ATTEST_CAMPAIGN_TALLY_H
#define ATTEST_CAMPAIGN_TALLY_H

#include <stdio.h>

#include "campaign/entry.h"
#include "campaign/plan.h"

typedef struct attest_tally {
    const attest_plan *plan;
    size_t property;
    uint64_t next;                  /* the number of the first chunk that is not joined yet */
    bool ended;                     /* by a violation */
    attest_chunk_result joined;     /* of the chunks before next */
    struct attest_waiting *waiting; /* finished, but not in turn yet; in the order of numbers */
    FILE *observations;             /* where those of joined chunks are written; may be NULL */
} attest_tally;

void attest_tally_init(attest_tally *tally, const attest_plan *plan, size_t property);
void attest_tally_clear(attest_tally *tally);

/* Adds an entry, which is empty then; a chunk that is there already is dropped. Status: FORMAT
 * (a chunk that the plan's shard does not have), NOMEM. */
attest_status attest_tally_add(attest_tally *tally, attest_entry *entry,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* Whether the chunk of this number was added. */
bool attest_tally_has(const attest_tally *tally, uint64_t number);

/* Trials in the chunks joined. */
uint64_t attest_tally_trials(const attest_tally *tally);

#endif
