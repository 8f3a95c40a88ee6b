/* try.h -- calls one after another, up to the first that fails. */
#ifndef ATTEST_BASE_TRY_H
#define ATTEST_BASE_TRY_H

#include <attest/status.h>

/* Returns from the function with the status of the call unless it is OK. For functions that own
 * nothing at that point, or only what is cleared with its block (number/scope.h). */
#define ATTEST_TRY(call)                                                                       \
    do {                                                                                       \
        attest_status attest_try_status = (call);                                              \
        if (attest_try_status != ATTEST_OK)                                                    \
            return attest_try_status;                                                          \
    } while (0)

#endif
