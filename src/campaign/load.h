/* load.h -- properties from a shared object of the user. */
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

#endif
