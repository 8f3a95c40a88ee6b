/* The state of a campaign, from its directory, against the joins of the campaign that ran. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/status.h"
#include "tests/campaign/toy.h"
#include "tests/tap.h"

enum { PROPERTIES = 4 };

static char directory[] = "t-status.XXXXXX";

static bool matches_plan(const attest_campaign_status_property *summary,
                         const attest_plan *plan, const attest_join *join)
{
    const attest_chunk_result *joined = &join->result;

    return strcmp(summary->name, plan->property[join->property]->name) == 0 &&
           !summary->timed && summary->planned == plan->trials &&
           summary->trials == attest_join_trials(join) && summary->failed == joined->failed &&
           summary->undecided == joined->undecided && summary->ended == join->ended;
}

static void test_told(const attest_plan *plan, const attest_campaign *campaign)
{
    attest_campaign_status summary;
    attest_campaign_status_total total;
    attest_chunk_result findings;
    uint64_t trials = 0, failed = 0, undecided = 0;

    attest_chunk_result_init(&findings);
    if (attest_campaign_status_read(&summary, directory, &findings, NULL, NULL) != ATTEST_OK)
        abort();
    for (size_t p = 0; p < PROPERTIES; p++) {
        TAP_OK(matches_plan(&summary.property[p], plan, &campaign->join[p]),
               "%s: %llu trials, %llu failed, %llu undecided", summary.property[p].name,
               (unsigned long long)summary.property[p].trials,
               (unsigned long long)summary.property[p].failed,
               (unsigned long long)summary.property[p].undecided);
        trials += summary.property[p].trials;
        failed += summary.property[p].failed;
        undecided += summary.property[p].undecided;
    }
    total = attest_campaign_status_sum(&summary);
    TAP_OK(summary.properties == PROPERTIES && summary.finished && !summary.running &&
               failed > 0 && undecided > 0 && total.trials == trials &&
               total.failed == failed && total.undecided == undecided && total.known,
           "the sum over all properties");
    TAP_OK(findings.violations > 0 && strncmp(findings.violation[0].reason, "fails: ", 7) == 0,
           "with what was found");
    attest_campaign_status_clear(&summary);
    attest_chunk_result_clear(&findings);
}

/* Opens a campaign in the directory, runs it or not, and closes it. */
static void make_campaign(attest_campaign *campaign, const attest_plan *plan, bool runs)
{
    attest_journal journal;

    if (attest_campaign_init(campaign, plan, NULL, NULL) != ATTEST_OK)
        abort();
    attest_journal_init(&journal);
    if (attest_campaign_open(campaign, &journal, directory, true, NULL, NULL) != ATTEST_OK ||
        (runs && attest_campaign_run(campaign, NULL) != ATTEST_OK))
        abort();
    attest_journal_close(&journal);
}

static void remove_campaign(attest_campaign *campaign)
{
    char name[64];

    attest_campaign_clear(campaign);
    snprintf(name, sizeof name, "%s/journal", directory);
    unlink(name);
    snprintf(name, sizeof name, "%s/lock", directory);
    unlink(name);
}

/* Counts the trials of the shard one by one. */
static uint64_t count_own(const attest_plan *plan)
{
    size_t chunk = plan->property[0]->chunk ? plan->property[0]->chunk : 64;
    uint64_t own = 0;

    for (uint64_t t = 0; t < plan->trials; t++)
        own += t / chunk % plan->shards == plan->shard - 1;
    return own;
}

/* Of a campaign that has not begun all trials are left, if their number is known. */
static bool is_all_left(const attest_plan *plan)
{
    uint64_t own = count_own(plan);
    attest_campaign campaign;
    attest_campaign_status summary;
    attest_campaign_status_total total;
    attest_chunk_result findings;
    bool timed = plan->time > 0, right;

    attest_chunk_result_init(&findings);
    make_campaign(&campaign, plan, false);
    if (attest_campaign_status_read(&summary, directory, &findings, NULL, NULL) != ATTEST_OK)
        abort();
    total = attest_campaign_status_sum(&summary);
    right = summary.shard == plan->shard && summary.shards == plan->shards &&
            summary.properties == 1 && summary.property[0].timed == timed &&
            summary.property[0].planned == own && !summary.property[0].ended &&
            summary.finished == (!timed && own == 0) && total.known == !timed &&
            total.left == own && total.trials == 0 && findings.violations == 0;
    attest_campaign_status_clear(&summary);
    attest_chunk_result_clear(&findings);
    remove_campaign(&campaign);
    return right;
}

static void test_planned(void)
{
    const attest_property *list[] = {toy_find("holds")};
    attest_plan plan = toy_plan(list, 1);
    size_t chunk = list[0]->chunk ? list[0]->chunk : 64;
    const uint64_t trials[] = {1, chunk - 1, chunk, chunk + 1, 3 * chunk, 7 * chunk - 2};
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        for (plan.shards = 1; plan.shards <= 3; plan.shards++)
            for (plan.shard = 1; plan.shard <= plan.shards; plan.shard++) {
                plan.trials = trials[i];
                wrong += !is_all_left(&plan);
            }
    TAP_OK(wrong == 0, "the work left to shards: %zu are wrong", wrong);
    plan.shard = plan.shards = 1;
    plan.trials = 0;
    plan.time = 100;
    TAP_OK(is_all_left(&plan), "where time is the limit, that is not known");
}

/* A directory without a campaign. */
static void test_none(void)
{
    attest_campaign_status summary;
    attest_chunk_result findings;
    attest_error error;

    attest_chunk_result_init(&findings);
    TAP_OK(attest_campaign_status_read(&summary, directory, &findings, NULL, &error) ==
                   ATTEST_USAGE &&
               strstr(error.text, "contains no campaign"),
           "an empty directory: %s", error.text);
    attest_chunk_result_clear(&findings);
}

/* Sums of properties of which one goes on, one is done and one ended by a violation. */
static void test_sum(void)
{
    attest_campaign_status_property property[] = {
        {.planned = 100, .trials = 30, .undecided = 2, .seconds = 1.5},
        {.planned = 50, .trials = 50, .seconds = 2},
        {.planned = 70, .trials = 20, .failed = 3, .ended = true, .seconds = 4},
        {.timed = true, .trials = 7, .failed = 1, .ended = true}};
    attest_campaign_status made = {.properties = 4, .property = property};
    attest_campaign_status_total total = attest_campaign_status_sum(&made);

    TAP_OK(total.known && total.left == 70 && total.trials == 107 && total.failed == 4 &&
               total.undecided == 2 && total.seconds == 7.5,
           "of a sum, what is left: %llu", (unsigned long long)total.left);
    property[3].ended = false;
    TAP_OK(!attest_campaign_status_sum(&made).known, "not where one ends by its time");
}

TEST(status)
{
    const attest_property *list[PROPERTIES] = {toy_find("holds"), toy_find("open"),
                                               toy_find("fails"), toy_find("discards")};
    attest_plan plan = toy_plan(list, PROPERTIES);
    attest_campaign campaign;

    plan.trials = 2000;
    plan.memory = 0; /* sanitizers need a lot of memory */
    if (!mkdtemp(directory))
        abort();
    test_none();
    make_campaign(&campaign, &plan, true);
    test_told(&plan, &campaign);
    remove_campaign(&campaign);
    test_planned();
    test_sum();
    TAP_OK(rmdir(directory) == 0, "nothing else is left");
    flint_cleanup();
    return 0;
}
