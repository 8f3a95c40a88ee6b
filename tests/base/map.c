/* map.c -- hash maps, and arrays that grow. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "tests/tap.h"

enum { KEYS = 5000 };

static uint64_t kept[KEYS];

static bool is_kept(void *key, size_t number)
{
    return kept[number] == *(uint64_t *)key;
}

/* Keys are given twice, in two orders, under the hash: all get the numbers of their first
 * appearance. */
static bool finds_all(uint64_t (*hash)(uint64_t key))
{
    attest_map map = {0};
    bool right = true;

    for (uint64_t k = 0; k < KEYS && right; k++) {
        uint64_t key = 3 * k;

        right = attest_map_reserve(&map, (size_t)k) &&
                attest_map_get(&map, hash(key), is_kept, &key, (size_t)k) == k;
        kept[k] = key;
    }
    right = right && map.slots == attest_map_slots(KEYS);
    for (uint64_t k = KEYS; k-- > 0 && right;) {
        uint64_t key = 3 * k;

        right = attest_map_get(&map, hash(key), is_kept, &key, KEYS) == k;
    }
    attest_map_clear(&map);
    return right;
}

static uint64_t hash_well(uint64_t key)
{
    return attest_random_mix(key);
}

static uint64_t hash_to_one(uint64_t key)
{
    (void)key;
    return UINT64_MAX; /* the last slot: the search continues at the first */
}

static uint64_t hash_to_few(uint64_t key)
{
    return attest_random_mix(key % 7);
}

static void test_pairs(void)
{
    attest_pair_map map = {0};
    uint32_t number;
    bool is_new, right = true;

    for (uint32_t i = 0; i < KEYS && right; i++)
        right = attest_pair_map_get(&number, &is_new, &map, i % 50, i / 50) && is_new &&
                number == i;
    TAP_OK(right, "pairs are numbered in order of appearance");
    for (uint32_t i = KEYS; i-- > 0 && right;)
        right = attest_pair_map_get(&number, &is_new, &map, i % 50, i / 50) && !is_new &&
                number == i;
    TAP_OK(right, "pairs are found again, (a, b) apart from (b, a)");
    attest_pair_map_clear(&map);
}

static void test_words(void)
{
    static const char text[] = "abcabcab";
    attest_word_map map;
    uint32_t number[6];
    bool is_new[6], right = true;

    attest_word_map_init(&map);
    for (size_t i = 0; i < 6; i++)
        right = right && attest_word_map_get(&number[i], &is_new[i], &map, text + i, 3);
    TAP_OK(right && number[0] == 0 && number[1] == 1 && number[2] == 2 && number[3] == 0 &&
               is_new[2] && !is_new[3],
           "words are told apart by their bytes");
    right = attest_word_map_get(&number[0], &is_new[0], &map, text, 2) && is_new[0];
    TAP_OK(right && number[0] == 3, "the beginning of a word is another one");
    attest_word_map_clear(&map);
}

static void test_growth(void)
{
    size_t room = 0, most = SIZE_MAX / sizeof(double);
    double *array = NULL;
    bool right = true;

    for (size_t i = 0; i < KEYS && right; i++) {
        right = attest_memory_grow(&array, &room, i + 1, sizeof *array) && room > i;
        if (right)
            array[i] = (double)i;
    }
    for (size_t i = 0; i < KEYS && right; i++)
        right = array[i] == (double)i;
    TAP_OK(right, "an array keeps its elements as it grows");
    TAP_OK(room <= KEYS + KEYS / 2, "and reserves at most half of its size in addition");
    room = KEYS;
    TAP_OK(!attest_memory_grow(&array, &room, most + 1, sizeof *array) && room == KEYS &&
               array[1] == 1,
           "bytes beyond what can be counted are refused");
    free(array);
}

TEST(map)
{
    TAP_OK(finds_all(hash_well), "keys are found");
    TAP_OK(finds_all(hash_to_one), "keys with one hash are found");
    TAP_OK(finds_all(hash_to_few), "keys with few hashes are found");
    TAP_OK(attest_map_slots(48) == 64 && attest_map_slots(49) == 128,
           "slots are at most three quarters full");
    test_pairs();
    test_words();
    test_growth();
    return 0;
}
