/* One call of the property in a child process of its own. */
#include "internal.h"
#include "child.h"

static _Noreturn void run_child(struct theft *t, struct theft_child *c, theft_seed seed,
                                void **args)
{
    struct theft_outcome *o = &t->shared->outcome;
    if (theft_hook_fork_post(t, args) == THEFT_STEP_OK)
        theft_call_here(t, seed, args, o);
    else
        o->result = THEFT_TRIAL_ERROR;
    theft_child_leave(c, o->result,
                      o->result == THEFT_TRIAL_PASS ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* What the child's end means. The result comes through the pipe: memory that a stray pointer
 * can reach is good enough for labels only. */
static uint8_t judge(struct theft *t, struct theft_child *c)
{
    uint8_t report = THEFT_TRIAL_FAIL;
    switch (theft_child_await(c, t->cfg.fork.timeout, &report)) {
    case THEFT_CHILD_REPORTED:
        theft_child_reap(c, 0);
        return report <= THEFT_TRIAL_ERROR && report != THEFT_TRIAL_DUP ? report
                                                                        : THEFT_TRIAL_ERROR;
    case THEFT_CHILD_DIED:
        theft_child_reap(c, t->cfg.fork.timeout);
        return THEFT_TRIAL_FAIL;
    default:
        t->shared->outcome.late = true;
        return theft_child_stop(c, t->cfg.fork.signal, t->cfg.fork.exit_timeout)
                   ? THEFT_TRIAL_PASS
                   : THEFT_TRIAL_FAIL;
    }
}

struct theft_outcome theft_call_forked(struct theft *t, theft_seed seed, void **args)
{
    struct theft_child c;
    struct theft_outcome *o = &t->shared->outcome;
    theft_outcome_start(t->shared, o);
    switch (theft_child_start(&c)) {
    case THEFT_CHILD_IS_CHILD:
        run_child(t, &c, seed, args);
    case THEFT_CHILD_IS_PARENT:
        o->result = judge(t, &c);
        break;
    default:
        o->result = THEFT_TRIAL_ERROR;
    }
    return *o;
}
