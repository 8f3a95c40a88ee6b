/* token_index.c -- hashing tokens and finding equal ones. */
#include "data/token_index.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

#define LEAST_SLOTS 64

typedef unsigned __int128 uint128;

void attest_token_index_init(attest_token_index *index)
{
    memset(index, 0, sizeof *index);
    index->key[0] = 0x9E3779B97F4A7C15u;
    index->key[1] = 0xBF58476D1CE4E5B9u;
}

/* Indices follow the order of first appearance, so the secret changes no result, only which
 * tokens collide. Where the system has no entropy to give, address and time must do. */
static void draw_key(attest_token_index *index)
{
    if (getentropy(index->key, sizeof index->key) != 0) {
        index->key[0] = (uint64_t)(uintptr_t)index * 0x9E3779B97F4A7C15u;
        index->key[1] = (uint64_t)time(NULL) * 0xBF58476D1CE4E5B9u;
    }
}

void attest_token_index_clear(attest_token_index *index)
{
    free(index->slot);
    index->slot = NULL;
    index->slots = 0;
}

size_t attest_token_index_slots(size_t tokens)
{
    size_t slots = LEAST_SLOTS;

    while (slots / 4 * 3 < tokens)
        slots *= 2;
    return slots;
}

static void enter(attest_token_index *index, uint64_t entry)
{
    size_t mask = index->slots - 1, at = attest_token_index_home(index, entry);

    while (index->slot[at])
        at = (at + 1) & mask;
    index->slot[at] = entry;
}

/* Both halves of a 128-bit product: with an unknown factor, no difference of inputs is known to
 * cancel. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
    uint128 product = (uint128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t attest_token_index_hash_real(const attest_token_index *index, const double *value,
                                      size_t dim)
{
    uint64_t k0 = index->key[0], k1 = index->key[1], hash = k0, word[2];
    size_t c = 0;

    for (; c + 2 <= dim; c += 2) {
        memcpy(word, value + c, sizeof word);
        hash = fold(word[0] ^ k1, word[1] ^ hash);
    }
    if (c < dim) {
        memcpy(word, value + c, sizeof word[0]);
        hash = fold(word[0] ^ k1, hash);
    }
    return fold(hash ^ k0, k1 | 1);
}

static uint64_t hash_integer(const attest_token_index *index, uint64_t hash, const fmpz_t value)
{
    uint64_t k1 = index->key[1];

    if (!COEFF_IS_MPZ(*value))
        return fold((uint64_t)*value ^ k1, hash ^ 1);
    const __mpz_struct *big = COEFF_TO_PTR(*value);
    size_t limbs = mpz_size(big);
    hash = fold((uint64_t)(mpz_sgn(big) < 0) ^ k1, hash ^ limbs);
    for (size_t i = 0; i < limbs; i++)
        hash = fold((uint64_t)mpz_getlimbn(big, (mp_size_t)i) ^ k1, hash ^ 1);
    return hash;
}

uint64_t attest_token_index_hash_rational(const attest_token_index *index,
                                          const fmpz *numerator, const fmpz_t denominator,
                                          size_t dim)
{
    uint64_t hash = hash_integer(index, index->key[0], denominator);

    for (size_t c = 0; c < dim; c++)
        hash = hash_integer(index, hash, numerator + c);
    return fold(hash ^ index->key[0], index->key[1] | 1);
}

/* The slot's contents for a token. */
static inline uint64_t slot_entry(uint64_t hash, size_t token)
{
    return (hash >> 32 << 32) | (uint64_t)(token + 1);
}

static uint64_t hash_token(const attest_token_index *index, const attest_tokens *tokens,
                           size_t t)
{
    if (tokens->real)
        return attest_token_index_hash_real(index, tokens->real + t * tokens->dim, tokens->dim);
    return attest_token_index_hash_rational(index, tokens->numerator + t * tokens->dim,
                                            tokens->denominator + t, tokens->dim);
}

attest_status attest_token_index_resize(attest_token_index *index, const attest_tokens *tokens,
                                        size_t slots)
{
    attest_token_index old = *index;

    index->slot = attest_memory_alloc(slots, sizeof *index->slot);
    if (!index->slot) {
        *index = old;
        return ATTEST_NOMEM;
    }
    index->slots = slots;
    if (old.slots <= LEAST_SLOTS && slots > LEAST_SLOTS) {
        draw_key(index);
        for (size_t t = 0; t < tokens->count; t++)
            enter(index, slot_entry(hash_token(index, tokens, t), t));
    } else {
        for (size_t i = 0; i < old.slots; i++)
            if (old.slot[i])
                enter(index, old.slot[i]);
    }
    free(old.slot);
    return ATTEST_OK;
}

size_t attest_token_index_find_real(attest_token_index *index, const attest_tokens *tokens,
                                    const double *value, uint64_t hash, size_t next)
{
    size_t mask = index->slots - 1, bytes = tokens->dim * sizeof *value;

    for (size_t at = attest_token_index_home(index, hash);; at = (at + 1) & mask) {
        uint64_t entry = index->slot[at];
        if (!entry) {
            index->slot[at] = slot_entry(hash, next);
            return SIZE_MAX;
        }
        size_t token = (size_t)(uint32_t)entry - 1;
        /* Finite and never -0: equal numbers have equal bits. */
        if (entry >> 32 == hash >> 32 &&
            memcmp(tokens->real + token * tokens->dim, value, bytes) == 0)
            return token;
    }
}

size_t attest_token_index_find_rational(attest_token_index *index, const attest_tokens *tokens,
                                        const fmpz *numerator, const fmpz_t denominator,
                                        uint64_t hash, size_t next)
{
    size_t mask = index->slots - 1, dim = tokens->dim;

    for (size_t at = attest_token_index_home(index, hash);; at = (at + 1) & mask) {
        uint64_t entry = index->slot[at];
        if (!entry) {
            index->slot[at] = slot_entry(hash, next);
            return SIZE_MAX;
        }
        size_t token = (size_t)(uint32_t)entry - 1;
        if (entry >> 32 == hash >> 32 && fmpz_equal(tokens->denominator + token, denominator) &&
            _fmpz_vec_equal(tokens->numerator + token * dim, numerator, (slong)dim))
            return token;
    }
}
