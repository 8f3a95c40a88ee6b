/* junit.c -- JUnit XML. */
#include "report/junit.h"

void attest_junit_init(attest_markup *xml, bool indented)
{
    attest_markup_init(xml);
    xml->indented = indented;
    attest_text_add(&xml->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
}

static void add_time(attest_markup *xml, double seconds)
{
    if (xml->indented)
        attest_markup_attribute_printf(xml, "time", "%.6f", seconds);
    else
        attest_markup_attribute_number(xml, "time", seconds);
}

void attest_junit_open(attest_markup *xml, const attest_junit_suite *suite)
{
    attest_markup_open(xml, "testsuite");
    attest_markup_attribute(xml, "name", suite->name);
    attest_markup_attribute_printf(xml, "tests", "%zu", suite->tests);
    attest_markup_attribute_printf(xml, "failures", "%zu", suite->failures);
    attest_markup_attribute_printf(xml, "errors", "%zu", suite->errors);
    if (suite->skipped)
        attest_markup_attribute_printf(xml, "skipped", "%zu", suite->skipped);
    add_time(xml, suite->seconds);
}

void attest_junit_add(attest_markup *xml, const attest_junit_test *test)
{
    attest_markup_open(xml, "testcase");
    attest_markup_attribute(xml, "classname", test->classname);
    attest_markup_attribute(xml, "name", test->name);
    add_time(xml, test->seconds);
    if (!test->trouble && !test->output) {
        attest_markup_empty(xml);
        return;
    }
    if (test->trouble) {
        attest_markup_open(xml, test->trouble);
        if (test->type)
            attest_markup_attribute(xml, "type", test->type);
        attest_markup_attribute(xml, "message", test->message);
        attest_markup_line(xml, test->command);
        attest_markup_close(xml);
    }
    if (test->output) {
        attest_markup_open(xml, "system-out");
        attest_markup_line(xml, test->output);
        attest_markup_close(xml);
    }
    attest_markup_close(xml);
}
