/* machine.h -- the name of the processor, for records, and a clock. */
#ifndef ATTEST_BASE_MACHINE_H
#define ATTEST_BASE_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* name = the name of the processor, cut to size bytes, or the architecture ("x86_64") if the
 * system has none. It may contain any bytes but zero; escape it before printing. Domain: size
 * >= 1. */
void attest_machine_cpu(char *name, size_t size);

/* Time that never goes back, for durations. */
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
