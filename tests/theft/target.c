/* Guided search finds what random search does not, on three landscapes. The budget is 20000
 * trials, of which 19000 are guided; the same number of random trials finds none of the
 * needles. */
#include <math.h>
#include <string.h>

#include <theft.h>
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

#define BUDGET 20000
#define GUIDED 19000
#define SEEDS 10

#define WORDS 8
struct point {
    uint64_t at[WORDS];
};
struct kind {
    unsigned words, bits;
};

static enum theft_alloc_res alloc(struct theft *t, void *env, void **output)
{
    const struct kind *kind = env;
    struct point *p = calloc(1, sizeof *p);
    if (!p)
        return THEFT_ALLOC_ERROR;
    for (unsigned i = 0; i < kind->words; i++)
        p->at[i] = theft_random_bits(t, (uint8_t)kind->bits);
    *output = p;
    return THEFT_ALLOC_OK;
}

static enum theft_trial_res found(bool needle)
{
    return needle ? THEFT_TRIAL_FAIL : THEFT_TRIAL_PASS;
}

/* A slope: one number among 2^48. */
static enum theft_trial_res slope(struct theft *t, void *arg)
{
    const uint64_t needle = UINT64_C(0x7e57ab1e5eed);
    uint64_t x = ((struct point *)arg)->at[0];
    theft_target(t, -(double)(x > needle ? x - needle : needle - x));
    return found(x == needle);
}

/* Plateaus: five bytes, and nothing but how many of them are right. */
static enum theft_trial_res plateaus(struct theft *t, void *arg)
{
    static const uint8_t needle[5] = {17, 0, 255, 90, 161};
    const struct point *p = arg;
    int right = 0;
    for (int i = 0; i < 5; i++)
        right += p->at[i] == needle[i];
    theft_target(t, right);
    return found(right == 5);
}

/* Many hills: a bowl with 20^3 local maxima, none but one of them the highest. */
static enum theft_trial_res hills(struct theft *t, void *arg)
{
    static const double needle[3] = {40321, 7777, 23456};
    const struct point *p = arg;
    double value = 0;
    bool all = true;
    for (int i = 0; i < 3; i++) {
        double d = (double)p->at[i] - needle[i];
        value -= fabs(d) / 3000 + 4 * fabs(d / 3277 - round(d / 3277));
        all &= fabs(d) <= 2;
    }
    theft_target(t, value);
    return found(all);
}

static bool search(theft_propfun1 *property, struct kind kind, theft_seed seed, size_t guided,
                   size_t *trials)
{
    static struct theft_extension_report report;
    struct theft_type_info info = {.alloc = alloc,
                                   .free = theft_generic_free_cb,
                                   .autoshrink_config = {.enable = true},
                                   .env = &kind};
    struct theft_extension_config ext = {.target_trials = guided};
    struct theft_run_config cfg = {.prop1 = property,
                                   .type_info = {&info},
                                   .trials = BUDGET,
                                   .seed = seed,
                                   .hooks = {.trial_pre = theft_hook_first_fail_halt}};
    quieten(&cfg);
    enum theft_run_res res = theft_run_extended(&cfg, &ext, &report, NULL);
    const struct theft_run_report *r = &report.trials;
    *trials += r->pass + r->fail + r->skip + r->dup;
    return res == THEFT_RUN_FAIL;
}

static void measure(const char *name, theft_propfun1 *property, struct kind kind)
{
    size_t by_search = 0, by_luck = 0, trials = 0, ignored = 0;
    for (theft_seed seed = 1; seed <= SEEDS; seed++) {
        by_search += search(property, kind, seed, GUIDED, &trials);
        by_luck += search(property, kind, seed, 0, &ignored);
    }
    TAP_OK(by_search == SEEDS, "%s: found in %zu of %d runs, %zu trials on average", name,
           by_search, SEEDS, trials / SEEDS);
    TAP_OK(by_luck == 0, "%s: found by luck in %zu of %d runs", name, by_luck, SEEDS);
}

static enum theft_trial_res several(struct theft *t, void *arg)
{
    (void)arg;
    theft_target(t, 1);
    theft_target(t, 5);
    theft_target(t, 3);
    theft_target(t, NAN);
    return THEFT_TRIAL_PASS;
}

static size_t reported;

static enum theft_hook_trial_post_res
count_reports(const struct theft_hook_trial_post_info *info, void *env)
{
    double value;
    (void)env;
    reported += theft_target_get(info->t, &value);
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

TEST(target)
{
    measure("a slope over 2^48 points", slope, (struct kind){1, 48});
    measure("plateaus over 2^40 points", plateaus, (struct kind){5, 8});
    measure("8000 hills over 2^48 points", hills, (struct kind){3, 16});

    static struct theft_extension_report report;
    struct kind kind = {1, 48};
    struct theft_type_info info = {.alloc = alloc, .free = theft_generic_free_cb, .env = &kind};
    struct theft_extension_config ext = {.target_trials = 50};
    struct theft_run_config cfg = {.prop1 = slope,
                                   .type_info = {&info},
                                   .trials = 100,
                                   .hooks = {.trial_post = count_reports}};
    quieten(&cfg);
    TAP_OK(theft_run_extended(&cfg, &ext, &report, NULL) == THEFT_RUN_PASS && reported == 100 &&
               report.has_target && report.best_target < 0,
           "a type without choices is not guided, but its target is reported");
    cfg.prop1 = several;
    theft_run_extended(&cfg, NULL, &report, NULL);
    TAP_OK(report.best_target == 5 && report.best_trial == 0, "the largest of several targets");
    return 0;
}
