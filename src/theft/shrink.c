/* Shrinking: arguments with a shrink callback by its tactics, arguments that autoshrink by
 * their choices, in turn until neither makes progress. */
#include "shrink.h"

/* ---- An attempt: hooks, the call of the property, and known outcomes --------------------- */

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
    /* Tried for this counterexample, or as a trial that did not fail. */
    return theft_duplicates_add(&s->tried, f) ||
           (theft_duplicates_has(&t->tried, f) && !theft_duplicates_has(&t->failed, f));
}

/* ---- By the callback of a type: tactics in order, from the first after a success --------- */

/* Replaces the current argument by a candidate that still fails. */
static void adopt(struct theft_shrink *s, unsigned i, void *arg)
{
    theft_arg_free(s->t, i, s->slot->input.args[i]);
    s->slot->input.args[i] = arg;
    s->successes++;
    s->by_tactics++;
}

/* Calls the property on a candidate; returns whether it still fails. */
static bool test(struct theft_shrink *s, unsigned i, uint32_t tactic, void *arg)
{
    struct theft_input in = s->slot->input; /* shares choices and the other arguments */
    in.args[i] = arg;
    if (theft_shrink_known(s, &in))
        return false;
    return theft_shrink_still_fails(s, i, tactic, in.args);
}

/* Makes one attempt. Returns false if the argument has no more tactics. */
static bool attempt(struct theft_shrink *s, unsigned i, uint32_t tactic, bool *success)
{
    struct theft *t = s->t;
    const struct theft_type_info *info = t->cfg.type_info[i];
    void *current = s->slot->input.args[i], *arg = NULL;
    *success = false;
    if (theft_shrink_hook_pre(s, i, tactic) != THEFT_STEP_OK)
        return false;
    theft_source_fresh(&t->source, s->slot->seed + s->count, THEFT_STREAM_SHRINK, NULL);
    enum theft_shrink_res res = info->shrink(t, current, tactic, info->env, &arg);
    s->count++;
    if (res == THEFT_SHRINK_ERROR) {
        s->end = THEFT_STEP_ERROR;
        return false;
    }
    if (res != THEFT_SHRINK_OK) {
        bool done = res == THEFT_SHRINK_NO_MORE_TACTICS;
        s->failures++;
        theft_shrink_hook_post(s, i, tactic, current,
                               done ? THEFT_SHRINK_POST_DONE_SHRINKING
                                    : THEFT_SHRINK_POST_SHRINK_FAILED);
        return !done && s->end == THEFT_STEP_OK;
    }
    theft_shrink_hook_post(s, i, tactic, arg, THEFT_SHRINK_POST_SHRUNK);
    if (s->end == THEFT_STEP_OK && test(s, i, tactic, arg)) {
        adopt(s, i, arg);
        *success = true;
        return true;
    }
    theft_arg_free(t, i, arg);
    s->failures++;
    return s->end == THEFT_STEP_OK;
}

bool theft_shrink_tactics(struct theft_shrink *s, unsigned i)
{
    bool progress = false, success;
    uint32_t tactic = 0;
    while (attempt(s, i, tactic, &success)) {
        progress |= success;
        tactic = success ? 0 : tactic + 1;
    }
    return progress;
}

/* ---- Both in turn ------------------------------------------------------------------------ */

enum theft_step theft_shrink(struct theft *t, struct theft_slot *slot)
{
    struct theft_shrink s = {.t = t, .slot = slot};
    bool progress = true;
    if (t->deduplicate)
        theft_duplicates_add(&s.tried, slot->fingerprint);
    while (progress && s.end == THEFT_STEP_OK) {
        progress = theft_shrink_choices(&s);
        for (unsigned i = 0; i < t->arity && s.end == THEFT_STEP_OK; i++)
            if (t->cfg.type_info[i]->shrink)
                progress |= theft_shrink_tactics(&s, i);
    }
    if (s.end == THEFT_STEP_OK)
        theft_shrink_choices_done(&s);
    theft_choices_clear(&s.proposal);
    theft_choices_clear(&s.candidate.choices);
    theft_duplicates_clear(&s.tried);
    return s.end == THEFT_STEP_HALT ? THEFT_STEP_OK : s.end;
}
