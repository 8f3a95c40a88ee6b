/* pair_map.c -- numbers for pairs of numbers. */
#include "base/pair_map.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

void attest_pair_map_clear(attest_pair_map *map)
{
    free(map->pair);
    attest_map_clear(&map->map);
    *map = (attest_pair_map){0};
}

/* The pair that is looked for is kept, for now, behind the last. */
static bool is_last(void *key, size_t number)
{
    const attest_pair_map *map = key;

    return map->pair[number] == map->pair[map->count];
}

bool attest_pair_map_get(uint32_t *number, bool *is_new, attest_pair_map *map, uint32_t first,
                         uint32_t second)
{
    uint64_t pair = (uint64_t)first << 32 | second;

    if (!attest_map_reserve(&map->map, map->count) ||
        !attest_memory_grow(&map->pair, &map->room, map->count + 1, sizeof *map->pair))
        return false;
    map->pair[map->count] = pair;
    *number =
        (uint32_t)attest_map_get(&map->map, attest_random_mix(pair), is_last, map, map->count);
    *is_new = *number == map->count;
    map->count += *is_new;
    return true;
}
