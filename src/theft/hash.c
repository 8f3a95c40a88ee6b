/* 64-bit FNV-1a. */
#include <theft.h>

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
