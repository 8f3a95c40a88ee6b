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
    free(map->slot);
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

/* The slot of the word, or the free one where it belongs. Domain: a free slot is left. */
static size_t find(const attest_word_map *map, const attest_word *word)
{
    size_t at = (size_t)word->hash & (map->slots - 1);

    while (map->slot[at]) {
        const attest_word *other = &map->word[map->slot[at] - 1];
        if (other->hash == word->hash && other->length == word->length &&
            memcmp(other->text, word->text, word->length) == 0)
            break;
        at = (at + 1) & (map->slots - 1);
    }
    return at;
}

/* Makes room for one more word, slots at most three quarters full. */
static bool grow(attest_word_map *map)
{
    size_t room = map->room ? 2 * map->room : 48, slots = map->slots ? 2 * map->slots : 64;
    attest_word *word;
    uint32_t *slot;

    if (map->count < map->room)
        return true;
    if (map->count >= UINT32_MAX - 1)
        return false;
    word = attest_memory_resize(map->word, room, sizeof *word);
    if (!word)
        return false;
    map->word = word;
    slot = attest_memory_alloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(map->slot);
    map->slot = slot;
    map->slots = slots;
    map->room = room;
    for (size_t i = 0; i < map->count; i++)
        map->slot[find(map, &map->word[i])] = (uint32_t)i + 1;
    return true;
}

bool attest_word_map_get(uint32_t *number, bool *is_new, attest_word_map *map, const char *text,
                         size_t length)
{
    attest_word word = {text, length, hash_of(text, length)};
    size_t at;

    if (!grow(map))
        return false;
    at = find(map, &word);
    *is_new = map->slot[at] == 0;
    if (*is_new) {
        map->word[map->count++] = word;
        map->slot[at] = (uint32_t)map->count;
    }
    *number = map->slot[at] - 1;
    return true;
}
