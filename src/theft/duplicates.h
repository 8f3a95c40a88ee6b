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

/* The values decide: what was asked for follows from them. */
static inline void theft_fingerprint_add_choices(struct theft_fingerprint *f,
                                                 const struct theft_choice *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        theft_fingerprint_add(f, at[i].value);
    theft_fingerprint_add(f, (uint64_t)count);
}

/* Memory: 16 bytes per slot, open addressing; it starts with 1024 slots and grows when 3/4 are
 * taken, fourfold as long as many more inputs are expected, else twofold. So it holds between
 * 21 and 43 bytes per input at the end of a run (up to 86 on the way, and a quarter to a half
 * more while it grows). It does not grow beyond its limit, nor when there is no memory: from
 * then on new inputs are not remembered. A repetition may then be missed, but what is called a
 * duplicate is one. */
#define THEFT_DUPLICATES_DEFAULT_LIMIT ((size_t)1 << 30)

/* All zero is an empty set, with the default limit. `limit` and `expected` may be set then. */
struct theft_duplicates {
    struct theft_fingerprint *slots;
    size_t capacity; /* of slots, a power of two */
    size_t count;
    size_t limit;    /* bytes; 0: the default */
    size_t expected; /* inputs, about: how it grows on the way */
    bool full;       /* it could not grow any more */
};

/* Whether `f` is in the set. */
bool theft_duplicates_has(const struct theft_duplicates *d, struct theft_fingerprint f);

/* Puts `f` into the set, if there is room; true when it was there already. */
bool theft_duplicates_add(struct theft_duplicates *d, struct theft_fingerprint f);

void theft_duplicates_clear(struct theft_duplicates *d);

#endif
