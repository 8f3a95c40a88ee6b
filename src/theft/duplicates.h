/* The set of inputs already tried: exact, growing. */
#ifndef THEFT_DUPLICATES_H
#define THEFT_DUPLICATES_H

#include "source.h"

/* 128-bit fingerprints of inputs. Absorbing a word is a bijection of the state for every word
 * and injective in the word, so inputs that are a single 64-bit hash or draw never collide; for
 * longer ones two different inputs agree with a probability of about 2^-128. */
struct theft_fingerprint {
    uint64_t a, b;
};

static inline struct theft_fingerprint theft_fingerprint_init(void)
{
    return (struct theft_fingerprint){UINT64_C(0x243f6a8885a308d3),
                                      UINT64_C(0x13198a2e03707344)};
}

static inline uint64_t theft_rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline void theft_fingerprint_add(struct theft_fingerprint *f, uint64_t word)
{
    f->a = theft_rotate(f->a ^ theft_mix(word), 27) + f->b;
    f->a = f->a * 5 + UINT64_C(0x52dce729);
    f->b = theft_rotate(f->b ^ theft_mix_other(word), 31) + f->a;
    f->b = f->b * 5 + UINT64_C(0x38495ab5);
}

/* Only values are added: the ranges follow from them. */
static inline void theft_fingerprint_add_choices(struct theft_fingerprint *f,
                                                 const struct theft_choice *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        theft_fingerprint_add(f, at[i].value);
    theft_fingerprint_add(f, (uint64_t)count);
}

/* Memory: 16 bytes per slot, open addressing; it starts with 1024 slots and grows when 3/4 are
 * taken, fourfold as long as many more inputs are expected, else twofold. At the end of
 * a run it takes 21 to 43 bytes per input (up to 86 before, and a quarter to a half more while
 * it grows). At its limit, or without memory, it stops growing, and new inputs are not
 * remembered: repetitions may be missed, but reported duplicates are duplicates. */
#define THEFT_DUPLICATES_DEFAULT_LIMIT ((size_t)1 << 30)

/* All zero is an empty set, with the default limit. `limit` and `expected` may be set then. */
struct theft_duplicates {
    struct theft_fingerprint *slots;
    size_t capacity; /* of slots, a power of two */
    size_t count;
    size_t limit;    /* bytes; 0: the default */
    size_t expected; /* about so many inputs; decides how it grows */
    bool full;       /* it cannot grow */
};

/* Returns whether `f` is in the set. */
bool theft_duplicates_has(const struct theft_duplicates *d, struct theft_fingerprint f);

/* Adds `f` to the set, if there is room; returns whether it was in the set. */
bool theft_duplicates_add(struct theft_duplicates *d, struct theft_fingerprint f);

void theft_duplicates_clear(struct theft_duplicates *d);

#endif
