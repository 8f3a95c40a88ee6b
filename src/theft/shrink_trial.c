/* The part of a shrinking attempt that is the same for tactics and for choices: hooks, the call
 * of the property, and what is known already. */
#include "shrink.h"

enum theft_step theft_shrink_hook_pre(struct theft_shrink *s, unsigned i, uint32_t tactic)
{
    struct theft *t = s->t;
    if (!t->cfg.hooks.shrink_pre)
        return THEFT_STEP_OK;
    struct theft_hook_shrink_pre_info info = {.prop_name = t->cfg.name,
                                              .total_trials = t->cfg.trials,
                                              .trial_id = s->slot->id,
                                              .failures = t->report.fail,
                                              .run_seed = t->cfg.seed,
                                              .trial_seed = s->slot->seed,
                                              .arity = t->arity,
                                              .shrink_count = s->count,
                                              .successful_shrinks = s->successes,
                                              .failed_shrinks = s->failures,
                                              .arg_index = (uint8_t)i,
                                              .arg = s->slot->input.args[i],
                                              .tactic = tactic};
    switch (t->cfg.hooks.shrink_pre(&info, t->cfg.hooks.env)) {
    case THEFT_HOOK_SHRINK_PRE_CONTINUE:
        return THEFT_STEP_OK;
    case THEFT_HOOK_SHRINK_PRE_HALT:
        return s->end = THEFT_STEP_HALT;
    default:
        return s->end = THEFT_STEP_ERROR;
    }
}

enum theft_step theft_shrink_hook_post(struct theft_shrink *s, unsigned i, uint32_t tactic,
                                       void *arg, enum theft_shrink_post_state state)
{
    struct theft *t = s->t;
    if (!t->cfg.hooks.shrink_post)
        return THEFT_STEP_OK;
    struct theft_hook_shrink_post_info info = {.prop_name = t->cfg.name,
                                               .total_trials = t->cfg.trials,
                                               .trial_id = s->slot->id,
                                               .run_seed = t->cfg.seed,
                                               .trial_seed = s->slot->seed,
                                               .arity = t->arity,
                                               .shrink_count = s->count,
                                               .successful_shrinks = s->successes,
                                               .failed_shrinks = s->failures,
                                               .arg_index = (uint8_t)i,
                                               .arg = arg,
                                               .tactic = tactic,
                                               .state = state};
    if (t->cfg.hooks.shrink_post(&info, t->cfg.hooks.env) != THEFT_HOOK_SHRINK_POST_CONTINUE)
        s->end = THEFT_STEP_ERROR;
    return s->end;
}

static enum theft_hook_shrink_trial_post_res trial_post(struct theft_shrink *s, unsigned i,
                                                        uint32_t tactic, void **args,
                                                        enum theft_trial_res result)
{
    struct theft *t = s->t;
    if (!t->cfg.hooks.shrink_trial_post)
        return THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE;
    struct theft_hook_shrink_trial_post_info info = {.prop_name = t->cfg.name,
                                                     .total_trials = t->cfg.trials,
                                                     .trial_id = s->slot->id,
                                                     .failures = t->report.fail,
                                                     .run_seed = t->cfg.seed,
                                                     .trial_seed = s->slot->seed,
                                                     .arity = t->arity,
                                                     .shrink_count = s->count,
                                                     .successful_shrinks = s->successes,
                                                     .failed_shrinks = s->failures,
                                                     .arg_index = (uint8_t)i,
                                                     .args = args,
                                                     .tactic = tactic,
                                                     .result = result};
    return t->cfg.hooks.shrink_trial_post(&info, t->cfg.hooks.env);
}

bool theft_shrink_still_fails(struct theft_shrink *s, unsigned i, uint32_t tactic, void **args)
{
    bool again = false, once = false;
    for (;;) {
        struct theft_outcome o = theft_call(s->t, s->slot->seed, args);
        enum theft_trial_res result = (enum theft_trial_res)o.result;
        bool fails = result == THEFT_TRIAL_FAIL;
        enum theft_hook_shrink_trial_post_res res = trial_post(s, i, tactic, args, result);
        if (result == THEFT_TRIAL_ERROR || res == THEFT_HOOK_SHRINK_TRIAL_POST_ERROR ||
            (again && !fails)) {
            s->end = THEFT_STEP_ERROR;
            return false;
        }
        if (!fails || once || res == THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE)
            return fails;
        again = true;
        once = res == THEFT_HOOK_SHRINK_TRIAL_POST_REPEAT_ONCE;
    }
}

bool theft_shrink_known(struct theft_shrink *s, const struct theft_input *in)
{
    struct theft *t = s->t;
    if (!t->deduplicate)
        return false;
    struct theft_fingerprint f = theft_input_fingerprint(t, in);
    /* Tried for this counterexample; or as a trial, and it did not fail then. */
    return theft_duplicates_add(&s->tried, f) ||
           (theft_duplicates_has(&t->tried, f) && !theft_duplicates_has(&t->failed, f));
}
