/* observe.h -- one trial as a line of JSON, with the field names of Hypothesis's observability
 * interface. */
#ifndef ATTEST_CAMPAIGN_OBSERVE_H
#define ATTEST_CAMPAIGN_OBSERVE_H

#include "base/text.h"
#include "campaign/chunk.h"

typedef struct attest_observation {
    const attest_chunk *chunk;
    uint64_t trial, seed;
    const attest_trial *found; /* NULL: the draw was discarded, or the worker died */
    const char *arguments;     /* the text of the instance, or NULL */
    const char *reason;        /* why there is no verdict, or NULL */
    double seconds;
} attest_observation;

/* Appends the line. Passed, failed or gave_up (discarded, undecided): what that means, and the
 * other fields, doc/campaign.md says. */
void attest_observation_add(attest_text *lines, const attest_observation *observation);

#endif
