/* campaign_json.c -- a finished campaign as JSON. */
#include <math.h>

#include <attest/version.h>

#include "base/machine.h"
#include "campaign/counterexample.h"
#include "report/campaign.h"
#include "campaign/replay.h"

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
    attest_json_write_integer(json, "exit", attest_summary_code(summary));
    attest_json_write_close(json);
}

void attest_report_campaign_json(attest_json *json, const attest_summary *summary)
{
    char cpu[128];

    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "format", "attest/campaign-report");
    attest_json_write_integer(json, "version", 1);
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
