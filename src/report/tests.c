/* tests.c -- the verdicts of records, as tests. */
#include "report/tests.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/value.h"

void attest_report_tests_init(attest_report_tests *tests)
{
    memset(tests, 0, sizeof *tests);
}

void attest_report_tests_clear(attest_report_tests *tests)
{
    free(tests->test);
    attest_report_tests_init(tests);
}

static bool add(attest_report_tests *tests, const attest_report_test *test)
{
    if (!attest_memory_grow(&tests->test, &tests->room, tests->count + 1, sizeof *tests->test))
        return false;
    tests->test[tests->count++] = *test;
    return true;
}

/* The first counterexample of a property, or "". */
static const char *first_counterexample(const attest_json_cursor *property)
{
    attest_json_cursor files, file;
    const char *path = "";

    if (attest_value_array(&files, property, "counterexamples") == 0)
        return "";
    file = attest_json_get_element(&files, 0);
    return attest_json_get_string(&path, &file, NULL) == ATTEST_OK ? path : "";
}

/* Whether a record of expected verdicts beside the record, or in a folder above it, has this
 * verdict for it. */
static bool is_meant(const attest_records *records, const attest_record *record,
                     const char *verdict)
{
    for (size_t i = 0; i < records->count; i++) {
        const attest_record *list = &records->record[i];
        attest_json_cursor root = attest_json_root(&list->document), verdicts;
        const char *slash = strrchr(list->path, '/');
        size_t folder = slash ? (size_t)(slash - list->path) + 1 : 0;

        if (list->kind == ATTEST_RECORD_EXPECTED &&
            strncmp(list->path, record->path, folder) == 0 &&
            attest_json_find_member(&verdicts, &root, "verdicts") &&
            strcmp(attest_value_text(&verdicts, record->path + folder), verdict) == 0)
            return true;
    }
    return false;
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
        attest_report_test test = {record->path, attest_value_text(&property, "name"),
                                   attest_value_text(&property, "verdict"),
                                   .seconds = attest_value_number(&property, "seconds"),
                                   .counterexample = first_counterexample(&property)};
        test.passed = attest_value_is_expected(&property, "held") ||
                      is_meant(records, record, test.verdict);
        test.skipped = strcmp(test.verdict, "not-run") == 0;
        test.expected = test.passed && strcmp(test.verdict, "violated") == 0;
        test.seconds = test.seconds > 0 ? test.seconds : 0;
        ok = add(tests, &test);
    }
    return ok;
}

/* Records that say one thing, and the verdict that passes. */
static bool add_verdict(attest_report_tests *tests, const attest_records *records,
                        const attest_record *record, const char *name, const char *good)
{
    attest_json_cursor root = attest_json_root(&record->document);
    attest_report_test test = {.suite = record->path,
                               .name = name,
                               .verdict = attest_value_text(&root, "verdict"),
                               .counterexample = ""};

    test.expected = *test.verdict && strcmp(test.verdict, good) != 0 &&
                    is_meant(records, record, test.verdict);
    test.passed = test.expected || strcmp(test.verdict, good) == 0;
    return add(tests, &test);
}

/* A table of errors has none. */
static bool has_verdict(const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);

    return *attest_value_text(&root, "verdict") != '\0';
}

attest_status attest_report_tests_set(attest_report_tests *tests, const attest_records *records)
{
    bool ok = true;

    tests->count = 0;
    for (size_t i = 0; i < records->count && ok; i++) {
        const attest_record *record = &records->record[i];
        if (record->kind == ATTEST_RECORD_CAMPAIGN)
            ok = add_campaign(tests, records, record, "properties") &&
                 add_campaign(tests, records, record, "corpus");
        else if (record->kind == ATTEST_RECORD_CERTIFICATE)
            ok = add_verdict(tests, records, record, "contextual-mapping", "proved");
        else if (record->kind == ATTEST_RECORD_JUDGE)
            ok = add_verdict(tests, records, record, "judge", "within");
        else if (record->kind == ATTEST_RECORD_RANGE)
            ok = add_verdict(tests, records, record, "range", "safe");
        else if (record->kind == ATTEST_RECORD_MEMORIZE)
            ok = add_verdict(tests, records, record, "memorize", "proved");
        else if (record->kind == ATTEST_RECORD_APPROXIMATE && has_verdict(record))
            ok = add_verdict(tests, records, record, "approximate", "proved");
    }
    return ok ? ATTEST_OK : ATTEST_NOMEM;
}
