/* tests.h -- verdicts as tests, for programs that collect those: TAP and JUnit.
 *
 * A test is a property of a campaign, a certificate or a verified network. It passes only where
 * the verdict says so, where a property looks for violations and has found one, or where a
 * record attest/expected in the same folder says that the verdict is meant to be so:
 * {"verdicts": {FILE: VERDICT, ...}}. Undecided is a failure that says what it is; what was not
 * run is skipped. */
#ifndef ATTEST_REPORT_TESTS_H
#define ATTEST_REPORT_TESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <attest/error.h>

#include "report/record.h"

typedef struct attest_report_test {
    const char *suite;   /* the record's path */
    const char *name;    /* what was tested */
    const char *verdict; /* as it stands in the record */
    bool passed, skipped;
    bool expected;              /* passed, though the verdict is no good one elsewhere */
    double seconds;             /* 0 where the record has none */
    const char *counterexample; /* a file, or "" */
} attest_report_test;

typedef struct attest_report_tests {
    size_t count, room;
    attest_report_test *test;
} attest_report_tests;

void attest_report_tests_init(attest_report_tests *tests);
void attest_report_tests_clear(attest_report_tests *tests);

/* tests = those of all records, in their order; texts belong to the records. Status: NOMEM.
 */
attest_status attest_report_tests_set(attest_report_tests *tests,
                                      const attest_records *records) ATTEST_WARN_UNUSED;

/* TAP 12, one line a test: '#' and control characters in names are escaped. Status: NOMEM;
 * errors of the stream stay with it. */
attest_status attest_report_tests_write_tap(const attest_report_tests *tests,
                                            FILE *stream) ATTEST_WARN_UNUSED;

/* A JUnit file, whole or not at all: a suite for each record. Status: IO, NOMEM. */
attest_status attest_report_tests_write_junit(const attest_report_tests *tests,
                                              const char *path,
                                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
