/* The state of a campaign, from its folder, against the tallies of those who ran it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/survey.h"
#include "tests/campaign/toy.h"
#include "tests/tap.h"

enum { PROPERTIES = 4 };

static char folder[] = "t-survey.XXXXXX";

static bool is_told(const attest_survey_property *told, const attest_plan *plan,
                    const attest_tally *tally)
{
    const attest_chunk_result *joined = &tally->joined;

    return strcmp(told->name, plan->property[tally->property]->name) == 0 && !told->timed &&
           told->planned == plan->trials && told->trials == attest_tally_trials(tally) &&
           told->failed == joined->failed && told->undecided == joined->undecided &&
           told->ended == tally->ended;
}

static void test_told(const attest_plan *plan, const attest_campaign *campaign)
{
    attest_survey_folder told;
    attest_survey_total total;
    attest_chunk_result findings;
    uint64_t trials = 0, failed = 0, undecided = 0;

    attest_chunk_result_init(&findings);
    if (attest_survey_read(&told, folder, &findings, NULL) != ATTEST_OK)
        abort();
    for (size_t p = 0; p < PROPERTIES; p++) {
        TAP_OK(is_told(&told.property[p], plan, &campaign->tally[p]),
               "%s: %llu trials, %llu failed, %llu undecided", told.property[p].name,
               (unsigned long long)told.property[p].trials,
               (unsigned long long)told.property[p].failed,
               (unsigned long long)told.property[p].undecided);
        trials += told.property[p].trials;
        failed += told.property[p].failed;
        undecided += told.property[p].undecided;
    }
    total = attest_survey_sum(&told);
    TAP_OK(told.properties == PROPERTIES && told.finished && !told.running && failed > 0 &&
               undecided > 0 && total.trials == trials && total.failed == failed &&
               total.undecided == undecided && total.known,
           "and all of them");
    TAP_OK(findings.violations > 0 && strncmp(findings.violation[0].reason, "fails: ", 7) == 0,
           "with what was found");
    attest_survey_clear(&told);
    attest_chunk_result_clear(&findings);
}

int main(void)
{
    const attest_property *list[PROPERTIES] = {toy_find("holds"), toy_find("open"),
                                               toy_find("fails"), toy_find("discards")};
    attest_plan plan = toy_plan(list, PROPERTIES);
    attest_campaign campaign;
    attest_journal journal;
    char name[64];

    plan.trials = 2000;
    if (!mkdtemp(folder) || attest_campaign_init(&campaign, &plan, NULL, NULL) != ATTEST_OK)
        abort();
    attest_journal_init(&journal);
    if (attest_campaign_open(&campaign, &journal, folder, true, NULL) != ATTEST_OK ||
        attest_campaign_run(&campaign, NULL) != ATTEST_OK)
        abort();
    attest_journal_close(&journal);
    test_told(&plan, &campaign);
    attest_campaign_clear(&campaign);
    snprintf(name, sizeof name, "%s/journal", folder);
    unlink(name);
    snprintf(name, sizeof name, "%s/lock", folder);
    unlink(name);
    TAP_OK(rmdir(folder) == 0, "nothing else is left");
    flint_cleanup();
    return tap_done();
}
