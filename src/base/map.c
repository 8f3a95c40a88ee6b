/* map.c -- hash maps from keys to numbers. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sha256.h"

enum { LEAST_SLOTS = 64 };

void attest_map_clear(attest_map *map)
{
    free(map->slot);
    *map = (attest_map){0};
}

size_t attest_map_slots(size_t count)
{
    size_t slots = LEAST_SLOTS;

    while (slots / 4 * 3 < count)
        slots *= 2;
    return slots;
}

static void put(attest_map *map, uint64_t entry)
{
    size_t mask = map->slots - 1, at = attest_map_first_slot(map, entry);

    while (map->slot[at])
        at = (at + 1) & mask;
    map->slot[at] = entry;
}

void attest_map_add(attest_map *map, uint64_t hash, size_t number)
{
    put(map, (hash >> 32 << 32) | (uint64_t)(number + 1));
}

bool attest_map_resize(attest_map *map, size_t slots)
{
    attest_map larger = {attest_memory_alloc(slots, sizeof *larger.slot), slots};

    if (!larger.slot)
        return false;
    for (size_t i = 0; i < map->slots; i++)
        if (map->slot[i])
            put(&larger, map->slot[i]);
    attest_map_clear(map);
    *map = larger;
    return true;
}

bool attest_map_reserve(attest_map *map, size_t count)
{
    if (count >= ATTEST_MAP_MOST)
        return false;
    return count < map->slots / 4 * 3 || attest_map_resize(map, attest_map_slots(count + 1));
}

void attest_pair_map_clear(attest_pair_map *map)
{
    free(map->pair);
    attest_map_clear(&map->map);
    *map = (attest_pair_map){0};
}

/* Compares with the pair that is looked up, which is stored after the last one. */
static bool is_last_pair(void *key, size_t number)
{
    const attest_pair_map *map = key;

    return map->pair[number] == map->pair[map->count];
}

bool attest_pair_map_get_or_add(uint32_t *number, bool *is_new, attest_pair_map *map,
                                uint32_t first, uint32_t second)
{
    uint64_t pair = (uint64_t)first << 32 | second;

    if (!attest_map_reserve(&map->map, map->count) ||
        !attest_memory_grow(&map->pair, &map->room, map->count + 1, sizeof *map->pair))
        return false;
    map->pair[map->count] = pair;
    *number = (uint32_t)attest_map_get_or_add(&map->map, attest_random_mix(pair), is_last_pair,
                                              map, map->count);
    *is_new = *number == map->count;
    map->count += *is_new;
    return true;
}

void attest_string_map_init(attest_string_map *map)
{
    memset(map, 0, sizeof *map);
}

void attest_string_map_clear(attest_string_map *map)
{
    free(map->string);
    attest_map_clear(&map->map);
    attest_string_map_init(map);
}

static uint64_t hash_of(const char *text, size_t length)
{
    unsigned char digest[ATTEST_SHA256_SIZE];
    attest_sha256 hash;
    uint64_t value = 0;

    attest_sha256_init(&hash);
    attest_sha256_add(&hash, text, length);
    attest_sha256_get(digest, &hash);
    for (int i = 0; i < 8; i++)
        value = value << 8 | digest[i];
    return value;
}

/* Compares with the string that is looked up, which is stored after the last one. */
static bool is_last_string(void *key, size_t number)
{
    const attest_string_map *map = key;
    const attest_byte_string *string = &map->string[number], *last = &map->string[map->count];

    return string->length == last->length &&
           memcmp(string->text, last->text, last->length) == 0;
}

bool attest_string_map_get_or_add(uint32_t *number, bool *is_new, attest_string_map *map,
                                  const char *text, size_t length)
{
    if (!attest_map_reserve(&map->map, map->count) ||
        !attest_memory_grow(&map->string, &map->room, map->count + 1, sizeof *map->string))
        return false;
    map->string[map->count] = (attest_byte_string){text, length};
    *number = (uint32_t)attest_map_get_or_add(&map->map, hash_of(text, length), is_last_string,
                                              map, map->count);
    *is_new = *number == map->count;
    map->count += *is_new;
    return true;
}
