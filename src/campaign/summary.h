/* summary.h -- what a campaign says in the end. */
#ifndef ATTEST_CAMPAIGN_SUMMARY_H
#define ATTEST_CAMPAIGN_SUMMARY_H

#include "campaign/tally.h"

typedef enum attest_campaign_verdict {
    ATTEST_CAMPAIGN_HELD = 0,
    ATTEST_CAMPAIGN_VIOLATED,
    ATTEST_CAMPAIGN_UNDECIDED /* never a pass */
} attest_campaign_verdict;

/* One property. Points into its tally. */
typedef struct attest_property_summary {
    const attest_property *property;
    const attest_chunk_result *result;
    attest_campaign_verdict verdict;
    const char *reason; /* undecided: why; else NULL */
    char coverage[160]; /* what reason says of labels that miss their share */
    uint64_t trials;
    uint64_t random;  /* passed trials that were drawn independently of each other */
    bool as_expected; /* violated if and only if the property looks for violations */
} attest_property_summary;

typedef struct attest_summary {
    const attest_plan *plan;
    size_t properties;
    attest_property_summary *property;
} attest_summary;

/* Status: NOMEM. */
attest_status attest_summary_init(attest_summary *summary, const attest_plan *plan,
                                  const attest_tally *tally,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_summary_clear(attest_summary *summary);

/* "held", "violated" or "undecided". */
const char *attest_campaign_verdict_name(attest_campaign_verdict verdict);

/* The name, in the campaign's folder, of the file of violation number v >= 0 or, for v = -1, of
 * the tightest case. */
void attest_summary_file(char *name, size_t size, const attest_property *property, long v);

#endif
