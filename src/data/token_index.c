/* token_index.c -- hashing tokens and finding equal ones. */
#include "data/token_index.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef unsigned __int128 uint128;

void attest_token_index_init(attest_token_index *index)
{
    memset(index, 0, sizeof *index);
    index->key[0] = 0x9E3779B97F4A7C15u;
    index->key[1] = 0xBF58476D1CE4E5B9u;
}

/* Draws the secret of the hash. Indices follow the order of first appearance, so the secret
 * changes no result, only which tokens collide. Without entropy from the system, an address and
 * the time are used. */
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

/* Adds both halves of a 128-bit product: with a secret factor, no known difference of inputs
 * cancels. */
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
    attest_map map = {index->slot, index->slots}, keyed = {0};
    size_t least = attest_map_slots(0);
    bool draws = map.slots <= least && slots > least;

    if (!attest_map_resize(draws ? &keyed : &map, slots))
        return ATTEST_NOMEM;
    if (draws) {
        attest_map_clear(&map);
        map = keyed;
        draw_key(index);
        for (size_t t = 0; t < tokens->count; t++)
            attest_map_enter(&map, hash_token(index, tokens, t), t);
    }
    index->slot = map.slot;
    index->slots = map.slots;
    return ATTEST_OK;
}

/* A token that is looked for among those of the table: doubles, or a rational one. */
typedef struct wanted {
    const attest_tokens *tokens;
    const double *value;
    const fmpz *numerator, *denominator;
} wanted;

/* Finite and never -0: equal numbers have equal bits. */
static inline bool is_same_real(void *key, size_t token)
{
    const wanted *w = key;
    size_t dim = w->tokens->dim;

    return memcmp(w->tokens->real + token * dim, w->value, dim * sizeof *w->value) == 0;
}

size_t attest_token_index_find_real(attest_token_index *index, const attest_tokens *tokens,
                                    const double *value, uint64_t hash, size_t next)
{
    attest_map map = {index->slot, index->slots};
    wanted key = {.tokens = tokens, .value = value};

    return attest_map_get(&map, hash, is_same_real, &key, next);
}

static inline bool is_same_rational(void *key, size_t token)
{
    const wanted *w = key;
    size_t dim = w->tokens->dim;

    return fmpz_equal(w->tokens->denominator + token, w->denominator) &&
           _fmpz_vec_equal(w->tokens->numerator + token * dim, w->numerator, (slong)dim);
}

size_t attest_token_index_find_rational(attest_token_index *index, const attest_tokens *tokens,
                                        const fmpz *numerator, const fmpz_t denominator,
                                        uint64_t hash, size_t next)
{
    attest_map map = {index->slot, index->slots};
    wanted key = {.tokens = tokens, .numerator = numerator, .denominator = denominator};

    return attest_map_get(&map, hash, is_same_rational, &key, next);
}
