/* observations.h -- trials as lines of JSON, with the member names of Hypothesis's
 * observability interface, and the file observations.jsonl in the directory of a campaign.
 *
 * The file has the properties in the order of the plan, and the chunks of each in order,
 * however many runs and workers it took. */
#ifndef ATTEST_CAMPAIGN_OBSERVATIONS_H
#define ATTEST_CAMPAIGN_OBSERVATIONS_H

#include "base/file.h"
#include "campaign/chunk.h"
#include "campaign/join.h"

typedef struct attest_observation {
    const attest_chunk *chunk;
    uint64_t trial, seed;
    const attest_trial *found; /* NULL: the draw was discarded, or a worker died */
    const char *arguments;     /* the text of the instance, or NULL */
    const char *reason;        /* why there is no verdict, or NULL */
    double seconds;
} attest_observation;

/* Appends one line: status passed, failed or gave_up (discarded or undecided); doc/campaign.md
 * describes the members. */
void attest_observation_add(attest_text *lines, const attest_observation *observation);

typedef struct attest_observations {
    attest_output output;
    FILE **part; /* an unlinked file for the lines of each property */
    size_t count;
} attest_observations;

/* Opens a file for each property in the directory. observations is all 0 bytes, also after a
 * failure. Status: IO, NOMEM. */
attest_status attest_observations_open(attest_observations *observations, const char *directory,
                                       size_t properties,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Lets the joins, one for each property, write there. */
void attest_observations_use(const attest_observations *observations, attest_join *join);

/* Joins the files to observations.jsonl. Whatever the status, nothing is left to clear. Status:
 * IO.
 */
attest_status attest_observations_commit(attest_observations *observations,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Removes what was written, if anything is open. */
void attest_observations_abandon(attest_observations *observations);

#endif
