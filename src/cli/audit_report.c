/* audit_report.c -- the page that attest audit --report writes. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/audit.h"
#include "report/report.h"

/* The record as text, the caller's to free; NULL: out of memory. */
static char *make_record(size_t *size, const audit_job *job)
{
    attest_json json;
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    bool ok;

    if (!stream)
        return NULL;
    attest_json_write_begin(&json, stream);
    attest_cli_audit_write_job(&json, job);
    ok = attest_json_write_end(&json) == ATTEST_OK;
    if (fclose(stream) != 0 || !ok) {
        free(text);
        return NULL;
    }
    return text;
}

int attest_cli_audit_report(const audit_job *job)
{
    attest_report report;
    attest_error error;
    int code = EXIT_HOLDS;
    size_t size;
    char *text = make_record(&size, job);

    if (!text) {
        attest_cli_complain("%s: out of memory", job->request->report);
        return EXIT_ENVIRONMENT;
    }
    attest_report_init(&report);
    if (attest_records_add(&report.records, "audit.json", text, size, NULL, &error) ||
        attest_report_set(&report, &error) ||
        attest_report_write_page(&report, job->request->report, &error))
        code = attest_cli_fail(&error);
    attest_report_clear(&report);
    free(text);
    return code;
}
