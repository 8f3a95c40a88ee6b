/* guard.h -- calls into a property that may crash or hang, each in a process of its own.
 *
 * Properties of a user's own are called like any other as long as nothing happens. A trial at
 * which a worker died is run again under guard: what was a death is then the outcome of the
 * trial, which can be shrunk, stored and replayed like any violation. */
#ifndef ATTEST_CAMPAIGN_GUARD_H
#define ATTEST_CAMPAIGN_GUARD_H

#include "campaign/property.h"

typedef struct attest_guard {
    const attest_property *property;
    const attest_setting *setting;
    double seconds;          /* for a call; 0: no limit */
    void (*beat)(void *env); /* is called while a call goes on; may be NULL */
    void *env;
} attest_guard;

/* What decide says. A process that dies of a signal or leaves is a violation "crash", one that
 * has no answer in time a violation "hang", one without memory leaves the trial open. Status:
 * NOMEM; IO (there is no process to be had). */
attest_status attest_guard_decide(const attest_guard *guard, attest_trial *trial,
                                  const attest_instance *instance,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Whether gen comes back when it draws from t, from which nothing is drawn here. */
bool attest_guard_may_gen(const attest_guard *guard, struct theft *t);

#endif
