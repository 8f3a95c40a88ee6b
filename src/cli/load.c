/* load.c -- properties of a user's own, from a shared object. */
#include "cli/load.h"

#include <stdlib.h>

#include "cli/command.h"
#include "props/properties.h"

/* There is one program, and it loads one object. */
static attest_load loaded;

int attest_cli_load(const char *path)
{
    attest_error error;

    if (!path)
        path = getenv("ATTEST_LOAD");
    if (!path || !*path)
        return EXIT_HOLDS;
    if (attest_load_open(&loaded, path, attest_property_get, &error))
        return attest_cli_fail_input(&error);
    attest_property_add(loaded.property, loaded.count);
    return EXIT_HOLDS;
}

const attest_load *attest_cli_loaded(void)
{
    return &loaded;
}
