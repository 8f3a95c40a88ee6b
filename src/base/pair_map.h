/* pair_map.h -- numbers for pairs of numbers, given out in order of appearance. */
#ifndef ATTEST_BASE_PAIR_MAP_H
#define ATTEST_BASE_PAIR_MAP_H

#include "base/map.h"

typedef struct attest_pair_map {
    uint64_t *pair; /* first << 32 | second, by number */
    size_t count, room;
    attest_map map;
} attest_pair_map;

void attest_pair_map_clear(attest_pair_map *map);

/* *number = that of (first, second): 0, 1, 2 ... in order of appearance; *is_new tells whether
 * it was given out now. False: out of memory, or 2^32 - 2 pairs were met. */
bool attest_pair_map_get(uint32_t *number, bool *is_new, attest_pair_map *map, uint32_t first,
                         uint32_t second);

#endif
