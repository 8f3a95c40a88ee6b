/* campaign_files.c -- the files that a finished campaign writes to its directory. */
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "base/text.h"
#include "io/json_file.h"
#include "report/campaign.h"

static attest_status open_file(attest_output *output, const char *folder, const char *name,
                               attest_error *error)
{
    ATTEST_SCOPED(attest_text, path);

    attest_text_printf(&path, "%s/%s", folder, name);
    return path.failed ? attest_memory_fail(error)
                       : attest_output_open_file(output, path.data, error);
}

static attest_status write_text(const char *folder, const char *name, const char *text,
                                attest_error *error)
{
    attest_output output;

    ATTEST_TRY(open_file(&output, folder, name, error));
    fputs(text, output.stream);
    return attest_output_commit(&output, error);
}

static attest_status write_instances(const attest_property_summary *property,
                                     const char *folder, attest_error *error)
{
    const attest_chunk_result *result = property->result;
    char name[256];

    if (result->has_tightest) {
        attest_summary_file(name, sizeof name, property->property, -1);
        ATTEST_TRY(write_text(folder, name, result->tightest_text, error));
    }
    for (size_t v = 0; v < result->violations; v++) {
        attest_summary_file(name, sizeof name, property->property, (long)v);
        ATTEST_TRY(write_text(folder, name, result->violation[v].text, error));
    }
    return ATTEST_OK;
}

typedef attest_status report(FILE *stream, const attest_summary *summary, const char *folder);

static attest_status write_report(report *write, const char *name,
                                  const attest_summary *summary, const char *folder,
                                  attest_error *error)
{
    attest_output output;

    ATTEST_TRY(open_file(&output, folder, name, error));
    if (write(output.stream, summary, folder) != ATTEST_OK) {
        attest_output_abandon(&output);
        return attest_memory_fail(error);
    }
    return attest_output_commit(&output, error);
}

static attest_status write_json(const attest_summary *summary, const char *folder,
                                attest_error *error)
{
    attest_json_file file;

    ATTEST_TRY(open_file(&file.output, folder, "report.json", error));
    attest_json_write_begin(&file.json, file.output.stream);
    attest_report_campaign_json(&file.json, summary, folder);
    return attest_json_file_commit(&file, error);
}

attest_status attest_report_campaign_files(const attest_summary *summary, const char *folder,
                                           attest_error *error)
{
    for (size_t p = 0; p < summary->properties; p++)
        ATTEST_TRY(write_instances(&summary->property[p], folder, error));
    ATTEST_TRY(write_report(attest_report_campaign_tap, "report.tap", summary, folder, error));
    ATTEST_TRY(
        write_report(attest_report_campaign_junit, "report.xml", summary, folder, error));
    /* The last file: if it exists, all others do. */
    return write_json(summary, folder, error);
}
