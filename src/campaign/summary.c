/* summary.c -- what a campaign says in the end. */
#include "campaign/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/coverage.h"

const char *attest_campaign_verdict_name(attest_campaign_verdict verdict)
{
    static const char *const names[] = {"held", "violated", "undecided"};

    return names[verdict];
}

void attest_summary_file(char *name, size_t size, const attest_property *property, long v)
{
    if (v < 0)
        snprintf(name, size, "%s.tightest.json", property->name);
    else
        snprintf(name, size, "%s.%ld.json", property->name, v + 1);
}

/* Coverage is asked of the generator that draws what the statement assumes. */
static bool is_covered(attest_property_summary *summary, const attest_setting *setting)
{
    return setting->without || setting->number != ATTEST_ARITHMETIC_NONE || setting->weights ||
           attest_coverage_check(summary->coverage, sizeof summary->coverage, summary->property,
                                 summary->result);
}

static void summarise(attest_property_summary *summary, const attest_tally *tally)
{
    const attest_chunk_result *result = &tally->joined;

    summary->property = tally->plan->property[tally->property];
    summary->result = result;
    summary->trials = attest_tally_trials(tally);
    summary->random = result->passed - result->searched;
    summary->verdict = ATTEST_CAMPAIGN_UNDECIDED;
    if (result->failed > 0)
        summary->verdict = ATTEST_CAMPAIGN_VIOLATED;
    else if (result->discarded > summary->trials / 2)
        summary->reason = "more than half of the draws were discarded";
    else if (result->undecided > 0)
        summary->reason = result->open_reason;
    else if (result->passed == 0)
        summary->reason = "no trial was run";
    else if (!is_covered(summary, &tally->plan->setting))
        summary->reason = summary->coverage;
    else
        summary->verdict = ATTEST_CAMPAIGN_HELD;
    summary->as_expected =
        summary->verdict ==
        (summary->property->expect_violation ? ATTEST_CAMPAIGN_VIOLATED : ATTEST_CAMPAIGN_HELD);
}

attest_status attest_summary_init(attest_summary *summary, const attest_plan *plan,
                                  const attest_tally *tally, attest_error *error)
{
    *summary = (attest_summary){.plan = plan, .properties = plan->properties};
    summary->property = attest_memory_alloc(plan->properties, sizeof *summary->property);
    if (!summary->property)
        return attest_memory_fail(error);
    for (size_t p = 0; p < plan->properties; p++)
        summarise(&summary->property[p], &tally[p]);
    return ATTEST_OK;
}

void attest_summary_clear(attest_summary *summary)
{
    free(summary->property);
    memset(summary, 0, sizeof *summary);
}
