/* campaign.c -- a finished campaign as JSON, as text, and as the files of its directory. */
#include "report/campaign.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <attest/version.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/workers.h"
#include "campaign/counterexample.h"
#include "campaign/replay.h"
#include "io/json_write.h"
#include "report/print.h"
#include "report/tests.h"

/* ---- JSON. */

/* A margin is a logarithm, possibly -infinity, which is not a number of JSON. */
static void write_margin(attest_json *json, const char *key, double margin)
{
    if (isinf(margin))
        attest_json_write_string(json, key, margin < 0 ? "-inf" : "inf");
    else
        attest_json_write_measure(json, key, margin);
}

static void write_tightest(attest_json *json, const attest_property_summary *property,
                           const char *directory)
{
    char file[256];

    if (!property->result->has_tightest) {
        attest_json_write_null(json, "tightest");
        return;
    }
    attest_json_write_object(json, "tightest");
    write_margin(json, "log2_margin", property->result->tightest);
    attest_summary_file(file, sizeof file, property->property, -1);
    attest_json_write_string(json, "file", directory ? file : NULL);
    attest_json_write_close(json);
}

static void write_violations(attest_json *json, const attest_property_summary *property,
                             const char *directory)
{
    char file[256];

    attest_json_write_array(json, "counterexamples");
    for (size_t v = 0; directory && v < property->result->violations; v++) {
        attest_summary_file(file, sizeof file, property->property, (long)v);
        attest_json_write_string(json, NULL, file);
    }
    attest_json_write_close(json);
}

/* Violations with the same shrunk instance are one finding, with the number of their trials. */
static void write_findings(attest_json *json, const attest_property_summary *property,
                           const char *directory)
{
    char file[256];

    if (property->result->violations == 0)
        return;
    attest_json_write_array(json, "findings");
    for (size_t v = 0; v < property->result->violations; v++) {
        const attest_violation *violation = &property->result->violation[v];

        attest_summary_file(file, sizeof file, property->property, (long)v);
        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "trial", violation->trial);
        attest_json_write_count(json, "trials", violation->more + 1);
        attest_json_write_string(json, "reason", violation->reason);
        attest_json_write_string(json, "file", directory ? file : NULL);
        if (violation->flaky)
            attest_json_write_bool(json, "flaky", true);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_deaths(attest_json *json, const attest_chunk_result *result)
{
    attest_json_write_array(json, "deaths");
    for (size_t d = 0; d < result->deaths; d++) {
        const attest_death *death = &result->death[d];

        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "trial", death->trial);
        attest_json_write_seed(json, "seed", death->seed);
        attest_json_write_string(json, "kind", attest_death_kind_name(death->kind));
        if (death->kind == ATTEST_DEATH_SIGNAL || death->kind == ATTEST_DEATH_EXIT)
            attest_json_write_integer(json, "detail", death->detail);
        attest_json_write_string(json, "while", death->shrinking ? "shrinking" : "deciding");
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_property(attest_json *json, const attest_property_summary *property,
                           const char *directory)
{
    const attest_chunk_result *result = property->result;

    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "name", property->property->name);
    attest_json_write_string(json, "statement", property->property->statement);
    attest_json_write_string(json, "verdict", attest_campaign_verdict_name(property->verdict));
    attest_json_write_bool(json, "as_expected", attest_standing_is_good(property->standing));
    if (property->standing == ATTEST_STANDING_EXPECTED)
        attest_json_write_bool(json, "expected", true);
    if (property->needed)
        attest_json_write_string(json, "needed", property->needed);
    if (property->by_witness)
        attest_json_write_bool(json, "by_witness", true);
    attest_json_write_count(json, "trials", property->trials);
    attest_json_write_count(json, "passed", result->passed);
    attest_json_write_count(json, "failed", result->failed);
    attest_json_write_count(json, "discarded", result->discarded);
    attest_json_write_count(json, "undecided", result->undecided);
    attest_json_write_count(json, "searched", result->searched);
    if (property->reason)
        attest_json_write_string(json, "reason", property->reason);
    else if (result->violations > 0)
        attest_json_write_string(json, "reason", result->violation[0].reason);
    write_tightest(json, property, directory);
    write_violations(json, property, directory);
    write_findings(json, property, directory);
    attest_json_write_object(json, "labels");
    for (size_t l = 0; l < result->labels; l++)
        attest_json_write_count(json, result->label[l].name, result->label[l].count);
    attest_json_write_close(json);
    write_deaths(json, result);
    attest_json_write_measure(json, "seconds", result->seconds);
    attest_json_write_measure(json, "trials_per_second",
                              result->seconds > 0 ? (double)property->trials / result->seconds
                                                  : NAN);
    attest_json_write_close(json);
}

static void write_corpus(attest_json *json, const attest_summary *summary)
{
    if (!summary->corpus)
        return;
    attest_json_write_array(json, "corpus");
    for (size_t f = 0; f < summary->corpus->files; f++) {
        const attest_corpus_case *file = &summary->corpus->file[f];
        const attest_summary_test *test = &summary->test[summary->properties + f];

        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "name", test->name);
        attest_json_write_string(json, "property", file->property);
        attest_json_write_string(json, "expect", attest_trial_outcome_name(file->expected));
        attest_json_write_string(json, "verdict", test->verdict);
        attest_json_write_bool(json, "as_expected", attest_standing_is_good(test->standing));
        attest_json_write_string(json, "reason", file->reason);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* The first violation in full, so that a reader of the object needs no other file. */
static void write_first(attest_json *json, const attest_summary *summary)
{
    for (size_t p = 0; p < summary->properties; p++) {
        if (summary->property[p].result->violations > 0) {
            attest_json_write_text(json, "counterexample",
                                   summary->property[p].result->violation[0].text);
            return;
        }
    }
}

static void write_summary(attest_json *json, const attest_summary *summary)
{
    attest_json_write_object(json, "summary");
    for (size_t s = 0; s < ATTEST_STANDINGS; s++)
        attest_json_write_count(json,
                                attest_campaign_standing_name((attest_campaign_standing)s),
                                summary->standing[s]);
    attest_json_write_count(json, "confirmed", summary->confirmed);
    attest_json_write_count(json, "tests", summary->tests);
    attest_json_write_count(json, "trials", summary->trials);
    attest_json_write_integer(json, "exit", attest_summary_code(summary));
    attest_json_write_close(json);
}

void attest_report_campaign_json(attest_json *json, const attest_summary *summary)
{
    char cpu[128];

    attest_json_write_object(json, NULL);
    attest_json_write_format(json, "attest/campaign-report");
    attest_json_write_string(json, "attest", attest_version());
    attest_machine_cpu(cpu, sizeof cpu);
    attest_json_write_string(json, "cpu", cpu);
    attest_json_write_seed(json, "seed", summary->plan->seed);
    attest_setting_write(json, &summary->plan->setting);
    if (summary->plan->shards > 1) {
        attest_json_write_count(json, "shard", summary->plan->shard);
        attest_json_write_count(json, "shards", summary->plan->shards);
    }
    if (summary->plan->partial)
        attest_json_write_bool(json, "partial", true);
    attest_json_write_array(json, "properties");
    for (size_t p = 0; p < summary->properties; p++)
        write_property(json, &summary->property[p], summary->directory);
    attest_json_write_close(json);
    write_corpus(json, summary);
    write_summary(json, summary);
    write_first(json, summary);
    attest_json_write_close(json);
}

/* ---- Text. */

/* The number of deaths that are described. */
enum { MOST_DEATHS = 5 };

static void print_death(FILE *stream, const attest_death *death)
{
    static const char *const kinds[] = {"out of memory", "no answer within the time limit",
                                        "signal", "exit code"};

    attest_fprint(stream, "  a worker died at trial %" PRIu64 " (seed 0x%" PRIx64 "): %s",
                  death->trial, death->seed, kinds[death->kind]);
    if (death->kind == ATTEST_DEATH_SIGNAL || death->kind == ATTEST_DEATH_EXIT)
        attest_fprint(stream, " %d", death->detail);
    attest_fprint(stream, "%s\n", death->shrinking ? ", while shrinking" : "");
}

static attest_paint paint(attest_campaign_standing standing)
{
    switch (standing) {
    case ATTEST_STANDING_FAILED:
    case ATTEST_STANDING_FLAKY:
        return ATTEST_PAINT_BAD;
    case ATTEST_STANDING_UNDECIDED:
    case ATTEST_STANDING_NOT_RUN:
        return ATTEST_PAINT_OPEN;
    default:
        return ATTEST_PAINT_GOOD;
    }
}

static void print_counts(FILE *stream, const attest_property_summary *property,
                         const attest_summary_test *test)
{
    const attest_chunk_result *result = property->result;

    attest_fprint(stream, "%s: ", test->name);
    attest_paint_print(stream, paint(test->standing), test->result);
    if (result->failed)
        attest_fprint(stream, ", %" PRIu64 " failed", result->failed);
    if (result->discarded)
        attest_fprint(stream, ", %" PRIu64 " discarded", result->discarded);
    if (result->undecided)
        attest_fprint(stream, ", %" PRIu64 " undecided", result->undecided);
    if (result->seconds > 0)
        attest_fprint(stream, " (%.3g/s)", (double)property->trials / result->seconds);
    attest_fprint(stream, "\n");
}

/* What a pass means: if a violation had the probability 3/N or more, then N independent trials
 * would all pass with probability (1 - 3/N)^N < e^-3 < 5 %. */
static void print_meaning(FILE *stream, const attest_property_summary *property)
{
    if (property->verdict != ATTEST_CAMPAIGN_HELD || property->random == 0)
        return;
    attest_fprint(stream,
                  "  no violation in %" PRIu64 " trials: at 95 %% confidence the violation "
                  "probability under this generator is below %.2g\n",
                  property->random, fmin(1, 3 / (double)property->random));
    if (property->result->searched)
        attest_fprint(stream, "  nor in %" PRIu64 " trials of guided search\n",
                      property->result->searched);
}

static void print_labels(FILE *stream, const attest_property_summary *property, size_t width)
{
    const attest_chunk_result *result = property->result;
    double said = (double)(result->passed + result->failed);
    size_t column = 0;

    for (size_t l = 0; l < result->labels; l++) {
        char share[64];
        size_t length = strlen(result->label[l].name) +
                        (size_t)snprintf(share, sizeof share, " %.3g %%%s",
                                         100 * (double)result->label[l].count / said,
                                         l + 1 < result->labels ? "," : "");

        if (l == 0)
            column = (size_t)attest_fprint(stream, "  labels:");
        else if (column + 1 + length > width)
            column = (size_t)attest_fprint(stream, "\n   ") - 1;
        attest_fprint(stream, " %s%s", result->label[l].name, share);
        column += 1 + length;
    }
    if (result->labels)
        attest_fprint(stream, "\n");
}

/* Below this count the text adds the property's explanation. */
enum { FEW_TRIALS = 1000 };

static void print_property(FILE *stream, const attest_summary *summary, size_t p, size_t width)
{
    const attest_property_summary *property = &summary->property[p];
    const attest_summary_test *test = &summary->test[p];
    const attest_chunk_result *result = property->result;

    print_counts(stream, property, test);
    if (test->reason[0] && property->verdict != ATTEST_CAMPAIGN_NOT_RUN)
        attest_fprint(stream, "  %s\n", test->reason);
    if (property->property->few && result->failed == 0 && property->trials > 0 &&
        property->trials < FEW_TRIALS)
        attest_fprint(stream, "  few trials: %s\n", property->property->few);
    print_meaning(stream, property);
    if (result->has_tightest)
        attest_fprint(stream, "  tightest margin: 2^%.6g\n", result->tightest);
    print_labels(stream, property, width);
    for (size_t d = 0; d < result->deaths && d < MOST_DEATHS; d++)
        print_death(stream, &result->death[d]);
    if (result->deaths > MOST_DEATHS)
        attest_fprint(stream, "  and %zu more died\n", result->deaths - MOST_DEATHS);
    if (result->violations && !summary->directory)
        attest_print_lines(stream, result->violation[0].text,
                           strlen(result->violation[0].text));
    if (test->command) {
        attest_fprint(stream, "  replay: ");
        attest_fprint(stream, "%s", test->command);
        fputc('\n', stream);
    }
}

/* Prints a line for each test because of which the exit code is not 0. */
static void print_reasons(FILE *stream, const attest_summary *summary)
{
    for (size_t t = 0; t < summary->tests; t++) {
        const attest_summary_test *test = &summary->test[t];

        if (attest_standing_is_good(test->standing))
            continue;
        attest_paint_print(stream, paint(test->standing),
                           attest_campaign_standing_name(test->standing));
        attest_fprint(stream, ": %s", test->name);
        if (test->is_file)
            attest_fprint(stream, ": %s", test->result);
        attest_fprint(stream, ": %s\n", test->reason);
    }
}

static void print_end(FILE *stream, const attest_summary *summary)
{
    const size_t *count = summary->standing;

    print_reasons(stream, summary);
    attest_fprint(stream, "%zu held, %zu violated as expected, %zu failed",
                  count[ATTEST_STANDING_HELD], count[ATTEST_STANDING_EXPECTED],
                  count[ATTEST_STANDING_FAILED]);
    if (count[ATTEST_STANDING_FLAKY])
        attest_fprint(stream, ", %zu flaky", count[ATTEST_STANDING_FLAKY]);
    if (count[ATTEST_STANDING_UNDECIDED])
        attest_fprint(stream, ", %zu undecided", count[ATTEST_STANDING_UNDECIDED]);
    if (count[ATTEST_STANDING_NOT_RUN])
        attest_fprint(stream, ", %zu not run", count[ATTEST_STANDING_NOT_RUN]);
    attest_fprint(stream, "; exit %d\n", attest_summary_code(summary));
}

void attest_report_campaign_text(FILE *stream, const attest_summary *summary, size_t width)
{
    attest_fprint(stream, "seed 0x%" PRIx64 "\n", summary->plan->seed);
    for (size_t p = 0; p < summary->properties; p++)
        print_property(stream, summary, p, width);
    if (summary->corpus)
        attest_fprint(stream, "corpus: %zu files\n", summary->corpus->files);
    print_end(stream, summary);
}

/* ---- Files. */

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
    char *junit ATTEST_FREED = attest_directory_join(summary->directory, "report.xml");
    ATTEST_SCOPED(attest_report_tests, tests);

    if (!junit)
        return attest_memory_fail(error);
    for (size_t p = 0; p < summary->properties; p++)
        ATTEST_TRY(write_instances(&summary->property[p], summary->directory, error));
    if (attest_report_tests_set_campaign(&tests, summary) != ATTEST_OK)
        return attest_memory_fail(error);
    ATTEST_TRY(write_tap(&tests, summary->directory, error));
    ATTEST_TRY(attest_report_tests_write_junit(&tests, junit, error));
    /* The last file: if it exists, all others do. */
    return write_json(summary, error);
}
