/* junit.h -- JUnit XML: suites of tests, for programs that collect those. */
#ifndef ATTEST_REPORT_JUNIT_H
#define ATTEST_REPORT_JUNIT_H

#include "report/markup.h"

/* indented: an element a line, by its depth, and times to the microsecond. */
void attest_junit_init(attest_markup *xml, bool indented);

/* A suite, and what its tests come to; attest_markup_close ends it. */
typedef struct attest_junit_suite {
    const char *name;
    size_t tests, failures, errors, skipped;
    double seconds;
} attest_junit_suite;

void attest_junit_open(attest_markup *xml, const attest_junit_suite *suite);

/* A test of the suite. */
typedef struct attest_junit_test {
    const char *classname, *name;
    double seconds;
    const char *trouble; /* "failure", "error" or "skipped"; NULL: it passed */
    const char *type, *message;
    const char *command; /* that shows the trouble, or "" */
    const char *output;  /* NULL: none */
} attest_junit_test;

void attest_junit_add(attest_markup *xml, const attest_junit_test *test);

#endif
