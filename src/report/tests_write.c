/* tests_write.c -- tests as TAP and as JUnit XML. */
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "report/markup.h"
#include "report/tests.h"

/* Escapes control characters, and '#', which would begin a directive. */
static void add_title(attest_text *text, const char *title)
{
    ATTEST_SCOPED(attest_text, escaped);

    attest_escape_terminal(&escaped, title, strlen(title));
    for (size_t i = 0; i < escaped.size; i++)
        attest_text_printf(text, escaped.data[i] == '#' ? "\\%c" : "%c", escaped.data[i]);
    text->failed |= escaped.failed;
}

static void add_comment(attest_text *text, const char *what, const char *line)
{
    if (!*line)
        return;
    attest_text_printf(text, "# %s", what);
    attest_escape_terminal(text, line, strlen(line));
    attest_text_add(text, "\n");
}

attest_status attest_report_tests_write_tap(const attest_report_tests *tests, FILE *stream)
{
    ATTEST_SCOPED(attest_text, text);

    attest_text_printf(&text, "1..%zu\n", tests->count);
    for (size_t i = 0; i < tests->count; i++) {
        const attest_report_test *test = &tests->test[i];
        bool failed =
            test->outcome == ATTEST_REPORT_FAILED || test->outcome == ATTEST_REPORT_ERROR;

        attest_text_printf(&text, "%sok %zu - ", failed ? "not " : "", i + 1);
        add_title(&text, test->title);
        if (test->outcome == ATTEST_REPORT_SKIPPED)
            attest_text_printf(&text, " # SKIP%s%s", *test->skip ? " " : "", test->skip);
        attest_text_add(&text, "\n");
        if (test->comments) {
            add_comment(&text, "", test->message);
            add_comment(&text, "replay: ", test->command);
        }
    }
    if (text.failed)
        return ATTEST_NOMEM;
    fputs(text.data, stream);
    return ATTEST_OK;
}

static void add_time(attest_markup *xml, double seconds)
{
    attest_markup_attribute_printf(xml, "time", "%.6f", seconds);
}

static void add_case(attest_markup *xml, const attest_report_test *test)
{
    static const char *const elements[] = {NULL, "failure", "error", "skipped"};
    const char *element = elements[test->outcome];

    attest_markup_open(xml, "testcase");
    attest_markup_attribute(xml, "classname", test->class_name);
    attest_markup_attribute(xml, "name", test->name);
    add_time(xml, test->seconds);
    if (!element && !test->output) {
        attest_markup_empty(xml);
        return;
    }
    if (element) {
        attest_markup_open(xml, element);
        attest_markup_attribute(xml, "type", test->verdict);
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

/* Adds the suite of tests begin ... end - 1. */
static void add_suite(attest_markup *xml, const attest_report_tests *tests, size_t begin,
                      size_t end)
{
    size_t outcomes[4] = {0};
    double seconds = 0;

    for (size_t i = begin; i < end; i++) {
        outcomes[tests->test[i].outcome]++;
        seconds += tests->test[i].seconds;
    }
    attest_markup_open(xml, "testsuite");
    attest_markup_attribute(xml, "name", tests->test[begin].suite);
    attest_markup_attribute_printf(xml, "tests", "%zu", end - begin);
    attest_markup_attribute_printf(xml, "failures", "%zu", outcomes[ATTEST_REPORT_FAILED]);
    attest_markup_attribute_printf(xml, "errors", "%zu", outcomes[ATTEST_REPORT_ERROR]);
    if (outcomes[ATTEST_REPORT_SKIPPED])
        attest_markup_attribute_printf(xml, "skipped", "%zu", outcomes[ATTEST_REPORT_SKIPPED]);
    add_time(xml, seconds);
    for (size_t i = begin; i < end; i++)
        add_case(xml, &tests->test[i]);
    attest_markup_close(xml);
}

attest_status attest_report_tests_write_junit(const attest_report_tests *tests,
                                              const char *path, attest_error *error)
{
    attest_markup xml ATTEST_CLEARED_BY(attest_markup_clear);
    attest_output output;

    attest_markup_init(&xml);
    xml.indented = true;
    attest_text_add(&xml.text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    if (!tests->one_suite)
        attest_markup_open(&xml, "testsuites");
    for (size_t i = 0, end; i < tests->count; i = end) {
        for (end = i + 1;
             end < tests->count && strcmp(tests->test[end].suite, tests->test[i].suite) == 0;
             end++)
            ;
        add_suite(&xml, tests, i, end);
    }
    if (!tests->one_suite)
        attest_markup_close(&xml);
    attest_text_add(&xml.text, "\n");
    if (xml.text.failed)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_output_open(&output, path, error));
    fwrite(xml.text.data, 1, xml.text.size, output.stream);
    return attest_output_commit(&output, error);
}
