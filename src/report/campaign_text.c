/* campaign_text.c -- a finished campaign for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "campaign/setting.h"
#include "report/campaign.h"

char *attest_report_command(const attest_summary *summary, size_t p, const char *folder)
{
    const attest_property_summary *property = &summary->property[p];
    const attest_plan *plan = summary->plan;
    attest_text text;
    char file[256];

    if (property->result->violations == 0)
        return NULL;
    attest_text_init(&text);
    if (folder) {
        attest_summary_file(file, sizeof file, property->property, 0);
        attest_text_printf(&text, "attest replay %s/%s", folder, file);
        return attest_text_take(&text);
    }
    attest_text_printf(&text, "attest campaign %s --seed 0x%" PRIx64 " --trials %" PRIu64,
                       property->property->name, plan->seed,
                       attest_plan_end(plan, p, property->result->violation[0].trial));
    if (plan->setting.without)
        attest_text_printf(&text, " --without %s", plan->setting.without);
    if (plan->setting.number != ATTEST_ARITHMETIC_NONE)
        attest_text_printf(&text, " --number %s", attest_arithmetic_name(plan->setting.number));
    if (plan->setting.number == ATTEST_ARITHMETIC_MPFR)
        attest_text_printf(&text, " --bits %ld --round %s", plan->setting.bits,
                           attest_setting_rounding_name(plan->setting.round));
    return attest_text_take(&text);
}

void attest_report_reason(char *line, size_t size, const attest_property_summary *property)
{
    line[0] = '\0';
    if (property->verdict == ATTEST_CAMPAIGN_VIOLATED)
        snprintf(line, size, "trial %" PRIu64 ": %s", property->result->violation[0].trial,
                 property->result->violation[0].reason);
    else if (property->verdict == ATTEST_CAMPAIGN_UNDECIDED)
        snprintf(line, size, "%s", property->reason);
}

static void print_death(FILE *stream, const attest_death *death)
{
    static const char *const kinds[] = {"out of memory", "too slow", "signal", "exit code"};

    fprintf(stream, "  a worker died at trial %" PRIu64 " (seed 0x%" PRIx64 "): %s",
            death->trial, death->seed, kinds[death->kind]);
    if (death->kind == ATTEST_DEATH_SIGNAL || death->kind == ATTEST_DEATH_EXIT)
        fprintf(stream, " %d", death->detail);
    fprintf(stream, "%s\n", death->shrinking ? ", while shrinking" : "");
}

static void print_counts(FILE *stream, const attest_property_summary *property)
{
    const attest_chunk_result *result = property->result;

    fprintf(stream, "%s: %s after %" PRIu64 " trials", property->property->name,
            attest_campaign_verdict_name(property->verdict), property->trials);
    if (result->failed)
        fprintf(stream, ", %" PRIu64 " failed", result->failed);
    if (result->discarded)
        fprintf(stream, ", %" PRIu64 " discarded", result->discarded);
    if (result->undecided)
        fprintf(stream, ", %" PRIu64 " undecided", result->undecided);
    if (result->seconds > 0)
        fprintf(stream, " (%.3g/s)", (double)property->trials / result->seconds);
    fprintf(stream, "\n");
}

/* What a pass means: if a violation had the probability 3/N or more, then N independent trials
 * would all pass with probability (1 - 3/N)^N < e^-3 < 5 %. */
static void print_meaning(FILE *stream, const attest_property_summary *property)
{
    if (property->verdict != ATTEST_CAMPAIGN_HELD || property->random == 0)
        return;
    fprintf(stream,
            "  no violation in %" PRIu64 " trials: at 95 %% confidence the violation "
            "probability under this generator is below %.2g\n",
            property->random, fmin(1, 3 / (double)property->random));
    if (property->result->searched)
        fprintf(stream, "  nor in %" PRIu64 " trials of guided search\n",
                property->result->searched);
}

static void print_labels(FILE *stream, const attest_property_summary *property)
{
    const attest_chunk_result *result = property->result;
    double said = (double)(result->passed + result->failed);

    for (size_t l = 0; l < result->labels; l++)
        fprintf(stream, "%s%s %.3g %%", l ? ", " : "  labels: ", result->label[l].name,
                100 * (double)result->label[l].count / said);
    if (result->labels)
        fprintf(stream, "\n");
}

/* So many are said to be few, where the property knows why. */
enum { FEW_TRIALS = 1000 };

static void print_property(FILE *stream, const attest_summary *summary, size_t p,
                           const char *folder)
{
    const attest_property_summary *property = &summary->property[p];
    const attest_chunk_result *result = property->result;
    char line[1024], *command = attest_report_command(summary, p, folder);

    print_counts(stream, property);
    attest_report_reason(line, sizeof line, property);
    if (line[0])
        fprintf(stream, "  %s\n", line);
    if (property->property->few && result->failed == 0 && property->trials > 0 &&
        property->trials < FEW_TRIALS)
        fprintf(stream, "  few trials: %s\n", property->property->few);
    print_meaning(stream, property);
    if (result->has_tightest)
        fprintf(stream, "  tightest margin: 2^%.6g\n", result->tightest);
    print_labels(stream, property);
    for (size_t d = 0; d < result->deaths; d++)
        print_death(stream, &result->death[d]);
    if (result->violations && !folder)
        fprintf(stream, "%s", result->violation[0].text);
    if (command) {
        fprintf(stream, "  replay: ");
        attest_escape_print(stream, command);
        fputc('\n', stream);
    }
    free(command);
}

void attest_report_campaign_text(FILE *stream, const attest_summary *summary,
                                 const char *folder)
{
    fprintf(stream, "seed 0x%" PRIx64 "\n", summary->plan->seed);
    for (size_t p = 0; p < summary->properties; p++)
        print_property(stream, summary, p, folder);
}
