/* The text of a plan, parsed, gives an equal plan. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "campaign/plan.h"
#include "tests/campaign/toy.h"
#include "tests/tap.h"

/* Both may be NULL. */
static bool are_same_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* Returns whether formatting the plan and parsing the text gives an equal plan, with one job.
 */
static bool round_trips(const attest_plan *plan)
{
    char *text = attest_plan_format(plan, true);
    attest_saved_plan saved;
    attest_error error;
    bool same;

    if (!text)
        abort();
    if (attest_saved_plan_parse(&saved, text, strlen(text), toy_find, NULL, &error) !=
        ATTEST_OK) {
        printf("# %s\n", error.text);
        free(text);
        return false;
    }
    same = saved.plan.seed == plan->seed && saved.plan.trials == plan->trials &&
           saved.plan.time == plan->time && saved.plan.named == plan->named &&
           saved.plan.keep_going == plan->keep_going && saved.plan.observe == plan->observe &&
           saved.plan.shard == plan->shard && saved.plan.shards == plan->shards &&
           saved.plan.properties == plan->properties && saved.plan.jobs == 1 &&
           are_same_texts(saved.plan.setting.without, plan->setting.without) &&
           saved.plan.setting.number == plan->setting.number &&
           saved.plan.setting.bits == plan->setting.bits &&
           saved.plan.setting.round == plan->setting.round;
    for (size_t p = 0; same && p < plan->properties; p++)
        same = saved.plan.property[p] == plan->property[p];
    attest_saved_plan_clear(&saved);
    free(text);
    return same;
}

TEST(plan)
{
    const attest_property *list[] = {&toys[1], &toys[0]};
    attest_plan plan = toy_plan(list, 2), other = plan;

    TAP_OK(round_trips(&plan), "two properties");
    other.seed = UINT64_C(0xfedcba9876543210);
    other.named = true;
    other.shard = 2;
    other.shards = 3;
    TAP_OK(round_trips(&other), "named properties, a shard, a large seed");
    other = plan;
    other.keep_going = true;
    other.trials = 12345;
    TAP_OK(round_trips(&other), "a number of trials, with --keep-going");
    other = plan;
    other.observe = true;
    other.time = 1;
    TAP_OK(round_trips(&other), "observations, and a time limit");
    other = plan;
    other.setting.without = "collinear";
    TAP_OK(round_trips(&other), "without a hypothesis");
    other = plan;
    other.setting.number = ATTEST_ARITHMETIC_BINARY32;
    TAP_OK(round_trips(&other), "in binary32");
    other.setting.number = ATTEST_ARITHMETIC_MPFR;
    other.setting.bits = 11;
    other.setting.round = MPFR_RNDU;
    TAP_OK(round_trips(&other), "with 11 bits, rounded up");
    return 0;
}
