/* campaign_text.c -- a finished campaign as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/campaign.h"
#include "report/print.h"

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
