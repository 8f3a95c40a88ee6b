/* audit_report.c -- the page that attest audit --report writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit.h"
#include "io/json_write.h"
#include "report/report.h"

/* The name of the record without its folder. */
static const char *name_record(const char *output)
{
    const char *slash;

    if (!output || !attest_cli_audit_is_record(output))
        return "audit.json";
    slash = strrchr(output, '/');
    return slash ? slash + 1 : output;
}

int attest_cli_audit_write_page(const char *page, const char *output,
                                void (*write)(attest_json *json, const void *context),
                                const void *context)
{
    attest_report report;
    attest_error error;
    int code;
    size_t size;
    char *text = attest_json_format(&size, write, context);

    if (!text) {
        attest_cli_complain("%s: out of memory", page);
        return EXIT_ENVIRONMENT;
    }
    attest_report_init(&report);
    code = attest_records_add(&report.records, name_record(output), text, size, NULL, &error)
               ? attest_cli_fail(&error)
               : EXIT_HOLDS;
    for (size_t i = 0; i < report.records.count; i++)
        report.records.record[i].unsaved = !output;
    if (code == EXIT_HOLDS &&
        (attest_report_set(&report, &error) || attest_report_write_page(&report, page, &error)))
        code = attest_cli_fail(&error);
    attest_report_clear(&report);
    free(text);
    return code;
}

int attest_cli_audit_report(const audit_job *job)
{
    return attest_cli_audit_write_page(job->request->report, job->common->output,
                                       attest_cli_audit_write_job, job);
}
