/* campaign_tests.c -- a finished campaign as TAP and as JUnit XML. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/scope.h"
#include "report/campaign.h"
#include "report/junit.h"
#include "report/need.h"
#include "report/replay.h"
#include "report/tap.h"

static size_t count_files(const attest_summary *summary)
{
    return summary->corpus ? summary->corpus->files : 0;
}

/* The command that replays a file of the corpus; the caller frees it. */
static char *replay_command(const attest_corpus_case *file)
{
    attest_text text;

    attest_text_init(&text);
    attest_text_printf(&text, "attest replay %s", file->path);
    return (char *)attest_need_text(attest_text_take(&text));
}

static void add_file_tap(attest_text *text, const attest_corpus_case *file, size_t number)
{
    bool good = attest_standing_is_good(attest_summary_stand(file));
    char line[128], *command ATTEST_FREED = NULL;

    attest_report_file_result(line, sizeof line, file);
    attest_tap_add_test(text, good, number);
    attest_tap_add_name(text, file->path);
    attest_text_printf(text, ": %s\n", line);
    if (good)
        return;
    command = replay_command(file);
    attest_tap_add_comment(text, "", file->reason);
    attest_tap_add_comment(text, "replay: ", command);
}

attest_status attest_report_campaign_tap(FILE *stream, const attest_summary *summary,
                                         const char *folder)
{
    attest_text text;

    attest_text_init(&text);
    attest_tap_add_plan(&text, summary->properties + count_files(summary));
    for (size_t p = 0; p < summary->properties; p++) {
        const attest_property_summary *property = &summary->property[p];
        char line[1024];
        char *command ATTEST_FREED = attest_report_command(summary, p, folder);

        attest_report_result(line, sizeof line, property);
        attest_tap_add_test(&text, attest_standing_is_good(property->standing), p + 1);
        attest_tap_add_name(&text, property->property->name);
        attest_text_printf(&text, "%s%s\n",
                           property->standing == ATTEST_STANDING_NOT_RUN ? " # SKIP " : ": ",
                           line);
        attest_report_reason(line, sizeof line, property);
        if (line[0])
            attest_tap_add_comment(&text, "", line);
        if (command)
            attest_tap_add_comment(&text, "replay: ", command);
    }
    for (size_t f = 0; f < count_files(summary); f++)
        add_file_tap(&text, &summary->corpus->file[f], summary->properties + f + 1);
    return attest_tap_print(&text, stream);
}

/* What is undecided is an error: nothing is known to be wrong. */
static const char *trouble_of(attest_campaign_standing standing)
{
    static const char *const troubles[ATTEST_STANDINGS] = {
        [ATTEST_STANDING_FAILED] = "failure",
        [ATTEST_STANDING_FLAKY] = "failure",
        [ATTEST_STANDING_UNDECIDED] = "error",
        [ATTEST_STANDING_NOT_RUN] = "skipped",
    };

    return troubles[standing];
}

static void open_suite(attest_markup *xml, const attest_summary *summary)
{
    attest_junit_suite suite = {.name = "attest campaign",
                                .tests = summary->properties + count_files(summary),
                                .failures = summary->standing[ATTEST_STANDING_FAILED] +
                                            summary->standing[ATTEST_STANDING_FLAKY],
                                .errors = summary->standing[ATTEST_STANDING_UNDECIDED],
                                .skipped = summary->standing[ATTEST_STANDING_NOT_RUN]};

    for (size_t p = 0; p < summary->properties; p++)
        suite.seconds += summary->property[p].result->seconds;
    attest_junit_open(xml, &suite);
}

static void add_property(attest_markup *xml, const attest_summary *summary, size_t p,
                         const char *folder)
{
    const attest_property_summary *property = &summary->property[p];
    char reason[1024], result[256];
    char *command ATTEST_FREED = attest_report_command(summary, p, folder);

    attest_report_reason(reason, sizeof reason, property);
    attest_report_result(result, sizeof result, property);
    attest_junit_add(xml, &(attest_junit_test){
                              .classname = "attest",
                              .name = property->property->name,
                              .seconds = property->result->seconds,
                              .trouble = trouble_of(property->standing),
                              .type = attest_campaign_verdict_name(property->verdict),
                              .message = reason,
                              .command = command ? command : "",
                              .output = result,
                          });
}

static void add_file(attest_markup *xml, const attest_corpus_case *file)
{
    char result[128], *command ATTEST_FREED = replay_command(file);

    attest_report_file_result(result, sizeof result, file);
    attest_junit_add(xml, &(attest_junit_test){
                              .classname = "attest.corpus",
                              .name = file->path,
                              .trouble = trouble_of(attest_summary_stand(file)),
                              .type = attest_report_outcome_name(file->outcome),
                              .message = file->reason,
                              .command = command,
                              .output = result,
                          });
}

attest_status attest_report_campaign_junit(FILE *stream, const attest_summary *summary,
                                           const char *folder)
{
    attest_markup xml ATTEST_CLEARED_BY(attest_markup_clear);

    attest_junit_init(&xml, true);
    open_suite(&xml, summary);
    for (size_t p = 0; p < summary->properties; p++)
        add_property(&xml, summary, p, folder);
    for (size_t f = 0; f < count_files(summary); f++)
        add_file(&xml, &summary->corpus->file[f]);
    attest_markup_close(&xml);
    attest_text_add(&xml.text, "\n");
    if (xml.text.failed)
        return ATTEST_NOMEM;
    fwrite(xml.text.data, 1, xml.text.size, stream);
    return ATTEST_OK;
}
