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
#include <time.h>

struct contestant {
    const char *name;
    void (*run)(void *context);
    double best; /* seconds */
};

static inline double timing_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Runs all contestants in turn for about `seconds` in total, at least 3 rounds. */
static inline void timing_race(struct contestant *all, size_t count, void *context,
                               double seconds)
{
    double end = timing_now() + seconds;

    for (size_t i = 0; i < count; i++)
        all[i].best = INFINITY;
    for (int round = 0; round < 3 || timing_now() < end; round++) {
        for (size_t i = 0; i < count; i++) {
            double start = timing_now(), took;

            all[i].run(context);
            took = timing_now() - start;
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
