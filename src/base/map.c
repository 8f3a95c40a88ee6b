/* map.c -- which number a key has. */
#include "base/map.h"

#include <stdlib.h>

#include "base/memory.h"

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
    size_t mask = map->slots - 1, at = attest_map_home(map, entry);

    while (map->slot[at])
        at = (at + 1) & mask;
    map->slot[at] = entry;
}

void attest_map_enter(attest_map *map, uint64_t hash, size_t number)
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
    if (count < map->slots / 4 * 3)
        return true;
    return count < ATTEST_MAP_MOST && attest_map_resize(map, attest_map_slots(count + 1));
}
