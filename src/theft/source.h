/* Draws: a counter-based generator, sequences of recorded choices, and the source of the draws
 * of callbacks, which is one or the other. */
#ifndef THEFT_SOURCE_H
#define THEFT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

/* A counter-based generator: word i of the stream of a seed is a function of (seed, i), so that
 * any trial can be made alone, and starting a stream costs no more than a few multiplications.
 *
 * The construction is a Weyl sequence start + i * step (step odd, so that all 2^64 states are
 * reached) followed by a 64-bit finaliser. Both start and step are derived from the seed: two
 * seeds differ in the sequence itself, not just in where they enter a common one. */
#define THEFT_PRNG_GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio */

/* The purposes of streams: the same trial seed gives an independent stream for each. */
enum theft_stream {
    THEFT_STREAM_GENERATE,
    THEFT_STREAM_PROPERTY,
    THEFT_STREAM_SHRINK,
    THEFT_STREAM_SEARCH,
};

struct theft_prng {
    uint64_t state; /* start + i * step */
    uint64_t step;
    uint64_t word; /* the bits of the current word that are left */
    unsigned left; /* their number */
};

/* A bijection of 64-bit words in which every input bit affects every output bit. */
static inline uint64_t theft_mix(uint64_t x)
{
    return attest_random_finish(x);
}

/* Another one, independent of the first. */
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

/* Returns the next n <= 64 bits of the stream of words, lowest bits first. */
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

/* Returns a number uniform in [0, ceil) up to a relative 2^-16 (2^-32 from 2^16 on, 2^-64 from
 * 2^32 on). */
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

/* One draw: `value` in [0, max]. */
struct theft_choice {
    uint64_t value;
    uint64_t max;
};

/* A sequence that grows; empty if all members are 0. */
struct theft_choices {
    struct theft_choice *at;
    size_t count;
    size_t capacity;
};

/* Reserves memory for `capacity` choices; returns false, and changes nothing, if there is none.
 */
bool theft_choices_reserve(struct theft_choices *c, size_t capacity);

/* Copies `count` choices; returns false if memory is exhausted. */
bool theft_choices_set(struct theft_choices *to, const struct theft_choice *from, size_t count);

/* Removes `count` choices from position `at` on. */
void theft_choices_delete(struct theft_choices *c, size_t at, size_t count);

void theft_choices_clear(struct theft_choices *c);

static inline bool theft_choices_push(struct theft_choices *c, uint64_t value, uint64_t max)
{
    if (c->count == c->capacity && !theft_choices_reserve(c, c->count + 1))
        return false;
    c->at[c->count].value = value;
    c->at[c->count].max = max;
    c->count++;
    return true;
}

/* Returns the number of bits of a draw in [0, max]. */
static inline unsigned theft_choice_width(uint64_t max)
{
    return max ? 64 - (unsigned)__builtin_clzll(max) : 0;
}

struct theft_source {
    struct theft_prng prng;
    bool replaying;
    const struct theft_choice *next, *end; /* what is left to replay */
    struct theft_choices *record;          /* NULL: draws are not recorded */
    bool no_memory;                        /* a draw could not be recorded */
};

/* Sets the source to the stream of `seed` for `use`; draws are recorded in `record` unless
 * NULL. */
static inline void theft_source_fresh(struct theft_source *s, uint64_t seed,
                                      enum theft_stream use, struct theft_choices *record)
{
    theft_prng_init(&s->prng, seed, use);
    s->replaying = false;
    s->record = record;
}

/* Sets the source to a sequence, which must not change meanwhile; after its end draws are zero.
 */
static inline void theft_source_replay(struct theft_source *s, const struct theft_choice *from,
                                       size_t count, struct theft_choices *record)
{
    s->replaying = true;
    s->next = from;
    s->end = count ? from + count : from;
    s->record = record;
}

/* Returns the next replayed value, at most max. */
static inline uint64_t theft_source_next(struct theft_source *s, uint64_t max)
{
    if (s->next == s->end)
        return 0;
    uint64_t v = s->next++->value;
    return v < max ? v : max;
}

static inline void theft_source_note(struct theft_source *s, uint64_t value, uint64_t max)
{
    if (s->record && !theft_choices_push(s->record, value, max))
        s->no_memory = true;
}

/* Draws a value below ceil, recorded as one choice however many random bits it takes. */
static inline uint64_t theft_source_below(struct theft_source *s, uint64_t ceil)
{
    if (ceil <= 1)
        return 0;
    uint64_t v =
        s->replaying ? theft_source_next(s, ceil - 1) : theft_prng_below(&s->prng, ceil);
    theft_source_note(s, v, ceil - 1);
    return v;
}

#endif
