/* tests_write.c -- TAP and JUnit. */
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "report/junit.h"
#include "report/tap.h"
#include "report/tests.h"

attest_status attest_report_tests_write_tap(const attest_report_tests *tests, FILE *stream)
{
    attest_text text;

    attest_text_init(&text);
    for (size_t i = 0; i < tests->count; i++) {
        const attest_report_test *test = &tests->test[i];

        attest_tap_add_test(&text, test->passed, i + 1);
        attest_tap_add_name(&text, test->suite);
        attest_text_add(&text, ": ");
        attest_tap_add_name(&text, test->name);
        attest_text_add(&text, " ");
        attest_tap_add_name(&text, test->verdict);
        if (test->expected)
            attest_text_add(&text, ", as expected");
        if (test->skipped)
            attest_text_add(&text, " # SKIP");
        if (*test->counterexample) {
            attest_text_add(&text, ", replay ");
            attest_tap_add_name(&text, test->counterexample);
        }
        attest_text_add(&text, "\n");
    }
    attest_tap_add_plan(&text, tests->count);
    return attest_tap_print(&text, stream);
}

static void write_case(attest_markup *xml, const attest_report_test *test)
{
    ATTEST_SCOPED(attest_text, message);
    ATTEST_SCOPED(attest_text, command);

    attest_text_printf(&message, "the verdict is \"%s\"", test->verdict);
    if (*test->counterexample)
        attest_text_printf(&command, "attest replay %s", test->counterexample);
    xml->text.failed |= message.failed || command.failed;
    if (!xml->text.failed)
        attest_junit_add(xml, &(attest_junit_test){
                                  .classname = test->suite,
                                  .name = test->name,
                                  .seconds = test->seconds,
                                  .trouble = test->skipped  ? "skipped"
                                             : test->passed ? NULL
                                                            : "failure",
                                  .type = test->verdict,
                                  .message = message.data,
                                  .command = command.data ? command.data : "",
                              });
}

/* The tests of one record: tests begin ... end. */
static void write_suite(attest_markup *xml, const attest_report_tests *tests, size_t begin,
                        size_t end)
{
    attest_junit_suite suite = {.name = tests->test[begin].suite, .tests = end - begin};

    for (size_t i = begin; i < end; i++) {
        suite.failures += !tests->test[i].passed;
        suite.skipped += tests->test[i].skipped;
        suite.seconds += tests->test[i].seconds;
    }
    attest_junit_open(xml, &suite);
    for (size_t i = begin; i < end; i++)
        write_case(xml, &tests->test[i]);
    attest_markup_close(xml);
}

attest_status attest_report_tests_write_junit(const attest_report_tests *tests,
                                              const char *path, attest_error *error)
{
    attest_markup xml ATTEST_CLEARED_BY(attest_markup_clear);
    attest_output output;

    attest_junit_init(&xml, false);
    attest_markup_open(&xml, "testsuites");
    for (size_t i = 0, end; i < tests->count; i = end) {
        for (end = i + 1; end < tests->count && tests->test[end].suite == tests->test[i].suite;
             end++)
            ;
        write_suite(&xml, tests, i, end);
    }
    attest_markup_close(&xml);
    attest_text_add(&xml.text, "\n");
    if (xml.text.failed)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_output_open(&output, path, error));
    fwrite(xml.text.data, 1, xml.text.size, output.stream);
    return attest_output_commit(&output, error);
}
