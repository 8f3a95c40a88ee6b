/* What follows from the result of a trial: shrinking, counters, the closing hooks. */
#include "internal.h"
#include "shrink.h"

/* The end of a trial that did not fail. */
static enum theft_step close_trial(struct theft *t, struct theft_slot *slot,
                                   enum theft_trial_res result)
{
    return theft_hook_trial_post(t, slot, result, false) == THEFT_HOOK_TRIAL_POST_ERROR
               ? THEFT_STEP_ERROR
               : THEFT_STEP_OK;
}

/* The end of a run: the trial's hook hears of it, whatever it answers. */
static enum theft_step close_error(struct theft *t, struct theft_slot *slot,
                                   enum theft_step step)
{
    (void)theft_hook_trial_post(t, slot, THEFT_TRIAL_ERROR, false);
    return step;
}

/* After a failure the hook may ask to see the same arguments run again, any number of times. A
 * repetition that does not fail means that the property is not a function of its arguments. */
static enum theft_step close_failure(struct theft *t, struct theft_slot *slot)
{
    enum theft_hook_trial_post_res res =
        theft_hook_trial_post(t, slot, THEFT_TRIAL_FAIL, false);
    while (res == THEFT_HOOK_TRIAL_POST_REPEAT || res == THEFT_HOOK_TRIAL_POST_REPEAT_ONCE) {
        bool once = res == THEFT_HOOK_TRIAL_POST_REPEAT_ONCE;
        struct theft_outcome again = theft_call(t, slot->seed, slot->input.args);
        enum theft_trial_res result = (enum theft_trial_res)again.result;
        res = theft_hook_trial_post(t, slot, result, true);
        if (result != THEFT_TRIAL_FAIL) {
            fprintf(t->out,
                    "\nwarning: trial %zu failed, but its repetition is %s: the property "
                    "depends on more than its arguments\n",
                    slot->id, theft_trial_res_str(result));
            return THEFT_STEP_ERROR;
        }
        if (once && res != THEFT_HOOK_TRIAL_POST_ERROR)
            return THEFT_STEP_OK;
    }
    return res == THEFT_HOOK_TRIAL_POST_CONTINUE ? THEFT_STEP_OK : THEFT_STEP_ERROR;
}

static enum theft_step fail(struct theft *t, struct theft_slot *slot)
{
    if (slot->unconfirmed) {
        t->unconfirmed++;
        t->report.fail++;
        fprintf(t->out,
                "\nwarning: trial %zu (seed 0x%016" PRIx64 ") failed in a batch, not alone",
                slot->id, slot->seed);
        if (slot->together_from == SIZE_MAX)
            fprintf(t->out, ", and not again\n");
        else
            fprintf(t->out, ", but again after trials %zu to it\n", slot->together_from);
        return close_trial(t, slot, THEFT_TRIAL_FAIL);
    }
    if (t->deduplicate)
        theft_duplicates_add(&t->failed, slot->fingerprint);
    enum theft_step step = theft_shrink(t, slot);
    if (step != THEFT_STEP_OK) {
        theft_input_free_args(t, &slot->input);
        slot->state = THEFT_SLOT_EMPTY;
        return close_error(t, slot, step);
    }
    t->report.fail++;
    step = theft_hook_counterexample(t, slot);
    return step == THEFT_STEP_OK ? close_failure(t, slot) : step;
}

static void note_target(struct theft *t, const struct theft_slot *slot)
{
    const struct theft_outcome *o = &slot->outcome;
    if (o->has_target && (!t->has_target || o->target > t->best_target)) {
        t->has_target = true;
        t->best_target = o->target;
        t->best_trial = slot->id;
    }
}

enum theft_step theft_conclude(struct theft *t, struct theft_slot *slot)
{
    if (slot->state == THEFT_SLOT_SKIPPED) {
        t->report.skip++;
        return close_trial(t, slot, THEFT_TRIAL_SKIP);
    }
    if (slot->state == THEFT_SLOT_DUPLICATE) {
        t->report.dup++;
        return close_trial(t, slot, THEFT_TRIAL_DUP);
    }
    enum theft_trial_res result = (enum theft_trial_res)slot->outcome.result;
    if (result == THEFT_TRIAL_PASS || result == THEFT_TRIAL_FAIL) {
        theft_labels_count(t, &slot->outcome);
        note_target(t, slot);
        if (t->search)
            theft_search_observe(t, slot);
    }
    switch (result) {
    case THEFT_TRIAL_PASS:
        t->report.pass++;
        return close_trial(t, slot, result);
    case THEFT_TRIAL_SKIP:
        t->report.skip++;
        return close_trial(t, slot, result);
    case THEFT_TRIAL_FAIL:
        return fail(t, slot);
    default:
        return close_error(t, slot, THEFT_STEP_ERROR);
    }
}
