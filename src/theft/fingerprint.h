/* 128-bit fingerprints of inputs. Absorbing a word is a bijection of the state for every word
 * and injective in the word, so inputs that are a single 64-bit hash or draw never collide; for
 * longer ones two different inputs agree with a probability of about 2^-128. */
#ifndef THEFT_FINGERPRINT_H
#define THEFT_FINGERPRINT_H

#include "choices.h"
#include "prng.h"

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

#endif
