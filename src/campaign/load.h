/* load.h -- properties from a shared object of the user's. */
#ifndef ATTEST_CAMPAIGN_LOAD_H
#define ATTEST_CAMPAIGN_LOAD_H

#include "campaign/property.h"

/* A shared object: which, for a file that was found by one of its properties. */
struct attest_object {
    char *path;
    char sha256[65];
};

typedef struct attest_load {
    attest_object object;
    size_t count;
    attest_property *property; /* its properties, each with the object */
} attest_load;

/* Opens the shared object at path and takes the properties that it names by ATTEST_LOAD; it
 * stays open until the process ends. load is uninitialised. taken: the name of a property that
 * is there already, or NULL. Status: FORMAT (no such object, made for another version, a
 * property without a name, a generator or a decision, a name that is taken or no name of a
 * file), IO, NOMEM; then nothing is left to clear. */
attest_status attest_load_open(attest_load *load, const char *path,
                               const attest_property *(*find)(const char *name),
                               attest_error *error) ATTEST_WARN_UNUSED;
void attest_load_clear(attest_load *load);

#endif
