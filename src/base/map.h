/* map.h -- hash maps from keys to numbers, with open addressing and linear probing; and maps
 * that number pairs of integers and byte strings.
 *
 * For every key a map stores its number and the upper half of its hash. The caller stores the
 * keys, and a callback compares a key with the one that has a given number. Numbers are below
 * 2^32 - 1. The upper half of the hash determines the first slot of a key, so that entries keep
 * their order when the table grows, and growing reads and writes memory sequentially. */
#ifndef ATTEST_BASE_MAP_H
#define ATTEST_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct attest_map {
    uint64_t *slot; /* upper 32 bits: those of the hash, lower 32: number + 1; 0: free */
    size_t slots;   /* a power of two, or 0 */
} attest_map;

/* The largest number of keys that attest_map_reserve makes room for. */
#define ATTEST_MAP_MOST ((size_t)UINT32_MAX - 1)

/* Frees the map and makes it empty. A map whose members are all zero is empty: {0} initialises
 * it. */
void attest_map_clear(attest_map *map);

/* Returns the number of slots of a table for count keys: a power of two, at least 64, such that
 * at most three quarters of them are used. */
size_t attest_map_slots(size_t count);

/* Rebuilds the map with this number of slots. Domain: a power of two, larger than the number of
 * keys. Returns false if memory is out; the map is then unchanged. */
bool attest_map_resize(attest_map *map, size_t slots);

/* Grows the map, which contains count keys, if one more would not fit. Returns false if memory
 * is out or count >= ATTEST_MAP_MOST; the map is then unchanged. */
bool attest_map_reserve(attest_map *map, size_t count);

/* Adds a key that is not in the map. Domain: there is a free slot. */
void attest_map_add(attest_map *map, uint64_t hash, size_t number);

/* Returns the slot at which the search for a key with this hash begins. Domain: the map has
 * slots. */
static inline size_t attest_map_first_slot(const attest_map *map, uint64_t hash)
{
    unsigned bits = (unsigned)__builtin_ctzll(map->slots);
    uint64_t upper = hash >> 32;

    return bits <= 32 ? (size_t)(upper >> (32 - bits)) : (size_t)(upper << (bits - 32));
}

/* Returns whether the key is equal to the stored key that has this number. */
typedef bool attest_map_equal(void *key, size_t number);

/* Returns the number of the key. A key that is not in the map is added with the number next,
 * and the caller must store it. Domain: there is a free slot; next < 2^32 - 1. Inline, so that
 * the compiler can inline the comparison, which takes most of the time. */
static inline size_t attest_map_get_or_add(attest_map *map, uint64_t hash,
                                           attest_map_equal *equal, void *key, size_t next)
{
    size_t mask = map->slots - 1;

    for (size_t at = attest_map_first_slot(map, hash);; at = (at + 1) & mask) {
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

/* A map that gives pairs the numbers 0, 1, 2, ... in the order in which they are added. {0}
 * initialises it. */
typedef struct attest_pair_map {
    uint64_t *pair; /* the pair of every number: first << 32 | second */
    size_t count, room;
    attest_map map;
} attest_pair_map;

void attest_pair_map_clear(attest_pair_map *map);

/* *number = the number of (first, second), which is added if it is not in the map; *is_new =
 * whether it was added. Returns false if memory is out or the map has 2^32 - 2 pairs. */
bool attest_pair_map_get_or_add(uint32_t *number, bool *is_new, attest_pair_map *map,
                                uint32_t first, uint32_t second);

/* A map that gives byte strings the numbers 0, 1, 2, ... in the order in which they are added.
 * It hashes with SHA-256, so that nobody can construct inputs that collide. It points to the
 * strings, which must outlive it. */
typedef struct attest_byte_string {
    const char *text;
    size_t length;
} attest_byte_string;

typedef struct attest_string_map {
    attest_byte_string *string; /* the string of every number */
    size_t count, room;
    attest_map map;
} attest_string_map;

void attest_string_map_init(attest_string_map *map);
void attest_string_map_clear(attest_string_map *map);

/* *number = the number of the string, which is added if it is not in the map; *is_new = whether
 * it was added. Returns false if memory is out or the map has 2^32 - 2 strings. */
bool attest_string_map_get_or_add(uint32_t *number, bool *is_new, attest_string_map *map,
                                  const char *text, size_t length);

#endif
