/* report.c -- attest report: one page about finished work. */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "io/json_write.h"
#include "report/tests.h"

static int run(int argc, char **argv);

const attest_command attest_command_report = {
    .name = "report",
    .arguments = "DIR [-o OUT.html] [OPTION]...",
    .summary = "make one page with plots from the records of finished work",
    .details = "Reads the JSON records in DIR and its subdirectories, as audit, campaign, "
               "certify,\nconstruct, counterexample, heads, judge, memorize and others write "
               "them. The page\nneeds no network; with SOURCE_DATE_EPOCH the same records make "
               "the same bytes. Files\nthat are not records are listed at its end. The exit "
               "code is 0 whatever the verdicts\nare.",
    .example = "  attest certify data.json --weights weights.json -o work/certificate.json\n"
               "  attest construct data.json --strategy tuned --json >work/tuned.json\n"
               "  attest report work -o work.html",
    .product = "write the page to FILE",
    .run = run,
};

/* The command line and the report. */
typedef struct report_job {
    const char *figures, *junit, *csv;
    bool tap, light;
    attest_report report;
    attest_report_tests tests;
} report_job;

static void write_names(attest_json *json, const attest_records *records)
{
    attest_json_write_array(json, "records");
    for (size_t i = 0; i < records->count; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "path", records->record[i].path);
        attest_json_write_string(json, "kind",
                                 attest_record_kind_name(records->record[i].kind));
        attest_json_write_string(json, "sha256", records->record[i].sha256);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_array(json, "ignored");
    for (size_t i = 0; i < records->remarks; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "path", records->remark[i].path);
        attest_json_write_string(json, "why", records->remark[i].why);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static int print_json(const report_job *job, const char *page)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/report");
    attest_json_write_string(&json, "page", page);
    write_names(&json, &job->report.records);
    attest_json_write_array(&json, "plots");
    for (size_t i = 0; i < job->report.figures; i++)
        attest_json_write_string(&json, NULL, job->report.figure[i].id);
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static void print_text(const report_job *job, const char *page)
{
    const attest_records *records = &job->report.records;
    char rest[128];

    for (size_t i = 0; i < records->count; i++)
        attest_print("%-16s %s\n", attest_record_kind_name(records->record[i].kind),
                     records->record[i].path);
    for (size_t i = 0; i < records->remarks; i++)
        attest_print("%-16s %s: %s\n", "ignored", records->remark[i].path,
                     records->remark[i].why);
    snprintf(rest, sizeof rest, "%zu record%s, %zu plot%s", records->count,
             records->count == 1 ? "" : "s", job->report.figures,
             job->report.figures == 1 ? "" : "s");
    if (page)
        attest_print("%-16s %s, ", "page", page);
    else
        attest_print("no page without -o OUT.html: ");
    attest_print("%s\n", rest);
}

static int write_products(report_job *job, const char *page)
{
    attest_error error;

    if (page && attest_report_write_page(&job->report, page, &error))
        return attest_cli_fail(&error);
    if (job->figures &&
        attest_report_write_figures(&job->report, job->figures, job->light, &error))
        return attest_cli_fail(&error);
    if (job->csv && attest_report_write_csv(&job->report, job->csv, &error))
        return attest_cli_fail(&error);
    if (job->junit && attest_report_tests_write_junit(&job->tests, job->junit, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

static int out_of_memory(void)
{
    attest_cli_complain("out of memory");
    return EXIT_ENVIRONMENT;
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int report(report_job *job, const char *directory, attest_common *common)
{
    const char *products[5] = {NULL};
    size_t count = 0;
    attest_error error;
    int code;

    if ((job->tap && attest_cli_take_stdout(common, "--tap")) ||
        (is_stdout(job->junit) && attest_cli_take_stdout(common, "--junit -")) ||
        (is_stdout(job->csv) && attest_cli_take_stdout(common, "--csv -")))
        return EXIT_USAGE;
    /* Leaves out files that an earlier report wrote into the directory. */
    if (common->output && !is_stdout(common->output))
        products[count++] = common->output;
    if (job->figures)
        products[count++] = job->figures;
    if (job->csv && !is_stdout(job->csv))
        products[count++] = job->csv;
    if (job->junit && !is_stdout(job->junit))
        products[count++] = job->junit;
    attest_cli_work_begin("reading records");
    if (attest_report_read(&job->report, directory, products, &common->budget, &error))
        return attest_cli_fail_input(&error);
    if (attest_report_tests_set(&job->tests, &job->report.records))
        return out_of_memory();
    code = write_products(job, common->output);
    attest_cli_work_end();
    if (code != EXIT_HOLDS)
        return code;
    if (common->json)
        return print_json(job, common->output);
    if (job->tap)
        return attest_report_tests_write_tap(&job->tests, stdout) ? out_of_memory()
                                                                  : EXIT_HOLDS;
    if (!common->stdout_by)
        print_text(job, common->output);
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    report_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"svg", 0, "DIR", "write every plot to a file of its own in DIR", OPTION_TEXT,
         &job.figures, NULL},
        {"light", 0, NULL, "use light colours only in the plots of --svg, for paper",
         OPTION_FLAG, &job.light, NULL},
        {"csv", 0, "FILE", "write the errors of all audits as a table", OPTION_TEXT, &job.csv,
         NULL},
        {"junit", 0, "FILE", "write the verdicts as a JUnit file", OPTION_TEXT, &job.junit,
         NULL},
        {"tap", 0, NULL, "print the verdicts as TAP", OPTION_FLAG, &job.tap, NULL},
        {0},
    };

    attest_report_init(&job.report);
    attest_report_tests_init(&job.tests);
    code = attest_cli_parse(&attest_command_report, &common, options, argc, argv, 1, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS)
        code = report(&job, operands[0], &common);
    attest_report_tests_clear(&job.tests);
    attest_report_clear(&job.report);
    return code;
}
