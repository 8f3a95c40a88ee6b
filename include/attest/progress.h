/* progress.h -- a callback that receives the progress of long work. */
#ifndef ATTEST_PROGRESS_H
#define ATTEST_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The callback. {NULL, NULL}: none. */
typedef struct attest_progress {
    /* Reports that a stage has done this many of total steps (0: unknown); what is the plural
     * of a step ("contexts"), and note, if not NULL, a remark. A stage begins with done = 0 and
     * ends with a call whose what is NULL. Called in the working thread, up to millions of
     * times a second: return at once. The texts belong to the library and are valid during the
     * call. */
    void (*report)(void *context, const char *what, uint64_t done, uint64_t total,
                   const char *note);
    void *context; /* passed to report */
} attest_progress;

#ifdef __cplusplus
}
#endif

#endif
