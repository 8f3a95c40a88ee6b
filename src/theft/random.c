/* The draws of callbacks and properties, and hashes. */
#include "internal.h"

uint64_t theft_random_bits(struct theft *t, uint8_t bits)
{
    struct theft_source *s = &t->source;
    if (bits == 0)
        return 0;
    if (bits > 64) {
        fprintf(stderr, "theft_random_bits: %u bits asked for, 64 is the most\n", bits);
        abort();
    }
    uint64_t max = UINT64_MAX >> (64 - bits);
    uint64_t v = s->replaying ? theft_source_next(s, max) : theft_prng_bits(&s->prng, bits);
    theft_source_note(s, v, max);
    return v;
}

uint64_t theft_random(struct theft *t)
{
    return theft_random_bits(t, 64);
}

void theft_random_bits_bulk(struct theft *t, uint32_t bits, uint64_t *buf)
{
    for (; bits > 64; bits -= 64)
        *buf++ = theft_random_bits(t, 64);
    if (bits)
        *buf = theft_random_bits(t, (uint8_t)bits);
}

double theft_random_double(struct theft *t)
{
    return (double)theft_random_bits(t, 53) * 0x1p-53; /* both exact */
}

/* Records the result, not the random bits: equal results are equal choices, and shrinking works
 * on results. */
uint64_t theft_random_choice(struct theft *t, uint64_t ceil)
{
    return theft_source_below(&t->source, ceil);
}

/* ---- 64-bit FNV-1a ----------------------------------------------------------------------- */

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

void theft_hash_init(struct theft_hasher *h)
{
    h->accum = FNV_OFFSET;
}

void theft_hash_sink(struct theft_hasher *h, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        h->accum = (h->accum ^ data[i]) * FNV_PRIME;
}

theft_hash theft_hash_done(struct theft_hasher *h)
{
    theft_hash result = h->accum;
    theft_hash_init(h);
    return result;
}

theft_hash theft_hash_onepass(const uint8_t *data, size_t bytes)
{
    struct theft_hasher h;
    theft_hash_init(&h);
    theft_hash_sink(&h, data, bytes);
    return theft_hash_done(&h);
}
