/* merge.h -- the shards of a campaign, joined to what it would have been in one piece. */
#ifndef ATTEST_CAMPAIGN_MERGE_H
#define ATTEST_CAMPAIGN_MERGE_H

#include "io/journal.h"
#include "campaign/plan_read.h"
#include "campaign/tally.h"

typedef struct attest_merge {
    attest_saved_plan saved; /* of the whole: shard 1 of 1 */
    attest_tally *tally;
} attest_merge;

/* Reads the journals in the folders, which must be those of all shards of one campaign, all
 * finished. merge is uninitialised. observations (may be NULL) gets the JSON Lines. Status:
 * USAGE (shards that are missing, given twice, unfinished, or of another campaign), FORMAT, IO
 * (a damaged journal), NOMEM; then nothing is left to clear. */
attest_status attest_merge_read(attest_merge *merge, const char *const *folders, size_t count,
                                attest_property_finder *find, FILE *observations,
                                attest_error *error) ATTEST_WARN_UNUSED;
void attest_merge_clear(attest_merge *merge);

/* Appends the entries of the folders to the journal, in the order of folders. Status: IO,
 * NOMEM.
 */
attest_status attest_merge_copy(attest_journal *journal, const char *const *folders,
                                size_t count, attest_error *error) ATTEST_WARN_UNUSED;

#endif
