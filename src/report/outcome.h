/* outcome.h -- verdicts as tests, for programs that collect those: TAP and JUnit.
 *
 * A test is a property of a campaign, a certificate or a verified network. It passes only where
 * the verdict says so, or where a property looks for violations and has found one: undecided is
 * a failure that says what it is. */
#ifndef ATTEST_REPORT_OUTCOME_H
#define ATTEST_REPORT_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <attest/error.h>

#include "report/record.h"

typedef struct attest_outcome {
    const char *suite;   /* the record's path */
    const char *name;    /* what was tested */
    const char *verdict; /* as it stands in the record */
    bool passed;
    double seconds;             /* 0 where the record has none */
    const char *counterexample; /* a file, or "" */
} attest_outcome;

typedef struct attest_outcomes {
    size_t count, room;
    attest_outcome *outcome;
} attest_outcomes;

void attest_outcomes_init(attest_outcomes *outcomes);
void attest_outcomes_clear(attest_outcomes *outcomes);

/* outcomes = those of all records, in their order; texts belong to the records. Status: NOMEM.
 */
attest_status attest_outcomes_set(attest_outcomes *outcomes,
                                  const attest_records *records) ATTEST_WARN_UNUSED;

/* TAP 12, one line a test: '#' and control characters in names are escaped. Status: NOMEM;
 * errors of the stream stay with it. */
attest_status attest_outcomes_write_tap(const attest_outcomes *outcomes,
                                        FILE *stream) ATTEST_WARN_UNUSED;

/* A JUnit file, whole or not at all: a suite for each record. Status: IO, NOMEM. */
attest_status attest_outcomes_write_junit(const attest_outcomes *outcomes, const char *path,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
