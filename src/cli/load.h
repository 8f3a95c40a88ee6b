/* load.h -- properties of a user's own, from a shared object. */
#ifndef ATTEST_CLI_LOAD_H
#define ATTEST_CLI_LOAD_H

#include "campaign/load.h"

/* Loads the shared object at path, or that of ATTEST_LOAD if path is NULL; where there is none
 * either, nothing. Its properties are found by attest_property_get then. EXIT_HOLDS, or a
 * complaint and its exit code. */
int attest_cli_load(const char *path);

/* What was loaded; count is 0 where nothing was. */
const attest_load *attest_cli_loaded(void);

#endif
