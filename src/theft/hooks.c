/* Calls of the hooks of a run. A hook that is not set has the default of the API. */
#include "internal.h"

enum theft_step theft_hook_run_pre(struct theft *t)
{
    theft_hook_run_pre_cb *hook = t->cfg.hooks.run_pre;
    struct theft_hook_run_pre_info info = {
        .prop_name = t->cfg.name, .total_trials = t->cfg.trials, .run_seed = t->cfg.seed};
    return (hook ? hook : theft_hook_run_pre_print_info)(&info, t->cfg.hooks.env) ==
                   THEFT_HOOK_RUN_PRE_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_step theft_hook_run_post(struct theft *t)
{
    theft_hook_run_post_cb *hook = t->cfg.hooks.run_post;
    struct theft_hook_run_post_info info = {.prop_name = t->cfg.name,
                                            .total_trials = t->cfg.trials,
                                            .run_seed = t->cfg.seed,
                                            .report = t->report};
    return (hook ? hook : theft_hook_run_post_print_info)(&info, t->cfg.hooks.env) ==
                   THEFT_HOOK_RUN_POST_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_step theft_hook_gen_args_pre(struct theft *t, const struct theft_slot *slot)
{
    if (!t->cfg.hooks.gen_args_pre)
        return THEFT_STEP_OK;
    struct theft_hook_gen_args_pre_info info = {.prop_name = t->cfg.name,
                                                .total_trials = t->cfg.trials,
                                                .trial_id = slot->id,
                                                .failures = t->report.fail,
                                                .run_seed = t->cfg.seed,
                                                .trial_seed = slot->seed,
                                                .arity = t->arity};
    switch (t->cfg.hooks.gen_args_pre(&info, t->cfg.hooks.env)) {
    case THEFT_HOOK_GEN_ARGS_PRE_CONTINUE:
        return THEFT_STEP_OK;
    case THEFT_HOOK_GEN_ARGS_PRE_HALT:
        return THEFT_STEP_HALT;
    default:
        return THEFT_STEP_ERROR;
    }
}

enum theft_step theft_hook_trial_pre(struct theft *t, struct theft_slot *slot)
{
    if (!t->cfg.hooks.trial_pre)
        return THEFT_STEP_OK;
    struct theft_hook_trial_pre_info info = {.prop_name = t->cfg.name,
                                             .total_trials = t->cfg.trials,
                                             .trial_id = slot->id,
                                             .failures = t->report.fail,
                                             .run_seed = t->cfg.seed,
                                             .trial_seed = slot->seed,
                                             .arity = t->arity,
                                             .args = slot->input.args};
    switch (t->cfg.hooks.trial_pre(&info, t->cfg.hooks.env)) {
    case THEFT_HOOK_TRIAL_PRE_CONTINUE:
        return THEFT_STEP_OK;
    case THEFT_HOOK_TRIAL_PRE_HALT:
        return THEFT_STEP_HALT;
    default:
        return THEFT_STEP_ERROR;
    }
}

enum theft_step theft_hook_fork_post(struct theft *t, void **args)
{
    if (!t->cfg.hooks.fork_post)
        return THEFT_STEP_OK;
    struct theft_hook_fork_post_info info = {.t = t,
                                             .prop_name = t->cfg.name,
                                             .total_trials = t->cfg.trials,
                                             .failures = t->report.fail,
                                             .run_seed = t->cfg.seed,
                                             .arity = t->arity,
                                             .args = args};
    return t->cfg.hooks.fork_post(&info, t->cfg.hooks.env) == THEFT_HOOK_FORK_POST_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_step theft_hook_counterexample(struct theft *t, struct theft_slot *slot)
{
    theft_hook_counterexample_cb *hook = t->cfg.hooks.counterexample;
    struct theft_hook_counterexample_info info = {
        .t = t,
        .prop_name = t->cfg.name,
        .total_trials = t->cfg.trials,
        .trial_id = slot->id,
        .trial_seed = slot->seed,
        .arity = t->arity,
        /* They are writable in the API, and belong to the caller. */
        .type_info = (struct theft_type_info **)t->cfg.type_info,
        .args = slot->input.args};
    t->shown = &slot->input;
    return (hook ? hook : theft_print_counterexample)(&info, t->cfg.hooks.env) ==
                   THEFT_HOOK_COUNTEREXAMPLE_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_hook_trial_post_res theft_hook_trial_post(struct theft *t, struct theft_slot *slot,
                                                     enum theft_trial_res result, bool repeat)
{
    theft_hook_trial_post_cb *hook = t->cfg.hooks.trial_post;
    void *env = t->cfg.hooks.env;
    if (!hook || hook == theft_hook_trial_post_print_result) {
        hook = theft_hook_trial_post_print_result;
        env = &t->print_env;
    }
    struct theft_hook_trial_post_info info = {.t = t,
                                              .prop_name = t->cfg.name,
                                              .total_trials = t->cfg.trials,
                                              .trial_id = slot->id,
                                              .failures = t->report.fail,
                                              .run_seed = t->cfg.seed,
                                              .trial_seed = slot->seed,
                                              .arity = t->arity,
                                              .args = slot->input.args,
                                              .result = result,
                                              .repeat = repeat};
    t->current = slot;
    return hook(&info, env);
}
