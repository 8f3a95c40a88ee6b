/* status.h -- the progress of a campaign, read from its directory while others write to it. */
#ifndef ATTEST_CAMPAIGN_STATUS_H
#define ATTEST_CAMPAIGN_STATUS_H

#include <sys/types.h>

#include "campaign/campaign_record.h"

typedef struct attest_campaign_status_property {
    char *name;
    bool timed;       /* the only limit is time */
    uint64_t planned; /* trials of this shard, unless timed */
    uint64_t trials, failed, undecided;
    bool ended; /* by a violation */
    double seconds;
} attest_campaign_status_property;

typedef struct attest_campaign_status {
    const char *path;
    char seed[32];
    size_t shard, shards;
    pid_t running;  /* the process that has the lock; 0: none, -1: one of another machine */
    bool finished;  /* all planned trials are done */
    double silence; /* seconds since the journal was last written to */
    size_t properties;
    attest_campaign_status_property *property;
} attest_campaign_status;

/* status (uninitialised) = the state of the campaign in the directory path, without a record
 * that is being written. Its violations are added to findings, the name of the property before
 * each reason; findings may have those of other directories. The budget (NULL: unlimited)
 * bounds what is read. Status: USAGE (no campaign), FORMAT, IO, UNABLE (the budget), NOMEM;
 * then nothing is left to clear. */
attest_status attest_campaign_status_read(attest_campaign_status *status, const char *path,
                                          attest_chunk_result *findings, attest_budget *budget,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_campaign_status_clear(attest_campaign_status *status);

/* The sum of all properties. */
typedef struct attest_campaign_status_total {
    uint64_t trials, failed, undecided;
    uint64_t left; /* trials, if known */
    double seconds;
    bool known; /* false: a property is limited by time only */
} attest_campaign_status_total;
attest_campaign_status_total attest_campaign_status_sum(const attest_campaign_status *status);

#endif
