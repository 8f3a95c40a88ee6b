/* summary.c -- what a campaign says in the end. */
#include "campaign/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *attest_campaign_verdict_name(attest_campaign_verdict verdict)
{
    static const char *const names[] = {"held", "violated", "flaky", "undecided", "not-run"};

    return names[verdict];
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

/* Coverage is asked of the generator that draws what the statement assumes. */
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
    if (result->violations > 0 && result->violation[0].flaky) /* and so are all */
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

/* Whether a search had fewer trials than it is known to need. A shard is a part: what it does
 * not find, others may. */
static bool is_cut_short(const attest_property_summary *summary, const attest_plan *plan)
{
    return summary->property->expect_violation && summary->result->failed == 0 &&
           summary->trials > 0 && summary->trials < summary->property->trials &&
           plan->shards == 1 && !plan->partial;
}

/* The stored witness is one for the property with all its hypotheses and in exact arithmetic
 * only. */
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
        status = attest_witness_check(&summary->by_witness, summary->property, error);
    judge(summary, plan);
    summary->standing = stand(summary, plan);
    return status;
}

attest_campaign_standing attest_summary_stand(const attest_corpus_case *file)
{
    if (file->outcome == ATTEST_OPEN)
        return ATTEST_STANDING_UNDECIDED;
    if (file->outcome != file->expected)
        return ATTEST_STANDING_FAILED;
    return file->outcome == ATTEST_HELD ? ATTEST_STANDING_HELD : ATTEST_STANDING_EXPECTED;
}

attest_status attest_summary_init(attest_summary *summary, const attest_plan *plan,
                                  const attest_join *join, const attest_corpus *corpus,
                                  attest_error *error)
{
    *summary = (attest_summary){.plan = plan, .properties = plan->properties, .corpus = corpus};
    summary->property = attest_memory_alloc(plan->properties, sizeof *summary->property);
    if (!summary->property)
        return attest_memory_fail(error);
    for (size_t p = 0; p < plan->properties; p++) {
        attest_status status = summarise(&summary->property[p], &join[p], error);

        if (status != ATTEST_OK)
            return status;
        summary->standing[summary->property[p].standing]++;
    }
    for (size_t f = 0; corpus && f < corpus->files; f++)
        summary->standing[attest_summary_stand(&corpus->file[f])]++;
    return ATTEST_OK;
}

int attest_summary_code(const attest_summary *summary)
{
    if (summary->standing[ATTEST_STANDING_FAILED] + summary->standing[ATTEST_STANDING_FLAKY])
        return 1;
    return summary->standing[ATTEST_STANDING_UNDECIDED] > 0 ? 3 : 0;
}

void attest_summary_clear(attest_summary *summary)
{
    free(summary->property);
    memset(summary, 0, sizeof *summary);
}
