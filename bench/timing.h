/* timing.h -- interleaved repetitions, best of many.
 *
 * Shared machines drift between a fast and a slow state, so contestants take turns, and each
 * one's best time counts. */
#ifndef ATTEST_BENCH_TIMING_H
#define ATTEST_BENCH_TIMING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/workers.h"

struct contestant {
    const char *name;
    void (*run)(void *context);
    double best; /* seconds */
};

/* Runs all contestants in turn for about `seconds` in total, at least 3 rounds. */
static inline void timing_race(struct contestant *all, size_t count, void *context,
                               double seconds)
{
    double end = attest_clock_seconds() + seconds;

    for (size_t i = 0; i < count; i++)
        all[i].best = INFINITY;
    for (int round = 0; round < 3 || attest_clock_seconds() < end; round++) {
        for (size_t i = 0; i < count; i++) {
            double start = attest_clock_seconds(), took;

            all[i].run(context);
            took = attest_clock_seconds() - start;
            if (took < all[i].best)
                all[i].best = took;
        }
    }
}

/* A double in [-1, 1). */
static inline double timing_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state * 0x1p-63;
}

#endif
