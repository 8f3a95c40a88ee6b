/* audit_record.c -- the record of an audit, its colliding pairs and its page, as files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/collision_file.h"
#include "base/memory.h"
#include "cli/audit.h"
#include "cli/excerpt.h"
#include "io/json_write.h"
#include "report/report.h"

void attest_cli_audit_write_gate(attest_json *json, const attest_audit_gate *gate,
                                 const char *path)
{
    attest_json_write_object(json, "gate");
    attest_json_write_string(json, "file", path);
    attest_json_write_bool(json, "passed", gate->count == 0);
    attest_json_write_array(json, "worse");
    for (size_t i = 0; i < gate->count; i++)
        attest_json_write_string(json, NULL, gate->line[i]);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

static void origin_set(attest_audit_origin *origin, const audit_job *job,
                       const audit_subject *subject)
{
    *origin = (attest_audit_origin){
        .data = job->request->data,
        .weights = job->request->weights,
        .data_sha256 = job->data_sha256[0] ? job->data_sha256 : NULL,
        .weights_sha256 = job->weights_sha256[0] ? job->weights_sha256 : NULL,
        .strategy = attest_cli_audit_subject_name(subject),
        .file = (const char *const *)subject->file,
    };
}

/* The members of one subject: the audit, or the hypothesis that fails. */
static void write_members(attest_json *json, const audit_job *job, const audit_subject *subject)
{
    attest_audit_origin origin;

    origin_set(&origin, job, subject);
    if (subject->construction.hypothesis) {
        attest_json_write_string(json, "hypothesis", subject->construction.hypothesis);
        attest_json_write_string(json, "explanation", subject->construction.explanation);
        attest_cli_write_hypothesis(json, &job->dataset, &subject->construction, "audit");
    } else {
        attest_audit_write_members(json, &subject->audit, &origin);
    }
}

void attest_cli_audit_write_job(attest_json *json, const void *context)
{
    const audit_job *job = context;
    const audit_subject *first = &job->subject[0];
    attest_audit_origin origin;

    attest_json_write_object(json, NULL);
    origin_set(&origin, job, first);
    if (first->construction.hypothesis) {
        attest_json_write_string(json, "format", "attest/audit");
        attest_json_write_integer(json, "version", 1);
        attest_json_write_string(json, "strategy", origin.strategy);
    } else {
        attest_audit_write_subject(json, &first->audit, &origin);
    }
    write_members(json, job, first);
    if (job->subjects > 1) {
        attest_json_write_array(json, "constructions");
        for (size_t i = 0; i < job->subjects; i++) {
            attest_json_write_object(json, NULL);
            attest_json_write_string(json, "strategy",
                                     attest_cli_audit_subject_name(&job->subject[i]));
            write_members(json, job, &job->subject[i]);
            attest_json_write_close(json);
        }
        attest_json_write_close(json);
    }
    attest_texts_write(json, &job->texts);
    if (job->request->settings.gate)
        attest_cli_audit_write_gate(json, &job->gate, job->request->settings.gate);
    attest_json_write_close(json);
}

bool attest_cli_audit_is_record(const char *output)
{
    size_t length = strlen(output);

    return length > 5 && strcmp(output + length - 5, ".json") == 0;
}

int attest_cli_audit_find_target(audit_target *t, const char *output)
{
    size_t length = strlen(output);

    if (length > AUDIT_MOST_PATH - 256)
        return attest_cli_refuse("%s: the name is too long", output);
    if (attest_cli_audit_is_record(output)) {
        snprintf(t->record, sizeof t->record, "%s", output);
        snprintf(t->stem, sizeof t->stem, "%.*s-", (int)(length - 5), output);
        return EXIT_HOLDS;
    }
    if (mkdir(output, 0777) != 0 && errno != EEXIST) {
        attest_cli_complain("%s: cannot create the directory: %s", output, strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    snprintf(t->record, sizeof t->record, "%s/audit.json", output);
    snprintf(t->stem, sizeof t->stem, "%s/", output);
    return EXIT_HOLDS;
}

/* Formats the name of a counterexample's file; ':' and '=' become '-'. */
static void name_collision(char *name, size_t size, const audit_subject *subject,
                           const char *format)
{
    const char *strategy = attest_cli_audit_subject_name(subject);

    snprintf(name, size, "collision-%s%s%s.json", strategy ? strategy : "", strategy ? "-" : "",
             format);
    for (char *c = name; *c; c++)
        if (*c == ':' || *c == '=')
            *c = '-';
}

static int save_collision(audit_subject *subject, size_t f, const audit_target *t)
{
    const attest_audit_result *result = &subject->audit.result[f];
    char path[AUDIT_MOST_PATH + 256], name[192];
    attest_counterexample counterexample;
    attest_error error;
    int code = EXIT_HOLDS;

    name_collision(name, sizeof name, subject, result->arithmetic.format.name);
    snprintf(path, sizeof path, "%s%s", t->stem, name);
    attest_counterexample_init(&counterexample);
    subject->file[f] = attest_memory_copy(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    if (!subject->file[f] ||
        attest_audit_collision_set(&counterexample, &subject->audit, &result->arithmetic,
                                   result->collisions.pair, &error) ||
        attest_counterexample_write(&counterexample, path, &error))
        code = subject->file[f] ? attest_cli_fail(&error) : EXIT_ENVIRONMENT;
    attest_counterexample_clear(&counterexample);
    return code;
}

/* Writes the constructed weights, so that the audit can be repeated. */
static int save_weights(const audit_subject *subject, const audit_target *t)
{
    char path[AUDIT_MOST_PATH + 256];
    attest_error error;

    snprintf(path, sizeof path, "%sweights-%s.json", t->stem,
             attest_cli_audit_subject_name(subject));
    if (attest_weights_write(&subject->construction.weights, path, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

static int save_subject(audit_subject *subject, const audit_target *t)
{
    int code = EXIT_HOLDS;

    if (subject->construction.hypothesis)
        return EXIT_HOLDS;
    if (subject->constructed)
        code = save_weights(subject, t);
    for (size_t f = 0; f < subject->audit.formats && code == EXIT_HOLDS; f++)
        if (subject->audit.result[f].collisions.has_pair)
            code = save_collision(subject, f, t);
    return code;
}

int attest_cli_audit_save(audit_job *job)
{
    static audit_target t; /* large */
    attest_json_file file;
    attest_error error;
    int code = attest_cli_audit_find_target(&t, job->common->output);

    for (size_t i = 0; i < job->subjects && code == EXIT_HOLDS; i++)
        code = save_subject(&job->subject[i], &t);
    if (code != EXIT_HOLDS)
        return code;
    if (attest_json_file_open(&file, t.record, &error))
        return attest_cli_fail(&error);
    attest_cli_audit_write_job(&file.json, job);
    if (attest_json_file_commit(&file, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

/* Returns the file name of the record. */
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
    return attest_cli_audit_write_page(job->request->settings.report, job->common->output,
                                       attest_cli_audit_write_job, job);
}
