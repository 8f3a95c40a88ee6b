/* merge.h -- the shards of a campaign, joined to what it would have been in one piece. */
#ifndef ATTEST_CAMPAIGN_MERGE_H
#define ATTEST_CAMPAIGN_MERGE_H

#include "campaign/journal.h"
#include "campaign/observations.h"
#include "campaign/plan_read.h"
#include "campaign/tally.h"

typedef struct attest_merge {
    attest_saved_plan saved; /* of the whole: shard 1 of 1 */
    attest_tally *tally;
    size_t shards, missing; /* of the campaign; of those, not among the folders */
    bool unfinished;        /* a chunk is missing */
} attest_merge;

/* Reads the journals in the folders, one after another: those of all shards of one campaign,
 * all finished; or, partial, of some, as far as they are. Of a chunk that was read a bit is
 * kept. A property in which a violation turns out to stand before chunks that were counted is
 * read a second time. merge is uninitialised. observations (NULL: none are wanted), open for
 * as many properties, gets the JSON Lines in the order of chunks, for which chunks are kept.
 * The budget (NULL: unlimited) bounds the memory. Status: USAGE (shards that are missing, given
 * twice, unfinished, or of another campaign), FORMAT, IO (a damaged journal), UNABLE (the
 * budget), NOMEM; then nothing is left to clear. */
attest_status attest_merge_read(attest_merge *merge, const char *const *folders, size_t count,
                                attest_property_finder *find, bool partial,
                                attest_observations *observations, attest_budget *budget,
                                attest_error *error) ATTEST_WARN_UNUSED;
void attest_merge_clear(attest_merge *merge);

/* Appends the entries of the folders to the journal, in the order of folders. Status: IO,
 * NOMEM.
 */
attest_status attest_merge_copy(attest_journal *journal, const char *const *folders,
                                size_t count, attest_budget *budget,
                                attest_error *error) ATTEST_WARN_UNUSED;

#endif
