/* summary.h -- what a campaign says in the end. */
#ifndef ATTEST_CAMPAIGN_SUMMARY_H
#define ATTEST_CAMPAIGN_SUMMARY_H

#include "campaign/corpus.h"
#include "campaign/join.h"

typedef enum attest_campaign_verdict {
    ATTEST_CAMPAIGN_HELD = 0,
    ATTEST_CAMPAIGN_VIOLATED,
    ATTEST_CAMPAIGN_FLAKY,     /* violated, and not violated when it was decided again */
    ATTEST_CAMPAIGN_UNDECIDED, /* never a pass */
    ATTEST_CAMPAIGN_NOT_RUN    /* no trial, or too few for a search: neither pass nor failure */
} attest_campaign_verdict;

/* What the verdict means for a property, which holds or looks for a violation. */
typedef enum attest_campaign_standing {
    ATTEST_STANDING_HELD = 0,
    ATTEST_STANDING_EXPECTED, /* violated, and that is what was looked for */
    ATTEST_STANDING_FAILED,   /* violated, also where a hypothesis was dropped; or a violation
                                 was expected and not found */
    ATTEST_STANDING_FLAKY,
    ATTEST_STANDING_UNDECIDED,
    ATTEST_STANDING_NOT_RUN,
    ATTEST_STANDINGS
} attest_campaign_standing;

/* One property. Points into its tally. */
typedef struct attest_property_summary {
    const attest_property *property;
    const attest_chunk_result *result;
    attest_campaign_verdict verdict;
    attest_campaign_standing standing;
    const char *reason; /* undecided, not run, held where it should not: why; else NULL */
    const char *needed; /* the hypothesis that was dropped, and is needed: a violation was
                           found; else NULL */
    bool by_witness;    /* a search had too few trials to find a violation: the stored one,
                           decided again, stands for it */
    char text[160];     /* of the reason, where it is made up */
    uint64_t trials;
    uint64_t random; /* passed trials that were drawn independently of each other */
} attest_property_summary;

typedef struct attest_summary {
    const attest_plan *plan;
    size_t properties;
    attest_property_summary *property;
    const attest_corpus *corpus;       /* its files are tests like the properties; or NULL */
    size_t standing[ATTEST_STANDINGS]; /* how many properties and files stand so */
} attest_summary;

/* Where a violation is expected, and none was found in fewer trials than the property's
 * default, its witness is decided again. corpus may be NULL; it must outlive the summary.
 * Status: NOMEM. */
attest_status attest_summary_init(attest_summary *summary, const attest_plan *plan,
                                  const attest_join *join, const attest_corpus *corpus,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_summary_clear(attest_summary *summary);

/* "held", "violated", "flaky", "undecided" or "not-run". */
const char *attest_campaign_verdict_name(attest_campaign_verdict verdict);

/* The exit code that the program ends with: 1 where something failed or is flaky, else 3 where
 * something is undecided, else 0. */
int attest_summary_code(const attest_summary *summary);

/* Whether this is no reason for another exit code than 0. */
static inline bool attest_standing_is_good(attest_campaign_standing standing)
{
    return standing == ATTEST_STANDING_HELD || standing == ATTEST_STANDING_EXPECTED ||
           standing == ATTEST_STANDING_NOT_RUN;
}

/* How a file of the corpus stands: held or violated as it says, failed, or undecided. */
attest_campaign_standing attest_summary_stand(const attest_corpus_case *file);

/* The name, in the campaign's folder, of the file of violation number v >= 0 or, for v = -1, of
 * the tightest case. */
void attest_summary_file(char *name, size_t size, const attest_property *property, long v);

/* With fewer trials the shares of labels are not compared with their bounds. */
enum { ATTEST_COVERAGE_TRIALS = 400 };

/* Returns whether the shares of the labels are within the bounds of the property's coverage. A
 * share misses its bound if it is beyond it by more than three standard deviations; if the true
 * share is the bound itself, this happens by chance in about one campaign of a thousand. Then
 * reason names the label. */
bool attest_coverage_check(char *reason, size_t size, const attest_property *property,
                           const attest_chunk_result *result);

#endif
