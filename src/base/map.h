/* map.h -- which number a key has: open addressing, linear probing.
 *
 * The map keeps half of a key's hash and its number; keys are where the caller has them, and a
 * callback compares one with that of a number. Numbers are below 2^32 - 1. The upper half of
 * the hash decides where a key belongs, so that a larger table keeps the order of a smaller one
 * and moving to it reads and writes from left to right. */
#ifndef ATTEST_BASE_MAP_H
#define ATTEST_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct attest_map {
    uint64_t *slot; /* the upper half of a hash, and 1 + a number; 0: free */
    size_t slots;   /* a power of two, or 0 */
} attest_map;

/* The largest number of keys. */
#define ATTEST_MAP_MOST ((size_t)UINT32_MAX - 1)

/* A map of zeros is empty. */
void attest_map_clear(attest_map *map);

/* The slots that a map of count keys needs: a power of two, at most three quarters full, and no
 * fewer than 64. */
size_t attest_map_slots(size_t count);

/* Moves all keys to slots slots. Domain: as many as they need. False: out of memory. */
bool attest_map_resize(attest_map *map, size_t slots);

/* Room for one key more than count. False: out of memory, or too many. */
bool attest_map_reserve(attest_map *map, size_t count);

/* Enters a key that is not there. Domain: a free slot is left. */
void attest_map_enter(attest_map *map, uint64_t hash, size_t number);

/* Where the search for a key with this hash begins. Domain: slots >= 1. */
static inline size_t attest_map_home(const attest_map *map, uint64_t hash)
{
    unsigned bits = (unsigned)__builtin_ctzll(map->slots);
    uint64_t upper = hash >> 32;

    return bits <= 32 ? (size_t)(upper >> (32 - bits)) : (size_t)(upper << (bits - 32));
}

/* Whether the key is that of the number. */
typedef bool attest_map_equal(void *key, size_t number);

/* The number of the key. One that is not there is entered as number next, which the caller must
 * then keep. Domain: a free slot is left. Inline, as the comparison is most of the time. */
static inline size_t attest_map_get(attest_map *map, uint64_t hash, attest_map_equal *equal,
                                    void *key, size_t next)
{
    size_t mask = map->slots - 1;

    for (size_t at = attest_map_home(map, hash);; at = (at + 1) & mask) {
        uint64_t entry = map->slot[at];
        size_t number = (size_t)(uint32_t)entry - 1;

        if (!entry) {
            map->slot[at] = (hash >> 32 << 32) | (uint64_t)(next + 1);
            return next;
        }
        if (entry >> 32 == hash >> 32 && equal(key, number))
            return number;
    }
}

#endif
