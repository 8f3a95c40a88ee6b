/* version.h -- the version of the headers and of the library. */
#ifndef ATTEST_VERSION_H
#define ATTEST_VERSION_H

#include <attest/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTEST_VERSION_MAJOR 0
#define ATTEST_VERSION_MINOR 2
#define ATTEST_VERSION_PATCH 0

/* The version of the library that is linked, e.g. "0.2.0". */
ATTEST_API const char *attest_version(void);

#ifdef __cplusplus
}
#endif

#endif
