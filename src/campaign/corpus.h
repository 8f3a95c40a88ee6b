/* corpus.h -- stored counterexamples, decided again by every campaign.
 *
 * A corpus is a directory of counterexample files. A member "expect" is "held" or "violated";
 * without it a file is expected to hold, like the counterexample of a bug that was fixed. A
 * witness is the counterexample that is stored with a property which expects a violation. */
#ifndef ATTEST_CAMPAIGN_CORPUS_H
#define ATTEST_CAMPAIGN_CORPUS_H

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

/* *confirmed = whether the property has a witness that violates it, decided again from its
 * values. Status: NOMEM. */
attest_status attest_witness_check(bool *confirmed, const attest_property *property,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
