/* map.h -- hash maps from keys to numbers, with open addressing and linear probing; maps of
 * pairs and of byte strings.
 *
 * A map stores half of the hash of a key and its number. The caller stores the keys, and a
 * callback compares a key with that of a number. Numbers are below 2^32 - 1. The upper half of
 * the hash decides the slot, so that a larger table keeps the order of a smaller one, and
 * growing it reads and writes from left to right. */
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

/* The number of slots for count keys: a power of two, at least 64, of which at most three
 * quarters are used. */
size_t attest_map_slots(size_t count);

/* Rebuilds the map with this number of slots, which must suffice. Returns false if memory runs
 * out. */
bool attest_map_resize(attest_map *map, size_t slots);

/* Makes room for one key more than count. Returns false if memory runs out, or there are too
 * many keys. */
bool attest_map_reserve(attest_map *map, size_t count);

/* Adds a key that is not in the map. Domain: there is a free slot. */
void attest_map_enter(attest_map *map, uint64_t hash, size_t number);

/* The slot at which the search for a key with this hash begins. Domain: slots >= 1. */
static inline size_t attest_map_home(const attest_map *map, uint64_t hash)
{
    unsigned bits = (unsigned)__builtin_ctzll(map->slots);
    uint64_t upper = hash >> 32;

    return bits <= 32 ? (size_t)(upper >> (32 - bits)) : (size_t)(upper << (bits - 32));
}

/* Returns whether the key is that of the number. */
typedef bool attest_map_equal(void *key, size_t number);

/* Returns the number of the key. A new key gets the number next, and the caller must store it.
 * Domain: there is a free slot. Inline, as most of the time goes into the comparison. */
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

/* Numbers of pairs: 0, 1, 2, ... in order of appearance. */
typedef struct attest_pair_map {
    uint64_t *pair; /* first << 32 | second, by number */
    size_t count, room;
    attest_map map;
} attest_pair_map;

void attest_pair_map_clear(attest_pair_map *map);

/* *number = the number of (first, second), and *is_new = whether it is new. Returns false if
 * memory runs out, or there are 2^32 - 2 pairs. */
bool attest_pair_map_get(uint32_t *number, bool *is_new, attest_pair_map *map, uint32_t first,
                         uint32_t second);

/* Numbers of byte strings, in order of appearance. They are hashed by SHA-256, so that no
 * input can be made to collide; the map points to them, and they must outlive it. */
typedef struct attest_word {
    const char *text;
    size_t length;
} attest_word;

typedef struct attest_word_map {
    attest_word *word; /* count of them, by number */
    size_t count, room;
    attest_map map;
} attest_word_map;

void attest_word_map_init(attest_word_map *map);
void attest_word_map_clear(attest_word_map *map);

/* *number = the number of the string, and *is_new = whether it is new. Returns false if
 * memory runs out, or there are 2^32 - 2 strings. */
bool attest_word_map_get(uint32_t *number, bool *is_new, attest_word_map *map, const char *text,
                         size_t length);

#endif
