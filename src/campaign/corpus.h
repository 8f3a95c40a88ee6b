/* corpus.h -- values worth deciding again in every run.
 *
 * A corpus is a folder of counterexample files, each with a member "expect": "held" or
 * "violated". Files without one are expected to hold: a bug that was fixed stays fixed. */
#ifndef ATTEST_CAMPAIGN_CORPUS_H
#define ATTEST_CAMPAIGN_CORPUS_H

#include "campaign/plan_read.h"

/* One file. */
typedef struct attest_corpus_case {
    char *path, *property, *reason;
    attest_trial_outcome expected; /* held or violated */
    attest_trial_outcome outcome;
} attest_corpus_case;

/* The files of a folder; an empty one if all is 0. */
typedef struct attest_corpus {
    size_t files, room;
    attest_corpus_case *file;
} attest_corpus;

/* Replays the *.json files of the folder in the order of their names; the budget bounds each of
 * them. corpus is uninitialised; clear it whatever the status. A file that is not as expected
 * is no error. Status: IO, FORMAT, UNABLE, NOMEM; the text begins with the path. */
attest_status attest_corpus_replay(attest_corpus *corpus, const char *folder,
                                   attest_property_finder *find, const attest_budget *budget,
                                   attest_error *error) ATTEST_WARN_UNUSED;
void attest_corpus_clear(attest_corpus *corpus);

#endif
