/* pair_map.c -- numbers for pairs of numbers: open addressing, linear probing. */
#include "base/pair_map.h"

#include <stdlib.h>

#include "base/memory.h"

void attest_pair_map_clear(attest_pair_map *map)
{
    free(map->key);
    free(map->value);
    *map = (attest_pair_map){0};
}

static size_t home(uint64_t key, size_t slots)
{
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93u;
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93u;
    return (size_t)(key ^ key >> 32) & (slots - 1);
}

/* The slot of the key, or the free one where it belongs. */
static size_t find(const attest_pair_map *map, uint64_t key)
{
    size_t at = home(key, map->slots);

    while (map->value[at] && map->key[at] != key)
        at = (at + 1) & (map->slots - 1);
    return at;
}

static bool grow(attest_pair_map *map)
{
    attest_pair_map larger = {.slots = map->slots ? 2 * map->slots : 64, .count = map->count};

    larger.key = attest_memory_alloc(larger.slots, sizeof *larger.key);
    larger.value = attest_memory_alloc(larger.slots, sizeof *larger.value);
    if (!larger.key || !larger.value) {
        attest_pair_map_clear(&larger);
        return false;
    }
    for (size_t i = 0; i < map->slots; i++) {
        if (map->value[i]) {
            size_t at = find(&larger, map->key[i]);
            larger.key[at] = map->key[i];
            larger.value[at] = map->value[i];
        }
    }
    attest_pair_map_clear(map);
    *map = larger;
    return true;
}

bool attest_pair_map_get(uint32_t *number, bool *is_new, attest_pair_map *map, uint32_t first,
                         uint32_t second)
{
    uint64_t key = (uint64_t)first << 32 | second;
    size_t at;

    if (map->count >= map->slots / 4 * 3 && !grow(map))
        return false;
    at = find(map, key);
    *is_new = map->value[at] == 0;
    if (*is_new) {
        if (map->count >= UINT32_MAX - 1)
            return false;
        map->key[at] = key;
        map->value[at] = ++map->count;
    }
    *number = map->value[at] - 1;
    return true;
}
