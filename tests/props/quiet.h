/* quiet.h -- draws instances of a property without printing: standard output is for TAP. */
#ifndef ATTEST_TESTS_QUIET_H
#define ATTEST_TESTS_QUIET_H

#include <stdlib.h>

#include "campaign/property.h"

typedef void quiet_check(const attest_instance *instance, void *env);

typedef struct quiet {
    const attest_property *property;
    const attest_setting *setting;
    quiet_check *check;
    void *env;
    bool failed;
} quiet;

static enum theft_alloc_res quiet_alloc(struct theft *t, void *env, void **output)
{
    quiet *q = env;
    attest_instance *instance = malloc(sizeof *instance);

    if (!instance)
        return THEFT_ALLOC_ERROR;
    attest_instance_init(instance);
    q->failed = q->failed || q->property->gen(instance, t, q->setting) != ATTEST_OK;
    *output = instance;
    return THEFT_ALLOC_OK;
}

static void quiet_free(void *instance, void *env)
{
    (void)env;
    attest_instance_clear(instance);
    free(instance);
}

static enum theft_trial_res quiet_call(struct theft *t, void *argument)
{
    quiet *q = theft_hook_get_env(t);

    if (!q->failed)
        q->check(argument, q->env);
    return THEFT_TRIAL_PASS;
}

static enum theft_hook_run_pre_res quiet_before(const struct theft_hook_run_pre_info *info,
                                                void *env)
{
    (void)info, (void)env;
    return THEFT_HOOK_RUN_PRE_CONTINUE;
}

static enum theft_hook_run_post_res quiet_after(const struct theft_hook_run_post_info *info,
                                                void *env)
{
    (void)info, (void)env;
    return THEFT_HOOK_RUN_POST_CONTINUE;
}

static enum theft_hook_trial_post_res
quiet_after_trial(const struct theft_hook_trial_post_info *info, void *env)
{
    (void)info, (void)env;
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

/* Calls check with each of `trials` generated instances; returns false if one cannot be
 * generated. */
static inline bool quiet_run(const attest_property *property, const attest_setting *setting,
                             quiet_check *check, void *env, theft_seed seed, size_t trials)
{
    quiet q = {property, setting, check, env, false};
    struct theft_type_info info = {.alloc = quiet_alloc, .free = quiet_free, .env = &q};
    struct theft_run_config config = {.name = property->name,
                                      .prop1 = quiet_call,
                                      .type_info = {&info},
                                      .trials = trials,
                                      .seed = seed,
                                      .hooks = {.run_pre = quiet_before,
                                                .run_post = quiet_after,
                                                .trial_post = quiet_after_trial,
                                                .env = &q}};

    return theft_run(&config) == THEFT_RUN_PASS && !q.failed;
}

#endif
