/* random.h -- SplitMix64: a stream of 64-bit numbers from a seed, the same on every machine.
 *
 * It must never change, since results are repeated from their seeds. */
#ifndef ATTEST_BASE_RANDOM_H
#define ATTEST_BASE_RANDOM_H

#include <stdint.h>

/* A bijection in which every bit of the input affects every bit of the result; 0 stays 0. */
static inline uint64_t attest_random_finish(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The next number of the stream; *state is initially the seed. */
static inline uint64_t attest_random_next(uint64_t *state)
{
    return attest_random_finish(*state += 0x9E3779B97F4A7C15u);
}

/* A hash of the word: the first number of its stream. */
static inline uint64_t attest_random_mix(uint64_t word)
{
    return attest_random_next(&word);
}

#endif
