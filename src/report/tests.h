/* tests.h -- verdicts as tests, for programs that collect those: TAP and JUnit.
 *
 * A test is a property of a campaign, a file of its corpus, or another record with a verdict.
 * It passes if the verdict is the good one, if a property looks for violations and has found
 * one, or if a record attest/expected in the same directory, or one above it, expects the
 * verdict:
 * {"verdicts": {FILE: VERDICT, ...}}. */
#ifndef ATTEST_REPORT_TESTS_H
#define ATTEST_REPORT_TESTS_H

#include <stddef.h>
#include <stdio.h>

#include <attest/error.h>

#include "campaign/summary.h"
#include "report/record.h"

typedef enum attest_report_outcome {
    ATTEST_REPORT_PASSED,
    ATTEST_REPORT_FAILED,
    ATTEST_REPORT_ERROR, /* JUnit: the test has no verdict */
    ATTEST_REPORT_SKIPPED
} attest_report_outcome;

typedef struct attest_report_test {
    const char *suite, *class_name, *name; /* JUnit */
    const char *verdict;                   /* JUnit: the type of a failure */
    attest_report_outcome outcome;
    double seconds;
    char *title;        /* TAP: the description */
    const char *skip;   /* TAP: why the test was skipped, or "" */
    char *message;      /* what failed, one line, or "" */
    char *command;      /* shows the failure, or "" */
    const char *output; /* JUnit: the output; NULL: none */
    bool comments;      /* TAP: message and command are comments after the test */
} attest_report_test;

typedef struct attest_report_tests {
    size_t count, room;
    attest_report_test *test;
    bool one_suite; /* JUnit: the suite is the root */
} attest_report_tests;

void attest_report_tests_init(attest_report_tests *tests);
void attest_report_tests_clear(attest_report_tests *tests);

/* Appends the tests of all records, which must outlive them. Status: NOMEM. */
attest_status attest_report_tests_set(attest_report_tests *tests,
                                      const attest_records *records) ATTEST_WARN_UNUSED;

/* Appends the tests of a campaign, which must outlive them. Status: NOMEM. */
attest_status
attest_report_tests_set_campaign(attest_report_tests *tests,
                                 const attest_summary *summary) ATTEST_WARN_UNUSED;

/* Prints TAP 12: one line per test, in which '#' and control characters are escaped. Status:
 * NOMEM; errors of the stream stay with it. */
attest_status attest_report_tests_write_tap(const attest_report_tests *tests,
                                            FILE *stream) ATTEST_WARN_UNUSED;

/* Writes a JUnit file, whole or not at all. Status: IO, NOMEM. */
attest_status attest_report_tests_write_junit(const attest_report_tests *tests,
                                              const char *path,
                                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
