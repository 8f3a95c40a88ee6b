/* campaign_files.c -- the files that a finished campaign writes to its directory. */
#include "base/directory.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "base/text.h"
#include "io/json_write.h"
#include "report/campaign.h"
#include "report/tests.h"

static attest_status open_file(attest_output *output, const char *directory, const char *name,
                               attest_error *error)
{
    ATTEST_SCOPED(attest_text, path);

    attest_text_printf(&path, "%s/%s", directory, name);
    return path.failed ? attest_memory_fail(error)
                       : attest_output_open_file(output, path.data, error);
}

static attest_status write_text(const char *directory, const char *name, const char *text,
                                attest_error *error)
{
    attest_output output;

    ATTEST_TRY(open_file(&output, directory, name, error));
    fputs(text, output.stream);
    return attest_output_commit(&output, error);
}

static attest_status write_instances(const attest_property_summary *property,
                                     const char *directory, attest_error *error)
{
    const attest_chunk_result *result = property->result;
    char name[256];

    if (result->has_tightest) {
        attest_summary_file(name, sizeof name, property->property, -1);
        ATTEST_TRY(write_text(directory, name, result->tightest_text, error));
    }
    for (size_t v = 0; v < result->violations; v++) {
        attest_summary_file(name, sizeof name, property->property, (long)v);
        ATTEST_TRY(write_text(directory, name, result->violation[v].text, error));
    }
    return ATTEST_OK;
}

static attest_status write_tap(const attest_report_tests *tests, const char *directory,
                               attest_error *error)
{
    attest_output output;

    ATTEST_TRY(open_file(&output, directory, "report.tap", error));
    if (attest_report_tests_write_tap(tests, output.stream) != ATTEST_OK) {
        attest_output_abandon(&output);
        return attest_memory_fail(error);
    }
    return attest_output_commit(&output, error);
}

static attest_status write_junit(const attest_report_tests *tests, const char *directory,
                                 attest_error *error)
{
    char *path ATTEST_FREED = attest_directory_join(directory, "report.xml");

    return path ? attest_report_tests_write_junit(tests, path, error)
                : attest_memory_fail(error);
}

static attest_status write_json(const attest_summary *summary, attest_error *error)
{
    attest_json_file file;

    ATTEST_TRY(open_file(&file.output, summary->directory, "report.json", error));
    attest_json_write_begin(&file.json, file.output.stream);
    attest_report_campaign_json(&file.json, summary);
    return attest_json_file_commit(&file, error);
}

attest_status attest_report_campaign_files(const attest_summary *summary, attest_error *error)
{
    ATTEST_SCOPED(attest_report_tests, tests);

    for (size_t p = 0; p < summary->properties; p++)
        ATTEST_TRY(write_instances(&summary->property[p], summary->directory, error));
    if (attest_report_tests_set_campaign(&tests, summary) != ATTEST_OK)
        return attest_memory_fail(error);
    ATTEST_TRY(write_tap(&tests, summary->directory, error));
    ATTEST_TRY(write_junit(&tests, summary->directory, error));
    /* The last file: if it exists, all others do. */
    return write_json(summary, error);
}
