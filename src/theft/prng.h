/* A counter-based generator: word i of the stream of a seed is a function of (seed, i), so that
 * any trial can be made alone, and starting a stream costs no more than a few multiplications.
 *
 * The construction is a Weyl sequence start + i * step (step odd, so all 2^64 states come
 * by) behind a 64-bit finaliser. Both start and step are derived from the seed: two seeds
 * differ in the sequence itself, not just in where they enter a common one. */
#ifndef THEFT_PRNG_H
#define THEFT_PRNG_H

#include <stdint.h>

#include "base/random.h"

#define THEFT_PRNG_GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio */

/* What a stream is for: the same trial seed gives unrelated streams for unrelated work. */
enum theft_stream {
    THEFT_STREAM_GENERATE,
    THEFT_STREAM_PROPERTY,
    THEFT_STREAM_SHRINK,
    THEFT_STREAM_SEARCH,
};

struct theft_prng {
    uint64_t state; /* start + i * step */
    uint64_t step;
    uint64_t word; /* bits of the current word that are still to be handed out */
    unsigned left; /* how many those are */
};

/* A bijection of 64-bit words in which every input bit affects every output bit. */
static inline uint64_t theft_mix(uint64_t x)
{
    return attest_random_finish(x);
}

/* Another one, for when two independent mixes of a word are wanted. */
static inline uint64_t theft_mix_other(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

static inline void theft_prng_init(struct theft_prng *g, uint64_t seed, enum theft_stream use)
{
    uint64_t key = seed + (uint64_t)use * THEFT_PRNG_GOLDEN;
    g->state = theft_mix(key);
    g->step = theft_mix_other(key) | 1;
    g->word = 0;
    g->left = 0;
}

static inline uint64_t theft_prng_word(struct theft_prng *g)
{
    g->state += g->step;
    return theft_mix(g->state);
}

/* The next n <= 64 bits; slices of any widths tile the stream of words, lowest bits first. */
static inline uint64_t theft_prng_bits(struct theft_prng *g, unsigned n)
{
    if (n == 0)
        return 0;
    uint64_t mask = UINT64_MAX >> (64 - n);
    if (n <= g->left) {
        uint64_t v = g->word & mask;
        g->word = n < 64 ? g->word >> n : 0;
        g->left -= n;
        return v;
    }
    uint64_t v = g->left ? g->word : 0;
    uint64_t next = theft_prng_word(g);
    unsigned have = g->left, need = n - have;
    v |= next << have; /* have < n <= 64 */
    g->word = need < 64 ? next >> need : 0;
    g->left = 64 - need;
    return v & mask;
}

/* Uniform in [0, ceil) up to a relative 2^-16 (2^-32 from 2^16 on, 2^-64 from 2^32 on). */
static inline uint64_t theft_prng_below(struct theft_prng *g, uint64_t ceil)
{
    if (ceil <= 1)
        return 0;
    if ((ceil & (ceil - 1)) == 0)
        return theft_prng_bits(g, (unsigned)__builtin_ctzll(ceil));
    if (ceil <= UINT64_C(1) << 16)
        return (theft_prng_bits(g, 32) * ceil) >> 32;
    __extension__ typedef unsigned __int128 wide;
    uint64_t low = theft_prng_bits(g, 64);
    if (ceil <= UINT64_C(1) << 32)
        return (uint64_t)(((wide)low * ceil) >> 64);
    uint64_t high = theft_prng_bits(g, 64);
    wide carry = ((wide)low * ceil) >> 64;
    return (uint64_t)(((wide)high * ceil + carry) >> 64);
}

#endif
