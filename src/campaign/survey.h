/* survey.h -- how far a campaign is, from its folder: read while others write to it. */
#ifndef ATTEST_CAMPAIGN_SURVEY_H
#define ATTEST_CAMPAIGN_SURVEY_H

#include <sys/types.h>

#include "campaign/chunk_result.h"

/* What became of one property so far. */
typedef struct attest_survey_property {
    char *name;
    bool timed; /* as many trials as there is time for; else so many in this shard: */
    uint64_t planned;
    uint64_t trials, failed, undecided;
    bool ended; /* by a violation */
    double seconds;
} attest_survey_property;

typedef struct attest_survey_folder {
    const char *path;
    char seed[32];
    size_t shard, shards;
    pid_t running;  /* the process that works here; 0: none, -1: one of another machine */
    bool finished;  /* all that was planned is done */
    double silence; /* seconds since the journal was last written to */
    size_t properties;
    attest_survey_property *property;
} attest_survey_folder;

/* folder (uninitialised) = the state of the campaign at path; findings are appended to result,
 * whose violations are those of all folders so far, reasons prefixed by their properties. A
 * record that is being written is left out. The budget (NULL: unlimited) bounds what is read.
 * Status: USAGE (no campaign), FORMAT, IO, UNABLE (the budget), NOMEM;
 * then nothing is left to clear. */
attest_status attest_survey_read(attest_survey_folder *folder, const char *path,
                                 attest_chunk_result *findings, attest_budget *budget,
                                 attest_error *error) ATTEST_WARN_UNUSED;
void attest_survey_clear(attest_survey_folder *folder);

/* Trials and seconds of all properties; how many trials are left, and whether that is known. */
typedef struct attest_survey_total {
    uint64_t trials, failed, undecided, left;
    double seconds;
    bool known;
} attest_survey_total;
attest_survey_total attest_survey_sum(const attest_survey_folder *folder);

#endif
