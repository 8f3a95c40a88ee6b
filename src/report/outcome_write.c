/* outcome_write.c -- TAP and JUnit. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/escape.h"
#include "base/output.h"
#include "report/markup.h"
#include "report/outcome.h"

/* A name in a line of TAP: '#' would begin a directive. */
static void add_name(attest_text *line, const char *name)
{
    attest_text harmless;

    attest_text_init(&harmless);
    attest_escape_terminal(&harmless, name, strlen(name));
    for (size_t i = 0; i < harmless.size; i++)
        attest_text_printf(line, harmless.data[i] == '#' ? "\\%c" : "%c", harmless.data[i]);
    line->failed |= harmless.failed;
    attest_text_clear(&harmless);
}

attest_status attest_outcomes_write_tap(const attest_outcomes *outcomes, FILE *stream)
{
    attest_text text;
    char *taken;

    attest_text_init(&text);
    for (size_t i = 0; i < outcomes->count; i++) {
        const attest_outcome *outcome = &outcomes->outcome[i];
        attest_text_printf(&text, "%sok %zu - ", outcome->passed ? "" : "not ", i + 1);
        add_name(&text, outcome->suite);
        attest_text_add(&text, ": ");
        add_name(&text, outcome->name);
        attest_text_add(&text, " ");
        add_name(&text, outcome->verdict);
        if (*outcome->counterexample) {
            attest_text_add(&text, ", replay ");
            add_name(&text, outcome->counterexample);
        }
        attest_text_add(&text, "\n");
    }
    attest_text_printf(&text, "1..%zu\n", outcomes->count);
    taken = attest_text_take(&text);
    if (!taken)
        return ATTEST_NOMEM;
    fputs(taken, stream);
    free(taken);
    return ATTEST_OK;
}

static void write_case(attest_markup *xml, const attest_outcome *outcome)
{
    attest_markup_open(xml, "testcase");
    attest_markup_attribute(xml, "classname", outcome->suite);
    attest_markup_attribute(xml, "name", outcome->name);
    attest_markup_attribute_number(xml, "time", outcome->seconds);
    if (outcome->passed) {
        attest_markup_empty(xml);
        return;
    }
    attest_markup_open(xml, "failure");
    attest_markup_attribute(xml, "type", outcome->verdict);
    attest_markup_attribute_printf(xml, "message", "the verdict is \"%s\"", outcome->verdict);
    if (*outcome->counterexample)
        attest_markup_printf(xml, "attest replay %s", outcome->counterexample);
    attest_markup_close(xml);
    attest_markup_close(xml);
}

/* The tests of one record: outcomes begin ... end. */
static void write_suite(attest_markup *xml, const attest_outcomes *outcomes, size_t begin,
                        size_t end)
{
    size_t failures = 0;
    double seconds = 0;

    for (size_t i = begin; i < end; i++) {
        failures += !outcomes->outcome[i].passed;
        seconds += outcomes->outcome[i].seconds;
    }
    attest_markup_open(xml, "testsuite");
    attest_markup_attribute(xml, "name", outcomes->outcome[begin].suite);
    attest_markup_attribute_printf(xml, "tests", "%zu", end - begin);
    attest_markup_attribute_printf(xml, "failures", "%zu", failures);
    attest_markup_attribute(xml, "errors", "0");
    attest_markup_attribute_number(xml, "time", seconds);
    for (size_t i = begin; i < end; i++)
        write_case(xml, &outcomes->outcome[i]);
    attest_markup_close(xml);
}

attest_status attest_outcomes_write_junit(const attest_outcomes *outcomes, const char *path,
                                          attest_error *error)
{
    attest_markup xml;
    attest_output output;
    attest_status status;

    attest_markup_init(&xml);
    attest_text_add(&xml.text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    attest_markup_open(&xml, "testsuites");
    for (size_t i = 0, end; i < outcomes->count; i = end) {
        for (end = i + 1; end < outcomes->count &&
                          outcomes->outcome[end].suite == outcomes->outcome[i].suite;
             end++)
            ;
        write_suite(&xml, outcomes, i, end);
    }
    attest_markup_close(&xml);
    attest_text_add(&xml.text, "\n");
    status = xml.text.failed ? attest_memory_fail_at(error, path)
                             : attest_output_open(&output, path, error);
    if (status == ATTEST_OK) {
        fwrite(xml.text.data, 1, xml.text.size, output.stream);
        status = attest_output_commit(&output, error);
    }
    attest_markup_clear(&xml);
    return status;
}
