/* progress.h -- how long work goes on: a function of the caller's that is told. */
#ifndef ATTEST_PROGRESS_H
#define ATTEST_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who is told. {NULL, NULL}: nobody. */
typedef struct attest_progress {
    /* A stage of the work has done so many of total steps (0: the number is not known), which
     * are what ("contexts"); note, if not NULL, says more. A stage begins with done = 0 and
     * ends with a call whose what is NULL. Called in the thread that works, up to millions of
     * times a second: return at once. The texts are the library's, and valid during the call.
     */
    void (*report)(void *context, const char *what, uint64_t done, uint64_t total,
                   const char *note);
    void *context; /* the caller's, handed on */
} attest_progress;

#ifdef __cplusplus
}
#endif

#endif
