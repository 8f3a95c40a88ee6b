/* guard.h -- calls of properties that may crash or hang, each in a process of its own.
 *
 * Loaded properties are called like built-in ones until a worker dies. Then the trial is run
 * again under guard, which turns the death into the outcome of the trial: it can be shrunk,
 * stored and replayed like any violation. */
#ifndef ATTEST_CAMPAIGN_GUARD_H
#define ATTEST_CAMPAIGN_GUARD_H

#include "campaign/property.h"

typedef struct attest_guard {
    const attest_property *property;
    const attest_setting *setting;
    double seconds;          /* for a call; 0: no limit */
    void (*beat)(void *env); /* is called regularly during a call; may be NULL */
    void *env;
} attest_guard;

/* Decides the instance. A process that is killed by a signal or exits violates "crash", one
 * that does not return in time violates "hang", one without memory leaves the trial open.
 * Status: NOMEM; IO (a process cannot be started). */
attest_status attest_guard_decide(const attest_guard *guard, attest_trial *trial,
                                  const attest_instance *instance,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether the generator returns when it draws from t. Draws nothing from the caller's
 * t. */
bool attest_guard_may_gen(const attest_guard *guard, struct theft *t);

#endif
