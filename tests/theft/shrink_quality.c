/* How often shrinking reaches the true minimum, and at what cost: 200 seeds for each property
 * in each encoding. */
#include <string.h>

#include <theft.h>

#include "tests/tap.h"
#include "tests/theft/arrays.h"
#include "tests/theft/quiet.h"

#define SEEDS 200

struct result {
    struct array shrunk;
    bool failed;
    size_t calls;
};

static enum theft_hook_trial_post_res keep(const struct theft_hook_trial_post_info *info,
                                           void *env)
{
    struct result *r = env;
    if (info->result == THEFT_TRIAL_FAIL) {
        r->failed = true;
        r->shrunk = *(struct array *)info->args[0];
    }
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static enum theft_hook_shrink_trial_post_res
count(const struct theft_hook_shrink_trial_post_info *info, void *env)
{
    (void)info;
    ((struct result *)env)->calls++;
    return THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE;
}

static struct result shrink_one(const struct array_property *p, bool prefixed, theft_seed seed)
{
    struct array_kind kind = {prefixed, p->bits};
    struct theft_type_info info = {.alloc = array_alloc,
                                   .free = theft_generic_free_cb,
                                   .autoshrink_config = {.enable = true},
                                   .env = &kind};
    struct result r = {.failed = false};
    struct theft_run_config cfg = {.prop1 = p->property,
                                   .type_info = {&info},
                                   .trials = 10000,
                                   .seed = seed,
                                   .hooks = {.trial_pre = theft_hook_first_fail_halt,
                                             .trial_post = keep,
                                             .shrink_trial_post = count,
                                             .env = &r}};
    quieten(&cfg);
    if (theft_run(&cfg) != THEFT_RUN_FAIL)
        r.failed = false;
    return r;
}

static bool is_smallest(const struct result *r, const struct array_property *p)
{
    return r->failed && r->shrunk.count == p->smallest.count &&
           memcmp(r->shrunk.at, p->smallest.at, p->smallest.count * sizeof *p->smallest.at) ==
               0;
}

static void measure(const struct array_property *p, bool prefixed, theft_seed seed)
{
    size_t smallest = 0, calls = 0, most = 0;
    for (size_t i = 0; i < SEEDS; i++) {
        struct result r = shrink_one(p, prefixed, seed + i);
        smallest += is_smallest(&r, p);
        calls += r.calls;
        if (r.calls > most)
            most = r.calls;
        if (!is_smallest(&r, p)) {
            printf("# seed %llu:", (unsigned long long)(seed + i));
            for (size_t k = 0; k < r.shrunk.count; k++)
                printf(" %u", r.shrunk.at[k]);
            printf("\n");
        }
    }
    TAP_OK(smallest * 100 >= SEEDS * 99,
           "%s, %s: %zu of %d minimal, %.0f calls on average, %zu at most", p->name,
           prefixed ? "length first" : "continuation bits", smallest, SEEDS,
           (double)calls / SEEDS, most);
}

TEST(shrink_quality)
{
    theft_seed seed = tap_seed(1);
    for (size_t i = 0; i < ARRAY_PROPERTIES; i++)
        for (int prefixed = 0; prefixed < 2; prefixed++)
            measure(&array_properties[i], prefixed, seed);
    return 0;
}
