/* merge.h -- the shards of a campaign, joined to the campaign that they are parts of. */
#ifndef ATTEST_CAMPAIGN_MERGE_H
#define ATTEST_CAMPAIGN_MERGE_H

#include "campaign/campaign.h"
#include "campaign/join.h"
#include "campaign/journal.h"

typedef struct attest_merge {
    attest_saved_plan saved; /* of the whole campaign: shard 1 of 1 */
    attest_join *join;       /* one for each property */
    size_t shards;           /* of the campaign */
    size_t missing;          /* shards that are not among the directories */
    bool unfinished;         /* a chunk is missing */
} attest_merge;

/* Reads the journals in the directories, one after another: all shards of one campaign, all
 * finished; or, if partial, some shards and chunks of one. Chunks are joined in any order; the
 * properties in which chunks after the first violation were counted are read a second time.
 *
 * observations (NULL: none), open for as many properties, receives the JSON Lines in the order
 * of chunks; then chunks that come too early are kept in memory. merge is uninitialised. The
 * budget (NULL: unlimited) bounds the memory. Status: USAGE (a shard is missing, given twice,
 * unfinished, or of another campaign), FORMAT, IO (a damaged journal), UNABLE (the budget),
 * NOMEM; then nothing is left to clear. */
attest_status attest_merge_read(attest_merge *merge, const char *const *directories,
                                size_t count, attest_property_finder *find, bool partial,
                                attest_observations *observations, attest_budget *budget,
                                attest_error *error) ATTEST_WARN_UNUSED;
void attest_merge_clear(attest_merge *merge);

/* Appends the records of the directories to the journal, in their order. Status: IO, NOMEM. */
attest_status attest_merge_copy(attest_journal *journal, const char *const *directories,
                                size_t count, attest_budget *budget,
                                attest_error *error) ATTEST_WARN_UNUSED;

#endif
