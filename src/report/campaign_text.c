/* campaign_text.c -- a finished campaign for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/load.h"
#include "campaign/counterexample.h"
#include "report/campaign.h"
#include "report/need.h"
#include "report/paint.h"
#include "report/print.h"
#include "report/replay.h"

/* Where the property comes from, if it is not built in. */
static void add_load(attest_text *text, const attest_property *property)
{
    if (property->object)
        attest_text_printf(text, " --load %s", property->object->path);
}

/* A command that memory ran out for must not look like one that is not needed. */
static char *take(attest_text *text)
{
    char *command = attest_text_take(text);

    attest_need_text(command);
    return command;
}

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
        add_load(&text, property->property);
        return take(&text);
    }
    attest_text_printf(&text, "attest campaign %s --seed 0x%" PRIx64 " --trials %" PRIu64,
                       property->property->name, plan->seed,
                       attest_plan_end(plan, p, property->result->violation[0].trial));
    add_load(&text, property->property);
    if (plan->setting.without)
        attest_text_printf(&text, " --without %s", plan->setting.without);
    if (plan->setting.number != ATTEST_ARITHMETIC_NONE)
        attest_text_printf(&text, " --number %s", attest_arithmetic_name(plan->setting.number));
    if (plan->setting.number == ATTEST_ARITHMETIC_MPFR)
        attest_text_printf(&text, " --bits %ld --round %s", plan->setting.bits,
                           attest_setting_rounding_name(plan->setting.round));
    return take(&text);
}

void attest_report_result(char *line, size_t size, const attest_property_summary *property)
{
    if (property->verdict == ATTEST_CAMPAIGN_NOT_RUN)
        snprintf(line, size, "%s: %s", property->trials > 0 ? "skipped" : "not run",
                 property->reason);
    else if (property->verdict == ATTEST_CAMPAIGN_FLAKY)
        snprintf(line, size,
                 "flaky after %" PRIu64 " trials: violated, and not when decided again",
                 property->trials);
    else if (property->by_witness)
        snprintf(line, size,
                 "violated, as expected, by the stored witness, replayed (%" PRIu64
                 " trials were too few to find one)",
                 property->trials);
    else if (property->standing == ATTEST_STANDING_EXPECTED)
        snprintf(line, size, "violated, as expected, after %" PRIu64 " trials",
                 property->trials);
    else
        snprintf(line, size, "%s after %" PRIu64 " trials",
                 attest_campaign_verdict_name(property->verdict), property->trials);
}

void attest_report_reason(char *line, size_t size, const attest_property_summary *property)
{
    const attest_violation *first = property->result->violation;
    int used = 0;

    line[0] = '\0';
    if (property->needed)
        used = snprintf(line, size, "hypothesis %.200s is needed: counterexample found%s",
                        property->needed, property->result->violations > 0 ? ": " : "");
    if (property->result->violations > 0)
        snprintf(line + used, size - (size_t)used, "trial %" PRIu64 ": %s", first->trial,
                 first->reason);
    else if (property->reason)
        snprintf(line, size, "%s", property->reason);
}

void attest_report_file_result(char *line, size_t size, const attest_corpus_case *file)
{
    const char *found = attest_report_outcome_name(file->outcome);

    if (file->outcome == file->expected)
        snprintf(line, size, "%s, as expected", found);
    else
        snprintf(line, size, "%s, %s is expected", found,
                 attest_report_outcome_name(file->expected));
}

/* As many are told of. */
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

static void print_counts(FILE *stream, const attest_property_summary *property)
{
    const attest_chunk_result *result = property->result;
    char line[256];

    attest_report_result(line, sizeof line, property);
    attest_fprint(stream, "%s: ", property->property->name);
    attest_paint_print(stream, paint(property->standing), line);
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

/* So many are said to be few, where the property knows why. */
enum { FEW_TRIALS = 1000 };

static void print_property(FILE *stream, const attest_summary *summary, size_t p,
                           const char *folder, size_t width)
{
    const attest_property_summary *property = &summary->property[p];
    const attest_chunk_result *result = property->result;
    char line[1024], *command = attest_report_command(summary, p, folder);

    print_counts(stream, property);
    attest_report_reason(line, sizeof line, property);
    if (line[0] && property->verdict != ATTEST_CAMPAIGN_NOT_RUN)
        attest_fprint(stream, "  %s\n", line);
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
    if (result->violations && !folder)
        attest_print_lines(stream, result->violation[0].text,
                           strlen(result->violation[0].text));
    if (command) {
        attest_fprint(stream, "  replay: ");
        attest_fprint(stream, "%s", command);
        fputc('\n', stream);
    }
    free(command);
}

/* Why the exit code is not 0: a line for each property and file that it is due to. */
static void print_reasons(FILE *stream, const attest_summary *summary)
{
    static const char *const names[ATTEST_STANDINGS] = {
        [ATTEST_STANDING_FAILED] = "failed",
        [ATTEST_STANDING_FLAKY] = "flaky",
        [ATTEST_STANDING_UNDECIDED] = "undecided",
    };

    for (size_t p = 0; p < summary->properties; p++) {
        const attest_property_summary *property = &summary->property[p];
        char line[1024];

        if (attest_standing_is_good(property->standing))
            continue;
        attest_report_reason(line, sizeof line, property);
        attest_paint_print(stream, paint(property->standing), names[property->standing]);
        attest_fprint(stream, ": %s: %s\n", property->property->name, line);
    }
    for (size_t f = 0; summary->corpus && f < summary->corpus->files; f++) {
        const attest_corpus_case *file = &summary->corpus->file[f];
        attest_campaign_standing standing = attest_summary_stand(file);
        char line[128];

        if (attest_standing_is_good(standing))
            continue;
        attest_report_file_result(line, sizeof line, file);
        attest_paint_print(stream, paint(standing), names[standing]);
        attest_fprint(stream, ": %s: %s: %s\n", file->path, line, file->reason);
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

void attest_report_campaign_text(FILE *stream, const attest_summary *summary,
                                 const char *folder, size_t width)
{
    attest_fprint(stream, "seed 0x%" PRIx64 "\n", summary->plan->seed);
    for (size_t p = 0; p < summary->properties; p++)
        print_property(stream, summary, p, folder, width);
    if (summary->corpus)
        attest_fprint(stream, "corpus: %zu files\n", summary->corpus->files);
    print_end(stream, summary);
}
