/* Configurations: arity, bad ones, seeds, repetitions. */
#include <string.h>

#include <theft.h>
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

static size_t sum;

static enum theft_alloc_res alloc(struct theft *t, void *env, void **output)
{
    static size_t values[THEFT_MAX_ARITY] = {1, 2, 4, 8, 16, 32, 64};
    (void)t;
    *output = &values[(size_t)env];
    return THEFT_ALLOC_OK;
}

#define V(x) (*(size_t *)(x))
static enum theft_trial_res prop1(struct theft *t, void *a)
{
    (void)t;
    sum = V(a);
    return THEFT_TRIAL_PASS;
}
static enum theft_trial_res prop2(struct theft *t, void *a, void *b)
{
    (void)t;
    sum = V(a) + V(b) * 2;
    return THEFT_TRIAL_PASS;
}
static enum theft_trial_res prop3(struct theft *t, void *a, void *b, void *c)
{
    prop2(t, a, b);
    sum += V(c) * 3;
    return THEFT_TRIAL_PASS;
}
static enum theft_trial_res prop4(struct theft *t, void *a, void *b, void *c, void *d)
{
    prop3(t, a, b, c);
    sum += V(d) * 4;
    return THEFT_TRIAL_PASS;
}
static enum theft_trial_res prop5(struct theft *t, void *a, void *b, void *c, void *d, void *e)
{
    prop4(t, a, b, c, d);
    sum += V(e) * 5;
    return THEFT_TRIAL_PASS;
}
static enum theft_trial_res prop6(struct theft *t, void *a, void *b, void *c, void *d, void *e,
                                  void *f)
{
    prop5(t, a, b, c, d, e);
    sum += V(f) * 6;
    return THEFT_TRIAL_PASS;
}
static enum theft_trial_res prop7(struct theft *t, void *a, void *b, void *c, void *d, void *e,
                                  void *f, void *g)
{
    prop6(t, a, b, c, d, e, f);
    sum += V(g) * 7;
    return THEFT_TRIAL_PASS;
}

static void test_arity(void)
{
    struct theft_type_info infos[THEFT_MAX_ARITY];
    memset(infos, 0, sizeof infos);
    size_t expected = 0;
    for (size_t n = 1; n <= THEFT_MAX_ARITY; n++) {
        struct theft_run_config cfg = {.trials = 1};
        for (size_t i = 0; i < n; i++) {
            infos[i].alloc = alloc;
            infos[i].env = (void *)i;
            cfg.type_info[i] = &infos[i];
        }
        expected += ((size_t)1 << (n - 1)) * n;
        quieten(&cfg);
        TAP_OK(theft_run(&cfg) == THEFT_RUN_ERROR_BAD_ARGS, "arity %zu without its property",
               n);
        cfg.prop1 = prop1, cfg.prop2 = prop2, cfg.prop3 = prop3, cfg.prop4 = prop4;
        cfg.prop5 = prop5, cfg.prop6 = prop6, cfg.prop7 = prop7;
        TAP_OK(theft_run(&cfg) == THEFT_RUN_PASS && sum == expected, "arity %zu", n);
    }
}

static enum theft_shrink_res no_shrink(struct theft *t, const void *i, uint32_t tactic,
                                       void *env, void **output)
{
    (void)t, (void)i, (void)tactic, (void)env, (void)output;
    return THEFT_SHRINK_NO_MORE_TACTICS;
}

static void test_bad(void)
{
    struct theft_type_info both = {
        .alloc = alloc, .shrink = no_shrink, .autoshrink_config = {.enable = true}};
    struct theft_type_info none = {.shrink = no_shrink};
    struct theft_run_config cfg = {.prop1 = prop1};
    TAP_OK(theft_run(NULL) == THEFT_RUN_ERROR_BAD_ARGS, "no configuration");
    TAP_OK(theft_run(&cfg) == THEFT_RUN_ERROR_BAD_ARGS, "no types");
    cfg.type_info[0] = &both;
    TAP_OK(theft_run(&cfg) == THEFT_RUN_ERROR_BAD_ARGS, "shrink and autoshrink");
    cfg.type_info[0] = &none;
    TAP_OK(theft_run(&cfg) == THEFT_RUN_ERROR_BAD_ARGS, "no alloc");
}

struct seeds {
    theft_seed at[16];
    size_t count;
    size_t total;
};

static enum theft_hook_gen_args_pre_res
keep_seed(const struct theft_hook_gen_args_pre_info *info, void *env)
{
    struct seeds *s = env;
    if (s->count < 16)
        s->at[s->count] = info->trial_seed;
    s->count++;
    s->total = info->total_trials;
    return THEFT_HOOK_GEN_ARGS_PRE_CONTINUE;
}

static struct seeds seeds_of(theft_seed seed, size_t trials, theft_seed *always, size_t count)
{
    struct seeds s = {.count = 0};
    struct theft_type_info info = {.alloc = alloc};
    struct theft_run_config cfg = {.prop1 = prop1,
                                   .type_info = {&info},
                                   .seed = seed,
                                   .trials = trials,
                                   .always_seed_count = count,
                                   .always_seeds = always,
                                   .hooks = {.gen_args_pre = keep_seed, .env = &s}};
    quieten(&cfg);
    theft_run(&cfg);
    return s;
}

static void test_seeds(void)
{
    theft_seed always[3] = {5, 0, 7};
    struct seeds s = seeds_of(42, 6, always, 3);
    TAP_OK(s.count == 6 && s.at[0] == 5 && s.at[1] == 0 && s.at[2] == 7,
           "always_seeds come first");
    TAP_OK(s.at[3] == 42, "then the run's own seed");
    TAP_OK(s.at[4] == theft_trial_seed(42, 1) && s.at[5] == theft_trial_seed(42, 2),
           "then those of trials 1 and 2, independent of earlier ones");
    s = seeds_of(42, 2, always, 3);
    TAP_OK(s.count == 2 && s.at[1] == 0, "always_seeds count as trials");
    s = seeds_of(0, 0, NULL, 0);
    TAP_OK(s.count == THEFT_DEF_TRIALS && s.total == 100, "0 trials: the default");
    TAP_OK(s.at[0] == UINT64_C(0xa600d64b175eed), "seed 0: the fixed one");
    bool distinct = true;
    for (size_t i = 0; i < 16; i++)
        for (size_t j = 0; j < i; j++)
            distinct &= s.at[i] != s.at[j];
    TAP_OK(distinct, "seeds of trials differ");
}

struct repeat {
    enum theft_hook_trial_post_res answer;
    size_t most, calls, repeats, property_calls;
    bool pass_later;
};

static enum theft_trial_res fails(struct theft *t, void *arg)
{
    struct repeat *r = theft_hook_get_env(t);
    (void)arg;
    return r->property_calls++ && r->pass_later ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
}

static enum theft_hook_trial_post_res repeat(const struct theft_hook_trial_post_info *info,
                                             void *env)
{
    struct repeat *r = env;
    r->repeats += info->repeat;
    return r->calls++ < r->most ? r->answer : THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static enum theft_run_res run_repeat(struct repeat *r, theft_propfun1 *property)
{
    struct theft_type_info info = {.alloc = alloc};
    struct theft_run_config cfg = {.prop1 = property,
                                   .type_info = {&info},
                                   .trials = 1,
                                   .hooks = {.trial_post = repeat, .env = r}};
    quieten(&cfg);
    return theft_run(&cfg);
}

static void test_repeat(void)
{
    struct repeat r = {.answer = THEFT_HOOK_TRIAL_POST_REPEAT, .most = 5};
    TAP_OK(run_repeat(&r, fails) == THEFT_RUN_FAIL && r.property_calls == 6 && r.repeats == 5,
           "REPEAT goes on while a hook returns it");
    r = (struct repeat){.answer = THEFT_HOOK_TRIAL_POST_REPEAT_ONCE, .most = 5};
    TAP_OK(run_repeat(&r, fails) == THEFT_RUN_FAIL && r.property_calls == 2 && r.calls == 2,
           "REPEAT_ONCE repeats once");
    r = (struct repeat){
        .answer = THEFT_HOOK_TRIAL_POST_REPEAT_ONCE, .most = 1, .pass_later = true};
    fflush(stdout);
    printf("# a warning is due:");
    TAP_OK(run_repeat(&r, fails) == THEFT_RUN_ERROR && r.repeats == 1,
           "a repetition that passes is an error");
    r = (struct repeat){.answer = THEFT_HOOK_TRIAL_POST_REPEAT, .most = 5};
    TAP_OK(run_repeat(&r, prop1) == THEFT_RUN_PASS && r.calls == 1,
           "REPEAT of a pass is ignored");
}

TEST(config)
{
    test_arity();
    test_bad();
    test_seeds();
    test_repeat();
    return 0;
}
