/* Calling the property. */
#include "internal.h"

static enum theft_trial_res call_property(struct theft *t, void **a)
{
    const struct theft_run_config *c = &t->cfg;
    switch (t->arity) {
    case 1:
        return c->prop1(t, a[0]);
    case 2:
        return c->prop2(t, a[0], a[1]);
    case 3:
        return c->prop3(t, a[0], a[1], a[2]);
    case 4:
        return c->prop4(t, a[0], a[1], a[2], a[3]);
    case 5:
        return c->prop5(t, a[0], a[1], a[2], a[3], a[4]);
    case 6:
        return c->prop6(t, a[0], a[1], a[2], a[3], a[4], a[5]);
    case 7:
        return c->prop7(t, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    default:
        return THEFT_TRIAL_ERROR;
    }
}

void theft_call_here(struct theft *t, theft_seed seed, void **args, struct theft_outcome *o)
{
    theft_outcome_start(t->shared, o);
    /* A property that draws sees the same draws whenever it is called for this trial. */
    theft_source_fresh(&t->source, seed, THEFT_STREAM_PROPERTY, NULL);
    enum theft_trial_res res = call_property(t, args);
    /* Only the engine may call something a duplicate. */
    o->result = (unsigned)res <= THEFT_TRIAL_SKIP ? (uint8_t)res : THEFT_TRIAL_ERROR;
    o->done = true;
}

struct theft_outcome theft_call(struct theft *t, theft_seed seed, void **args)
{
    t->property_calls++;
    if (t->cfg.fork.enable)
        return theft_call_forked(t, seed, args);
    theft_call_here(t, seed, args, &t->shared->outcome);
    return t->shared->outcome;
}
