/* summary.h -- the record of a finished campaign: verdicts, and the lines that describe them.
 *
 * Text, JSON, TAP, JUnit and exit code are made from this record; none of them derives a fact
 * of its own.
 *
 * A campaign also decides stored counterexamples again. A corpus is a directory of
 * counterexample files. A member "expect" is "held" or "violated"; without it a file is
 * expected to hold, like the counterexample of a bug that was fixed. A witness is the
 * counterexample that is stored with a property which expects a violation. */
#ifndef ATTEST_CAMPAIGN_SUMMARY_H
#define ATTEST_CAMPAIGN_SUMMARY_H

#include "campaign/join.h"
#include "campaign/plan.h"

/* One file. */
typedef struct attest_corpus_case {
    char *path, *property, *reason;
    attest_trial_outcome expected; /* held or violated */
    attest_trial_outcome outcome;
} attest_corpus_case;

/* The files of a directory; none if all members are 0. */
typedef struct attest_corpus {
    size_t files, room;
    attest_corpus_case *file;
} attest_corpus;

/* Replays the *.json files of the directory in the order of their names; the budget bounds each
 * of them. corpus is uninitialised; clear it whatever the status. An unexpected outcome is not
 * an error. Status: IO, FORMAT, UNABLE, NOMEM; the error begins with the path. */
attest_status attest_corpus_replay(attest_corpus *corpus, const char *directory,
                                   attest_property_finder *find, const attest_budget *budget,
                                   attest_error *error) ATTEST_WARN_UNUSED;
void attest_corpus_clear(attest_corpus *corpus);

typedef enum attest_campaign_verdict {
    ATTEST_CAMPAIGN_HELD = 0,
    ATTEST_CAMPAIGN_VIOLATED,
    ATTEST_CAMPAIGN_FLAKY,     /* violated, but not when it was decided again */
    ATTEST_CAMPAIGN_UNDECIDED, /* never a pass */
    ATTEST_CAMPAIGN_NOT_RUN    /* no trial, or too few for a search: neither pass nor failure */
} attest_campaign_verdict;

/* What the verdict means for the property, which is either to hold or to be violated. */
typedef enum attest_campaign_standing {
    ATTEST_STANDING_HELD = 0,
    ATTEST_STANDING_EXPECTED, /* violated, as expected */
    ATTEST_STANDING_FAILED,   /* violated, also without one of its hypotheses; or an expected
                                 violation was not found */
    ATTEST_STANDING_FLAKY,
    ATTEST_STANDING_UNDECIDED,
    ATTEST_STANDING_NOT_RUN,
    ATTEST_STANDINGS
} attest_campaign_standing;

/* One property. Points into its join. */
typedef struct attest_property_summary {
    const attest_property *property;
    const attest_chunk_result *result;
    attest_campaign_verdict verdict;
    attest_campaign_standing standing;
    const char *reason; /* why it is undecided, not run, or held although a violation is
                           expected; else NULL */
    const char *needed; /* the hypothesis that was dropped, if a violation was found without it;
                           else NULL */
    bool by_witness;    /* a search had too few trials to find a violation: the stored one was
                           decided again instead */
    char text[160];     /* the memory of reason, if it is not a literal */
    uint64_t trials;
    uint64_t random; /* passed trials that were drawn independently of each other */
} attest_property_summary;

/* A property, or a file of the corpus, as one test of the campaign. */
typedef struct attest_summary_test {
    const char *name; /* of the property; or the path of the file */
    bool is_file;
    attest_campaign_standing standing;
    const char *verdict; /* "held", "violated", ... */
    char result[256];    /* "violated, as expected, after 3 trials"; "held, as expected" */
    char reason[1024];   /* one line, what is violated or why nothing was decided; or "" */
    char *command;       /* replays the first violation, or the file; NULL: nothing to replay */
    double seconds;
} attest_summary_test;

typedef struct attest_summary {
    const attest_plan *plan;
    const attest_corpus *corpus; /* or NULL */
    const char *directory; /* contains the counterexamples, under attest_summary_file; NULL:
                           there are no files */
    size_t properties;
    attest_property_summary *property;
    size_t tests; /* the properties, then the files of the corpus */
    attest_summary_test *test;
    size_t standing[ATTEST_STANDINGS]; /* the number of tests in each standing */
    size_t confirmed;                  /* tests that held, or were violated as expected */
    uint64_t trials;                   /* of all properties */
} attest_summary;

/* If a violation is expected, but none was found in fewer trials than the default of the
 * property, its witness is decided again. corpus and directory may be NULL; plan, joins, corpus
 * and directory must outlive the summary. Status: NOMEM; the summary must be cleared in any
 * case.
 */
attest_status attest_summary_init(attest_summary *summary, const attest_plan *plan,
                                  const attest_join *join, const attest_corpus *corpus,
                                  const char *directory,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_summary_clear(attest_summary *summary);

/* Returns "held", "violated", "flaky", "undecided" or "not-run". */
const char *attest_campaign_verdict_name(attest_campaign_verdict verdict);

/* Returns "held", "violated_as_expected", "failed", "flaky", "undecided" or "not_run". */
const char *attest_campaign_standing_name(attest_campaign_standing standing);

/* Returns the exit code of the program: 1 if a test failed or is flaky, else 3 if one is
 * undecided, else 0. */
int attest_summary_code(const attest_summary *summary);

/* Returns whether the standing leaves the exit code 0. */
bool attest_standing_is_good(attest_campaign_standing standing);

/* Formats the name of the file of violation v >= 0 or, for v = -1, of the tightest case. */
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
