/* clock.h -- time that never goes back: for durations, not for dates. */
#ifndef ATTEST_BASE_CLOCK_H
#define ATTEST_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t attest_clock_nanoseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline double attest_clock_seconds(void)
{
    return 1e-9 * (double)attest_clock_nanoseconds();
}

#endif
