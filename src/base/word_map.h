/* word_map.h -- numbers for byte strings, given out in order of appearance.
 *
 * Strings are hashed by SHA-256, so that no input can be made to collide; the map points to
 * them, and they must outlive it. */
#ifndef ATTEST_BASE_WORD_MAP_H
#define ATTEST_BASE_WORD_MAP_H

#include "base/map.h"

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

/* *number = that of the string; *is_new: it was given out now. False: out of memory, or 2^32 -
 * 2 strings were met. */
bool attest_word_map_get(uint32_t *number, bool *is_new, attest_word_map *map, const char *text,
                         size_t length);

#endif
