/* load.h -- properties from a shared object of the user, which may crash or hang.
 *
 * They are called like built-in ones until a worker dies. Then the trial is run again under
 * guard: in a process of its own, whose death is the outcome of the trial, so that it can be
 * shrunk, stored and replayed like any violation. */
#ifndef ATTEST_CAMPAIGN_LOAD_H
#define ATTEST_CAMPAIGN_LOAD_H

#include "campaign/property.h"

/* Identifies the shared object in the counterexamples of its properties. */
struct attest_object {
    char *path;
    char sha256[65];
};

typedef struct attest_load {
    attest_object object;
    size_t count;
    attest_property *property; /* its properties, each with the object */
} attest_load;

/* Opens the shared object at path, which stays open until the process ends, and copies the
 * properties that it names by ATTEST_LOAD. load is uninitialised. find returns existing
 * properties, whose names must not be used. Status: FORMAT (not such an object, or made for
 * another version; a property without gen or decide; a name that exists or that cannot be the
 * name of a file), IO, NOMEM; then nothing is left to clear. */
attest_status attest_load_open(attest_load *load, const char *path,
                               const attest_property *(*find)(const char *name),
                               attest_error *error) ATTEST_WARN_UNUSED;
void attest_load_clear(attest_load *load);

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
