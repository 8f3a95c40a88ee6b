/* tests.c -- the verdicts of campaigns and other records as tests, and these as TAP and JUnit
 * XML. */
#include "report/tests.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/markup.h"

void attest_report_tests_init(attest_report_tests *tests)
{
    memset(tests, 0, sizeof *tests);
}

void attest_report_tests_clear(attest_report_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++) {
        free(tests->test[i].title);
        free(tests->test[i].message);
        free(tests->test[i].command);
    }
    free(tests->test);
    attest_report_tests_init(tests);
}

/* Appends the test, whose texts are taken over; returns false if memory runs out. */
static bool add(attest_report_tests *tests, const attest_report_test *test)
{
    if (!test->title || !test->message || !test->command ||
        !attest_memory_grow(&tests->test, &tests->room, tests->count + 1,
                            sizeof *tests->test)) {
        free(test->title);
        free(test->message);
        free(test->command);
        return false;
    }
    tests->test[tests->count++] = *test;
    return true;
}

/* ---- Tests of a campaign. */

static bool add_test(attest_report_tests *tests, const attest_summary_test *test)
{
    static const attest_report_outcome outcomes[ATTEST_STANDINGS] = {
        [ATTEST_STANDING_FAILED] = ATTEST_REPORT_FAILED,
        [ATTEST_STANDING_FLAKY] = ATTEST_REPORT_FAILED,
        [ATTEST_STANDING_UNDECIDED] = ATTEST_REPORT_ERROR,
        [ATTEST_STANDING_NOT_RUN] = ATTEST_REPORT_SKIPPED,
    };
    bool skipped = test->standing == ATTEST_STANDING_NOT_RUN;
    attest_text title;

    attest_text_init(&title);
    attest_text_printf(&title, "%s%s%s", test->name, skipped ? "" : ": ",
                       skipped ? "" : test->result);
    return add(tests,
               &(attest_report_test){
                   .suite = "attest campaign",
                   .class_name = test->is_file ? "attest.corpus" : "attest",
                   .name = test->name,
                   .verdict = test->verdict,
                   .outcome = outcomes[test->standing],
                   .seconds = test->seconds,
                   .title = attest_text_take(&title),
                   .skip = test->result,
                   .message = attest_memory_copy(test->reason),
                   .command = attest_memory_copy(test->command ? test->command : ""),
                   .output = test->result,
                   .comments = !test->is_file || !attest_standing_is_good(test->standing),
               });
}

attest_status attest_report_tests_set_campaign(attest_report_tests *tests,
                                               const attest_summary *summary)
{
    tests->one_suite = true;
    for (size_t t = 0; t < summary->tests; t++)
        if (!add_test(tests, &summary->test[t]))
            return ATTEST_NOMEM;
    return ATTEST_OK;
}

/* ---- Tests of records. */

/* Returns the first counterexample of a property, or "". */
static const char *first_counterexample(const attest_json_cursor *property)
{
    attest_json_cursor files, file;
    const char *path = "";

    if (attest_value_array(&files, property, "counterexamples") == 0)
        return "";
    file = attest_json_get_element(&files, 0);
    return attest_json_get_string(&path, &file, NULL) == ATTEST_OK ? path : "";
}

/* Returns whether a record of expected verdicts in the directory of the record, or above it,
 * has this verdict for it. */
static bool is_expected(const attest_records *records, const attest_record *record,
                        const char *verdict)
{
    for (size_t i = 0; i < records->count; i++) {
        const attest_record *list = &records->record[i];
        attest_json_cursor root = attest_json_root(&list->document), verdicts;
        const char *slash = strrchr(list->path, '/');
        size_t directory = slash ? (size_t)(slash - list->path) + 1 : 0;

        if (list->kind == ATTEST_RECORD_EXPECTED &&
            strncmp(list->path, record->path, directory) == 0 &&
            attest_json_find_member(&verdicts, &root, "verdicts") &&
            strcmp(attest_value_text(&verdicts, record->path + directory), verdict) == 0)
            return true;
    }
    return false;
}

/* A verdict in a record. */
typedef struct verdict {
    const char *name, *verdict;
    bool passed, expected, skipped;
    double seconds;
    const char *counterexample; /* a file, or "" */
} verdict;

static bool add_verdict(attest_report_tests *tests, const attest_record *record,
                        const verdict *v)
{
    attest_text title, message, command;

    attest_text_init(&title);
    attest_text_init(&message);
    attest_text_init(&command);
    attest_text_printf(&title, "%s: %s %s%s%s%s", record->path, v->name, v->verdict,
                       v->expected ? ", as expected" : "",
                       *v->counterexample ? ", replay " : "", v->counterexample);
    attest_text_printf(&message, "the verdict is \"%s\"", v->verdict);
    attest_text_printf(&command, "%s%s", *v->counterexample ? "attest replay " : "",
                       v->counterexample);
    return add(tests, &(attest_report_test){
                          .suite = record->path,
                          .class_name = record->path,
                          .name = v->name,
                          .verdict = v->verdict,
                          .outcome = v->skipped  ? ATTEST_REPORT_SKIPPED
                                     : v->passed ? ATTEST_REPORT_PASSED
                                                 : ATTEST_REPORT_FAILED,
                          .seconds = v->seconds,
                          .title = attest_text_take(&title),
                          .skip = "",
                          .message = attest_text_take(&message),
                          .command = attest_text_take(&command),
                      });
}

/* The properties of a campaign, or the files of its corpus. */
static bool add_campaign(attest_report_tests *tests, const attest_records *records,
                         const attest_record *record, const char *key)
{
    attest_json_cursor root = attest_json_root(&record->document), properties;
    size_t count = attest_value_array(&properties, &root, key);
    bool ok = true;

    for (size_t i = 0; i < count && ok; i++) {
        attest_json_cursor property = attest_json_get_element(&properties, i);
        verdict v = {.name = attest_value_text(&property, "name"),
                     .verdict = attest_value_text(&property, "verdict"),
                     .seconds = attest_value_number(&property, "seconds"),
                     .counterexample = first_counterexample(&property)};

        v.passed = attest_value_is_expected(&property, "held") ||
                   is_expected(records, record, v.verdict);
        v.skipped = strcmp(v.verdict, "not-run") == 0;
        v.expected = v.passed && strcmp(v.verdict, "violated") == 0;
        v.seconds = v.seconds > 0 ? v.seconds : 0;
        ok = add_verdict(tests, record, &v);
    }
    return ok;
}

/* A record with one verdict; good is the one that passes. */
static bool add_record(attest_report_tests *tests, const attest_records *records,
                       const attest_record *record, const char *name, const char *good)
{
    attest_json_cursor root = attest_json_root(&record->document);
    verdict v = {
        .name = name, .verdict = attest_value_text(&root, "verdict"), .counterexample = ""};

    v.expected =
        *v.verdict && strcmp(v.verdict, good) != 0 && is_expected(records, record, v.verdict);
    v.passed = v.expected || strcmp(v.verdict, good) == 0;
    return add_verdict(tests, record, &v);
}

/* A table of approximation errors has no verdict. */
static bool has_verdict(const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);

    return *attest_value_text(&root, "verdict") != '\0';
}

attest_status attest_report_tests_set(attest_report_tests *tests, const attest_records *records)
{
    bool ok = true;

    for (size_t i = 0; i < records->count && ok; i++) {
        const attest_record *record = &records->record[i];
        if (record->kind == ATTEST_RECORD_CAMPAIGN)
            ok = add_campaign(tests, records, record, "properties") &&
                 add_campaign(tests, records, record, "corpus");
        else if (record->kind == ATTEST_RECORD_CERTIFICATE)
            ok = add_record(tests, records, record, "contextual-mapping", "proved");
        else if (record->kind == ATTEST_RECORD_JUDGE)
            ok = add_record(tests, records, record, "judge", "within");
        else if (record->kind == ATTEST_RECORD_RANGE)
            ok = add_record(tests, records, record, "range", "safe");
        else if (record->kind == ATTEST_RECORD_MEMORIZE)
            ok = add_record(tests, records, record, "memorize", "proved");
        else if (record->kind == ATTEST_RECORD_APPROXIMATE && has_verdict(record))
            ok = add_record(tests, records, record, "approximate", "proved");
    }
    return ok ? ATTEST_OK : ATTEST_NOMEM;
}

/* ---- TAP and JUnit. */

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
