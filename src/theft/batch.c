/* Many isolated trials in one child process.
 *
 * The child runs the batch and writes each outcome into shared memory. When it dies or hangs,
 * the slots it finished keep their outcomes, the one it was at is tried alone, and the rest
 * goes into a new child. Every failure is confirmed alone, in a child of its own. One that does
 * not fail alone depends on what ran before it: bisection finds the last trial from which on
 * the range still fails, and the trial is reported as unconfirmed. */
#include "internal.h"
#include "child.h"

static _Noreturn void run_child(struct theft *t, struct theft_child *c, size_t first,
                                size_t end)
{
    struct theft_shared *s = t->shared;
    bool ready = false;
    for (size_t i = first; i < end; i++) {
        struct theft_slot *slot = &t->slots[i];
        s->running = i;
        if (slot->state != THEFT_SLOT_READY)
            continue;
        if (!ready && theft_hook_fork_post(t, slot->input.args) != THEFT_STEP_OK)
            break; /* what is not done counts as an error */
        ready = true;
        theft_call_here(t, slot->seed, slot->input.args, &s->batch[i]);
        if (s->batch[i].result == THEFT_TRIAL_ERROR)
            break;
    }
    s->running = end;
    theft_child_leave(c, 0, EXIT_SUCCESS);
}

/* Whether the child came to the end; it is late when a single trial takes longer than the
 * timeout, seen between one and two timeouts after that trial began. */
static bool watch(struct theft *t, struct theft_child *c)
{
    uint8_t report;
    for (;;) {
        size_t running = t->shared->running;
        switch (theft_child_await(c, t->cfg.fork.timeout, &report)) {
        case THEFT_CHILD_REPORTED:
            theft_child_reap(c, 0);
            return true;
        case THEFT_CHILD_DIED:
            theft_child_reap(c, t->cfg.fork.timeout);
            return false;
        default:
            if (t->shared->running != running)
                continue;
            (void)theft_child_stop(c, t->cfg.fork.signal, t->cfg.fork.exit_timeout);
            return false;
        }
    }
}

/* Runs the slots [first, end) in one child. Returns the slot at which it died or hung, or `end`
 * when it did not, or could not be started (nothing is done then). */
static size_t run_range(struct theft *t, size_t first, size_t end)
{
    struct theft_child c;
    for (size_t i = first; i < end; i++)
        memset(&t->shared->batch[i], 0, sizeof t->shared->batch[i]);
    t->shared->running = first;
    switch (theft_child_start(&c)) {
    case THEFT_CHILD_IS_CHILD:
        run_child(t, &c, first, end);
    case THEFT_CHILD_IS_PARENT:
        if (watch(t, &c))
            return end;
        break;
    default:
        return end;
    }
    /* The first that is not done, whatever a dying child left in `running`. */
    for (size_t i = first; i < end; i++)
        if (t->slots[i].state == THEFT_SLOT_READY && !t->shared->batch[i].done)
            return i;
    return end;
}

/* Slot `i` failed in the range from `first` on, and not alone: finds the largest a such that
 * the range [a, i] fails again. */
static size_t bisect(struct theft *t, size_t first, size_t i)
{
    if (run_range(t, first, i + 1) > i && t->shared->batch[i].result != THEFT_TRIAL_FAIL)
        return SIZE_MAX;
    size_t fails = first, passes = i;
    while (passes - fails > 1) {
        size_t middle = fails + (passes - fails) / 2;
        size_t at = run_range(t, middle, i + 1);
        if (at <= i || t->shared->batch[i].result == THEFT_TRIAL_FAIL)
            fails = middle;
        else
            passes = middle;
    }
    return t->slots[fails].id;
}

static void confirm(struct theft *t, size_t first, size_t i)
{
    struct theft_slot *slot = &t->slots[i];
    t->property_calls++;
    slot->outcome = theft_call_forked(t, slot->seed, slot->input.args);
    if (slot->outcome.late) /* the API has a word for that: what the child left with counts */
        return;
    if (slot->outcome.result == THEFT_TRIAL_PASS || slot->outcome.result == THEFT_TRIAL_SKIP) {
        slot->unconfirmed = true;
        slot->together_from = bisect(t, first, i);
        slot->outcome.result = THEFT_TRIAL_FAIL;
    }
}

/* Takes over the outcomes of the finished slots [first, end). */
static void accept(struct theft *t, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct theft_slot *slot = &t->slots[i];
        slot->outcome = t->shared->batch[i];
        t->property_calls += slot->outcome.done;
        if (slot->state == THEFT_SLOT_READY &&
            (!slot->outcome.done || slot->outcome.result > THEFT_TRIAL_SKIP))
            slot->outcome.result = THEFT_TRIAL_ERROR;
    }
}

void theft_batch_call(struct theft *t, size_t count)
{
    for (size_t first = 0; first < count;) {
        size_t end = run_range(t, first, count);
        accept(t, first, end);
        for (size_t i = first; i < end; i++)
            if (t->slots[i].state == THEFT_SLOT_READY &&
                t->slots[i].outcome.result == THEFT_TRIAL_FAIL)
                confirm(t, first, i);
        if (end < count)
            confirm(t, first, end);
        first = end + 1;
    }
}
