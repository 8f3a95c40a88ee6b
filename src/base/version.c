/* version.c -- the version of the library. */
#include "config.h"

#include <attest/version.h>

const char *attest_version(void)
{
    return PACKAGE_VERSION;
}
