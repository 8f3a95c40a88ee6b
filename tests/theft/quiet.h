/* Hooks that print nothing, for tests whose standard output is TAP. */
#ifndef TESTS_THEFT_QUIET_H
#define TESTS_THEFT_QUIET_H

#include <theft.h>

__attribute__((unused)) static enum theft_hook_run_pre_res
quiet_run_pre(const struct theft_hook_run_pre_info *info, void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_RUN_PRE_CONTINUE;
}

__attribute__((unused)) static enum theft_hook_run_post_res
quiet_run_post(const struct theft_hook_run_post_info *info, void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_RUN_POST_CONTINUE;
}

__attribute__((unused)) static enum theft_hook_trial_post_res
quiet_trial_post(const struct theft_hook_trial_post_info *info, void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

__attribute__((unused)) static enum theft_hook_counterexample_res
quiet_counterexample(const struct theft_hook_counterexample_info *info, void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_COUNTEREXAMPLE_CONTINUE;
}

/* Sets the hooks that are not set. */
__attribute__((unused)) static void quieten(struct theft_run_config *cfg)
{
    if (!cfg->hooks.run_pre)
        cfg->hooks.run_pre = quiet_run_pre;
    if (!cfg->hooks.run_post)
        cfg->hooks.run_post = quiet_run_post;
    if (!cfg->hooks.trial_post)
        cfg->hooks.trial_post = quiet_trial_post;
    if (!cfg->hooks.counterexample)
        cfg->hooks.counterexample = quiet_counterexample;
}

#endif
