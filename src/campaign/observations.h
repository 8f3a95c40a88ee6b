/* observations.h -- the file observations.jsonl in the folder of a campaign.
 *
 * Properties stand in it one after another, as the plan lists them, and of each the chunks in
 * their order: who finished what first, in which of several runs, does not show. */
#ifndef ATTEST_CAMPAIGN_OBSERVATIONS_H
#define ATTEST_CAMPAIGN_OBSERVATIONS_H

#include "base/output.h"
#include "campaign/tally.h"

typedef struct attest_observations {
    attest_output output;
    FILE **part; /* where the lines of a property wait, its own file without a name */
    size_t count;
} attest_observations;

/* A file for every property, in the folder. observations is all 0 bytes, and after a failure
 * again. Status: IO, NOMEM. */
attest_status attest_observations_open(attest_observations *observations, const char *folder,
                                       size_t properties,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* The tallies, one for each property, write there from now on. */
void attest_observations_use(const attest_observations *observations, attest_tally *tally);

/* Makes one file of them. Whatever the status, nothing is left to clear. Status: IO. */
attest_status attest_observations_commit(attest_observations *observations,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Drops what was written, if anything is open. */
void attest_observations_abandon(attest_observations *observations);

#endif
