/* summary.c -- the record of a finished campaign, and of the files of its corpus. */
#include "campaign/summary.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "campaign/counterexample.h"
#include "campaign/load.h"
#include "campaign/replay.h"
#include "io/counterexample_json.h"

/* ---- The corpus: stored counterexamples, decided again. */

static const char *const expectations[] = {"held", "violated"};

void attest_corpus_clear(attest_corpus *corpus)
{
    for (size_t f = 0; f < corpus->files; f++) {
        free(corpus->file[f].path);
        free(corpus->file[f].property);
        free(corpus->file[f].reason);
    }
    free(corpus->file);
    memset(corpus, 0, sizeof *corpus);
}

static attest_status read_file(attest_counterexample *file, int *expected, const char *path,
                               attest_budget *budget, attest_error *error)
{
    attest_json_document document ATTEST_CLEARED_BY(attest_json_document_clear);
    attest_json_failure failure;
    attest_json_cursor root;

    ATTEST_TRY(attest_json_document_read_file(&document, path, budget, error));
    root = attest_json_begin(&document, &failure, error);
    attest_counterexample_set_json(file, &root);
    *expected = attest_json_has(&root, "expect")
                    ? attest_json_take_choice(&root, "expect", expectations, 2)
                    : 0;
    return attest_error_prefix(error, failure.status, path);
}

static attest_status add_case(attest_corpus *corpus, const char *path,
                              const attest_counterexample *file, int expected,
                              const attest_replay *replay, attest_error *error)
{
    attest_corpus_case *added;

    if (!attest_memory_grow(&corpus->file, &corpus->room, corpus->files + 1,
                            sizeof *corpus->file))
        return attest_memory_fail(error);
    added = &corpus->file[corpus->files++];
    *added = (attest_corpus_case){.path = attest_memory_copy(path),
                                  .property = attest_memory_copy(file->property),
                                  .reason = attest_memory_copy(replay->reason),
                                  .expected = expected ? ATTEST_VIOLATED : ATTEST_HELD,
                                  .outcome = replay->outcome};
    return added->path && added->property && added->reason ? ATTEST_OK
                                                           : attest_memory_fail(error);
}

static attest_status replay_file(attest_corpus *corpus, const char *path,
                                 attest_property_finder *find, attest_budget budget,
                                 attest_error *error)
{
    int expected;

    ATTEST_SCOPED(attest_counterexample, file);
    ATTEST_SCOPED(attest_replay, replay);
    ATTEST_TRY(read_file(&file, &expected, path, &budget, error));
    ATTEST_TRY(
        attest_error_prefix(error, attest_replay_run(&replay, &file, find, error), path));
    return add_case(corpus, path, &file, expected, &replay, error);
}

static int is_json(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

typedef struct listing {
    struct dirent **entry;
    int count;
} listing;

static void listing_clear(listing *files)
{
    for (int i = 0; i < files->count; i++)
        free(files->entry[i]);
    free(files->entry);
}

attest_status attest_corpus_replay(attest_corpus *corpus, const char *directory,
                                   attest_property_finder *find, const attest_budget *budget,
                                   attest_error *error)
{
    listing files ATTEST_CLEARED_BY(listing_clear) = {0};

    memset(corpus, 0, sizeof *corpus);
    files.count = scandir(directory, &files.entry, is_json, alphasort);
    if (files.count < 0 && errno == ENOMEM)
        return attest_memory_fail(error);
    if (files.count < 0)
        return attest_error_set(error, ATTEST_IO, "%s: cannot read the directory: %s",
                                directory, strerror(errno));
    for (int i = 0; i < files.count; i++) {
        char *path ATTEST_FREED = attest_directory_join(directory, files.entry[i]->d_name);

        if (!path)
            return attest_memory_fail(error);
        ATTEST_TRY(replay_file(corpus, path, find, *budget, error));
    }
    return ATTEST_OK;
}

static attest_status decide_witness(attest_replay *replay, attest_counterexample *file,
                                    const attest_property *property, attest_error *error)
{
    ATTEST_TRY(attest_counterexample_parse_json(file, property->witness,
                                                strlen(property->witness), NULL, error));
    return attest_replay_decide(replay, file, property, error);
}

/* *confirmed = whether the property has a witness that violates it, decided again from its
 * values. Status: NOMEM. */
static attest_status check_witness(bool *confirmed, const attest_property *property,
                                   attest_error *error)
{
    ATTEST_SCOPED(attest_counterexample, file);
    ATTEST_SCOPED(attest_replay, replay);
    attest_status status;

    *confirmed = false;
    if (!property->witness)
        return ATTEST_OK;
    status = decide_witness(&replay, &file, property, error);
    *confirmed = status == ATTEST_OK && replay.outcome == ATTEST_VIOLATED;
    /* A witness that cannot be read or is not an instance of the property confirms nothing. */
    return status == ATTEST_NOMEM ? status : ATTEST_OK;
}

/* ---- Verdicts. */

const char *attest_campaign_verdict_name(attest_campaign_verdict verdict)
{
    static const char *const names[] = {"held", "violated", "flaky", "undecided", "not-run"};

    return names[verdict];
}

const char *attest_campaign_standing_name(attest_campaign_standing standing)
{
    static const char *const names[ATTEST_STANDINGS] = {
        "held", "violated_as_expected", "failed", "flaky", "undecided", "not_run"};

    return names[standing];
}

void attest_summary_file(char *name, size_t size, const attest_property *property, long v)
{
    if (v < 0)
        snprintf(name, size, "%s.tightest.json", property->name);
    else
        snprintf(name, size, "%s.%ld.json", property->name, v + 1);
}

static double count_label(const attest_chunk_result *result, const char *label)
{
    for (size_t l = 0; l < result->labels; l++)
        if (strcmp(result->label[l].name, label) == 0)
            return (double)result->label[l].count;
    return 0;
}

/* Returns three standard deviations of a count whose expectation is this share of the trials.
 */
static double deviation(double trials, double share)
{
    return 3 * sqrt(trials * share * (1 - share));
}

bool attest_coverage_check(char *reason, size_t size, const attest_property *property,
                           const attest_chunk_result *result)
{
    double trials = (double)(result->passed + result->failed);

    if (trials < ATTEST_COVERAGE_TRIALS)
        return true;
    for (const attest_coverage *c = property->coverage; c && c->label; c++) {
        double count = count_label(result, c->label), least = c->least / 100.0,
               most = c->most / 100.0;
        bool few = count < trials * least - deviation(trials, least);

        if (!few && count <= trials * most + deviation(trials, most))
            continue;
        snprintf(reason, size,
                 "coverage: %.3g %% of the trials are \"%.60s\", at %s %u %% should be",
                 100 * count / trials, c->label, few ? "least" : "most",
                 few ? c->least : c->most);
        return false;
    }
    return true;
}

/* Coverage is checked only for the generator of the statement with all its hypotheses. */
static bool is_covered(attest_property_summary *summary, const attest_setting *setting)
{
    return setting->without || setting->number != ATTEST_ARITHMETIC_NONE || setting->weights ||
           attest_coverage_check(summary->text, sizeof summary->text, summary->property,
                                 summary->result);
}

static void judge(attest_property_summary *summary, const attest_plan *plan)
{
    const attest_chunk_result *result = summary->result;

    summary->verdict = ATTEST_CAMPAIGN_UNDECIDED;
    if (result->violations > 0 &&
        result->violation[0].flaky) /* flaky ones come last: all are */
        summary->verdict = ATTEST_CAMPAIGN_FLAKY;
    else if (result->failed > 0 || summary->by_witness)
        summary->verdict = ATTEST_CAMPAIGN_VIOLATED;
    else if (summary->trials == 0)
        summary->verdict = ATTEST_CAMPAIGN_NOT_RUN;
    else if (result->discarded > summary->trials / 2)
        summary->reason = "more than half of the draws were discarded";
    else if (result->undecided > 0)
        summary->reason = result->open_reason;
    else if (!is_covered(summary, &plan->setting))
        summary->reason = summary->text;
    else
        summary->verdict = ATTEST_CAMPAIGN_HELD;
}

/* Returns whether a search had fewer trials than its default. A shard may leave the violation
 * to the others. */
static bool is_cut_short(const attest_property_summary *summary, const attest_plan *plan)
{
    return summary->property->expect_violation && summary->result->failed == 0 &&
           summary->trials > 0 && summary->trials < summary->property->trials &&
           plan->shards == 1 && !plan->partial;
}

/* The stored witness violates the property with all its hypotheses, in exact arithmetic. */
static bool has_witness(const attest_property_summary *summary, const attest_plan *plan)
{
    return summary->property->witness && !plan->setting.without &&
           plan->setting.number == ATTEST_ARITHMETIC_NONE;
}

static attest_campaign_standing stand_held(attest_property_summary *summary,
                                           const attest_plan *plan)
{
    if (!summary->property->expect_violation || plan->shards > 1 || plan->partial)
        return ATTEST_STANDING_HELD;
    if (is_cut_short(summary, plan) && !has_witness(summary, plan)) {
        snprintf(summary->text, sizeof summary->text,
                 "no violation was found in %llu trials, which are too few for a search (%zu "
                 "by default)",
                 (unsigned long long)summary->trials, summary->property->trials);
        summary->reason = summary->text;
        summary->verdict = ATTEST_CAMPAIGN_NOT_RUN;
        return ATTEST_STANDING_NOT_RUN;
    }
    summary->reason = "no violation was found, and one is expected";
    return ATTEST_STANDING_FAILED;
}

static attest_campaign_standing stand(attest_property_summary *summary, const attest_plan *plan)
{
    switch (summary->verdict) {
    case ATTEST_CAMPAIGN_VIOLATED:
        summary->needed = plan->setting.without;
        return summary->property->expect_violation && !summary->needed
                   ? ATTEST_STANDING_EXPECTED
                   : ATTEST_STANDING_FAILED;
    case ATTEST_CAMPAIGN_FLAKY:
        return ATTEST_STANDING_FLAKY;
    case ATTEST_CAMPAIGN_UNDECIDED:
        return ATTEST_STANDING_UNDECIDED;
    case ATTEST_CAMPAIGN_NOT_RUN:
        summary->reason = plan->shards > 1 ? "this shard has no chunk of it"
                          : plan->partial  ? "no chunk of it is there yet"
                                           : "no chunk of it was run";
        return ATTEST_STANDING_NOT_RUN;
    case ATTEST_CAMPAIGN_HELD:
        break;
    }
    return stand_held(summary, plan);
}

static attest_status summarise(attest_property_summary *summary, const attest_join *join,
                               attest_error *error)
{
    const attest_plan *plan = join->plan;
    const attest_chunk_result *result = &join->result;
    attest_status status = ATTEST_OK;

    summary->property = join->plan->property[join->property];
    summary->result = result;
    summary->trials = attest_join_trials(join);
    summary->random = result->passed - result->searched;
    if (is_cut_short(summary, plan) && has_witness(summary, plan))
        status = check_witness(&summary->by_witness, summary->property, error);
    judge(summary, plan);
    summary->standing = stand(summary, plan);
    return status;
}

/* ---- The lines that describe the tests. */

static void add_load(attest_text *text, const attest_property *property)
{
    if (property->object)
        attest_text_printf(text, " --load %s", property->object->path);
}

/* Adds the command that finds the first violation again, or replays its file. */
static void add_command(attest_text *text, const attest_summary *summary, size_t p)
{
    const attest_property_summary *property = &summary->property[p];
    const attest_plan *plan = summary->plan;
    const attest_setting *setting = &plan->setting;
    char file[256];

    if (summary->directory) {
        attest_summary_file(file, sizeof file, property->property, 0);
        attest_text_printf(text, "attest replay %s/%s", summary->directory, file);
        add_load(text, property->property);
        return;
    }
    attest_text_printf(text, "attest campaign %s --seed 0x%" PRIx64 " --trials %" PRIu64,
                       property->property->name, plan->seed,
                       attest_plan_end(plan, p, property->result->violation[0].trial));
    add_load(text, property->property);
    if (setting->without)
        attest_text_printf(text, " --without %s", setting->without);
    if (setting->number != ATTEST_ARITHMETIC_NONE)
        attest_text_printf(text, " --number %s", attest_arithmetic_name(setting->number));
    if (setting->number == ATTEST_ARITHMETIC_MPFR)
        attest_text_printf(text, " --bits %ld --round %s", setting->bits,
                           attest_setting_rounding_name(setting->round));
}

static void describe_result(char *line, size_t size, const attest_property_summary *property)
{
    uint64_t trials = property->trials;

    if (property->verdict == ATTEST_CAMPAIGN_NOT_RUN)
        snprintf(line, size, "%s: %s", trials > 0 ? "skipped" : "not run", property->reason);
    else if (property->verdict == ATTEST_CAMPAIGN_FLAKY)
        snprintf(line, size,
                 "flaky after %" PRIu64 " trials: violated, and not when decided again",
                 trials);
    else if (property->by_witness)
        snprintf(line, size,
                 "violated, as expected, by the stored witness, replayed (%" PRIu64
                 " trials were too few to find one)",
                 trials);
    else if (property->standing == ATTEST_STANDING_EXPECTED)
        snprintf(line, size, "violated, as expected, after %" PRIu64 " trials", trials);
    else
        snprintf(line, size, "%s after %" PRIu64 " trials",
                 attest_campaign_verdict_name(property->verdict), trials);
}

static void describe_reason(char *line, size_t size, const attest_property_summary *property)
{
    const attest_violation *first = property->result->violation;
    int used = 0;

    if (property->needed)
        used = snprintf(line, size, "hypothesis %.200s is needed: counterexample found%s",
                        property->needed, property->result->violations > 0 ? ": " : "");
    if (property->result->violations > 0)
        snprintf(line + used, size - (size_t)used, "trial %" PRIu64 ": %s", first->trial,
                 first->reason);
    else if (property->reason)
        snprintf(line, size, "%s", property->reason);
}

static attest_status describe_property(attest_summary *summary, size_t p, attest_error *error)
{
    const attest_property_summary *property = &summary->property[p];
    attest_summary_test *test = &summary->test[p];
    ATTEST_SCOPED(attest_text, command);

    test->name = property->property->name;
    test->standing = property->standing;
    test->verdict = attest_campaign_verdict_name(property->verdict);
    test->seconds = property->result->seconds;
    describe_result(test->result, sizeof test->result, property);
    describe_reason(test->reason, sizeof test->reason, property);
    if (property->result->violations == 0)
        return ATTEST_OK;
    add_command(&command, summary, p);
    test->command = attest_text_take(&command);
    return test->command ? ATTEST_OK : attest_memory_fail(error);
}

static attest_status describe_file(attest_summary_test *test, const attest_corpus_case *file,
                                   attest_error *error)
{
    ATTEST_SCOPED(attest_text, command);

    test->name = file->path;
    test->is_file = true;
    test->standing = file->outcome == ATTEST_OPEN      ? ATTEST_STANDING_UNDECIDED
                     : file->outcome != file->expected ? ATTEST_STANDING_FAILED
                     : file->outcome == ATTEST_HELD    ? ATTEST_STANDING_HELD
                                                       : ATTEST_STANDING_EXPECTED;
    test->verdict = attest_trial_outcome_name(file->outcome);
    if (file->outcome == file->expected)
        snprintf(test->result, sizeof test->result, "%s, as expected", test->verdict);
    else
        snprintf(test->result, sizeof test->result, "%s, %s is expected", test->verdict,
                 attest_trial_outcome_name(file->expected));
    snprintf(test->reason, sizeof test->reason, "%s", file->reason);
    attest_text_printf(&command, "attest replay %s", file->path);
    test->command = attest_text_take(&command);
    return test->command ? ATTEST_OK : attest_memory_fail(error);
}

attest_status attest_summary_init(attest_summary *summary, const attest_plan *plan,
                                  const attest_join *join, const attest_corpus *corpus,
                                  const char *directory, attest_error *error)
{
    size_t files = corpus ? corpus->files : 0;

    *summary = (attest_summary){.plan = plan, .corpus = corpus, .directory = directory};
    summary->property = attest_memory_alloc(plan->properties, sizeof *summary->property);
    summary->test = attest_memory_alloc(plan->properties + files, sizeof *summary->test);
    if (!summary->property || !summary->test)
        return attest_memory_fail(error);
    summary->properties = plan->properties;
    summary->tests = plan->properties + files;
    for (size_t p = 0; p < plan->properties; p++) {
        ATTEST_TRY(summarise(&summary->property[p], &join[p], error));
        ATTEST_TRY(describe_property(summary, p, error));
        summary->trials += summary->property[p].trials;
    }
    for (size_t f = 0; f < files; f++)
        ATTEST_TRY(
            describe_file(&summary->test[plan->properties + f], &corpus->file[f], error));
    for (size_t t = 0; t < summary->tests; t++)
        summary->standing[summary->test[t].standing]++;
    summary->confirmed =
        summary->standing[ATTEST_STANDING_HELD] + summary->standing[ATTEST_STANDING_EXPECTED];
    return ATTEST_OK;
}

bool attest_standing_is_good(attest_campaign_standing standing)
{
    return standing == ATTEST_STANDING_HELD || standing == ATTEST_STANDING_EXPECTED ||
           standing == ATTEST_STANDING_NOT_RUN;
}

int attest_summary_code(const attest_summary *summary)
{
    if (summary->standing[ATTEST_STANDING_FAILED] + summary->standing[ATTEST_STANDING_FLAKY])
        return 1;
    return summary->standing[ATTEST_STANDING_UNDECIDED] > 0 ? 3 : 0;
}

void attest_summary_clear(attest_summary *summary)
{
    for (size_t t = 0; summary->test && t < summary->tests; t++)
        free(summary->test[t].command);
    free(summary->test);
    free(summary->property);
    memset(summary, 0, sizeof *summary);
}
