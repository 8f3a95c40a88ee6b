/* word_map.c -- numbers for byte strings, given out in order of appearance. */
#include "base/word_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"

void attest_word_map_init(attest_word_map *map)
{
    memset(map, 0, sizeof *map);
}

void attest_word_map_clear(attest_word_map *map)
{
    free(map->word);
    attest_map_clear(&map->map);
    attest_word_map_init(map);
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

/* The word that is looked for is kept, for now, behind the last. */
static bool is_last(void *key, size_t number)
{
    const attest_word_map *map = key;
    const attest_word *word = &map->word[number], *last = &map->word[map->count];

    return word->length == last->length && memcmp(word->text, last->text, last->length) == 0;
}

bool attest_word_map_get(uint32_t *number, bool *is_new, attest_word_map *map, const char *text,
                         size_t length)
{
    if (!attest_map_reserve(&map->map, map->count) ||
        !attest_memory_grow(&map->word, &map->room, map->count + 1, sizeof *map->word))
        return false;
    map->word[map->count] = (attest_word){text, length};
    *number =
        (uint32_t)attest_map_get(&map->map, hash_of(text, length), is_last, map, map->count);
    *is_new = *number == map->count;
    map->count += *is_new;
    return true;
}
