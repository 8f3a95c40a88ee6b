/* status.h -- the status of a call and the verdict on a claim. */
#ifndef ATTEST_STATUS_H
#define ATTEST_STATUS_H

#include <attest/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ATTEST_WARN_UNUSED __attribute__((warn_unused_result))
#define ATTEST_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define ATTEST_WARN_UNUSED
#define ATTEST_PRINTF(string, first)
#endif

/* The status of a call. Outputs are defined only after ATTEST_OK. */
typedef enum attest_status {
    ATTEST_OK = 0,
    ATTEST_DOMAIN, /* mathematically undefined, or a hypothesis does not hold */
    ATTEST_UNABLE, /* the precision, size or time allowed is too small */
    ATTEST_FORMAT, /* the input does not have the required form */
    ATTEST_IO,     /* reading or writing failed */
    ATTEST_NOMEM,  /* memory ran out */
    ATTEST_USAGE,  /* the caller named something that does not exist */
    ATTEST_STOPPED /* the caller's function stopped the work */
} attest_status;

/* The verdict on a claim. ATTEST_UNDECIDED is never a pass. */
typedef enum attest_verdict {
    ATTEST_PROVED = 0,
    ATTEST_REFUTED,
    ATTEST_UNDECIDED
} attest_verdict;

/* The name without its prefix, in lower case: "ok", "domain", ... Never NULL. */
ATTEST_API const char *attest_status_name(attest_status status);

/* "proved", "refuted" or "undecided". */
ATTEST_API const char *attest_verdict_name(attest_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
