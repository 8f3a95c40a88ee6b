/* Shrinking by a type's own callback: tactics in order, from the first again after a success.
 */
#include "shrink.h"

/* Puts a candidate that still fails in the place of the current argument. */
static void adopt(struct theft_shrink *s, unsigned i, void *arg)
{
    theft_arg_free(s->t, i, s->slot->input.args[i]);
    s->slot->input.args[i] = arg;
    s->successes++;
    s->by_tactics++;
}

/* The property's view of a candidate; true when it still fails. */
static bool test(struct theft_shrink *s, unsigned i, uint32_t tactic, void *arg)
{
    struct theft_input in = s->slot->input; /* shares choices and the other arguments */
    in.args[i] = arg;
    if (theft_shrink_known(s, &in))
        return false;
    return theft_shrink_still_fails(s, i, tactic, in.args);
}

/* One attempt. Returns false when this argument has nothing more to offer. */
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
