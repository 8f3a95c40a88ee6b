/* campaign_files.c -- the files that a finished campaign leaves in its folder. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "base/scope.h"
#include "base/folder.h"
#include "io/json_file.h"
#include "report/campaign.h"

static attest_status open_file(attest_output *output, const char *folder, const char *name,
                               attest_error *error)
{
    attest_status status;
    attest_text path;

    attest_text_init(&path);
    attest_text_printf(&path, "%s/%s", folder, name);
    if (path.failed)
        status = attest_memory_fail(error);
    else
        status = attest_output_open(output, path.data, error);
    attest_text_clear(&path);
    return status;
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
    attest_status status = ATTEST_OK;
    char name[256];

    if (result->has_tightest) {
        attest_summary_file(name, sizeof name, property->property, -1);
        status = write_text(folder, name, result->tightest_text, error);
    }
    for (size_t v = 0; v < result->violations && status == ATTEST_OK; v++) {
        attest_summary_file(name, sizeof name, property->property, (long)v);
        status = write_text(folder, name, result->violation[v].text, error);
    }
    return status;
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
    char *path = attest_folder_join(folder, "report.json");
    attest_json_file file;
    attest_status status;

    if (!path)
        return attest_memory_fail(error);
    status = attest_json_file_open(&file, path, error);
    if (status == ATTEST_OK) {
        attest_report_campaign_json(&file.json, summary, folder);
        status = attest_json_file_commit(&file, error);
    }
    free(path);
    return status;
}

attest_status attest_report_campaign_files(const attest_summary *summary, const char *folder,
                                           attest_error *error)
{
    attest_status status = ATTEST_OK;

    for (size_t p = 0; p < summary->properties && status == ATTEST_OK; p++)
        status = write_instances(&summary->property[p], folder, error);
    if (status == ATTEST_OK)
        status = write_report(attest_report_campaign_tap, "report.tap", summary, folder, error);
    if (status == ATTEST_OK)
        status =
            write_report(attest_report_campaign_junit, "report.xml", summary, folder, error);
    /* The last: where it is, everything is. */
    if (status == ATTEST_OK)
        status = write_json(summary, folder, error);
    return status;
}
