/* prefix_set.c -- numbers for what a query sees. */
#include "theory/prefix_set.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

/* Arithmetic modulo the prime 2^61 - 1: sums of token values divided by the length are the same
 * for proportional multiplicities. */
#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t modular_multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t modular_inverse(uint64_t a)
{
    uint64_t power = 1;

    for (uint64_t e = PRIME - 2; e; e >>= 1) {
        if (e & 1)
            power = modular_multiply(power, a);
        a = modular_multiply(a, a);
    }
    return power;
}

static uint32_t token_of(const attest_prefix *prefix, size_t sequence, size_t k)
{
    return prefix->meant ? attest_dataset_meant(prefix->dataset, sequence, k)
                         : attest_dataset_token(prefix->dataset, sequence, k);
}

attest_status attest_prefix_init(attest_prefix *prefix, const attest_dataset *dataset,
                                 attest_error *error)
{
    size_t tokens = dataset->tokens.count;

    *prefix = (attest_prefix){.dataset = dataset};
    prefix->stamp = attest_memory_alloc(tokens, sizeof *prefix->stamp);
    prefix->times = attest_memory_alloc(tokens, sizeof *prefix->times);
    prefix->rank = attest_memory_alloc(tokens, sizeof *prefix->rank);
    prefix->other_stamp = attest_memory_alloc(tokens, sizeof *prefix->other_stamp);
    prefix->other_times = attest_memory_alloc(tokens, sizeof *prefix->other_times);
    if (prefix->stamp && prefix->times && prefix->rank && prefix->other_stamp &&
        prefix->other_times)
        return ATTEST_OK;
    attest_prefix_clear(prefix);
    return attest_memory_fail(error);
}

void attest_prefix_clear(attest_prefix *prefix)
{
    free(prefix->stamp);
    free(prefix->times);
    free(prefix->rank);
    free(prefix->other_stamp);
    free(prefix->other_times);
    *prefix = (attest_prefix){0};
}

void attest_prefix_start(attest_prefix *prefix, size_t sequence)
{
    prefix->sequence = sequence;
    prefix->length = prefix->distinct = 0;
    prefix->set_hash = prefix->share_hash = prefix->order_hash = 0;
}

void attest_prefix_extend(attest_prefix *prefix)
{
    uint32_t t = token_of(prefix, prefix->sequence, prefix->length++);
    uint64_t value = attest_random_mix(t);

    prefix->share_hash = (prefix->share_hash + value % PRIME) % PRIME;
    if (prefix->stamp[t] == prefix->sequence + 1) {
        prefix->times[t]++;
        return;
    }
    prefix->stamp[t] = prefix->sequence + 1;
    prefix->times[t] = 1;
    prefix->rank[t] = prefix->distinct++;
    prefix->set_hash += value;
    prefix->order_hash = attest_random_mix(prefix->order_hash ^ value);
}

void attest_prefix_set_init(attest_prefix_set *set, attest_likeness likeness)
{
    *set = (attest_prefix_set){.likeness = likeness};
}

void attest_prefix_set_clear(attest_prefix_set *set)
{
    free(set->entry);
    attest_map_clear(&set->map);
    attest_prefix_set_init(set, set->likeness);
}

static uint64_t hash_of(attest_likeness likeness, const attest_prefix *prefix)
{
    switch (likeness) {
    case ATTEST_LIKE_SETS:
        return attest_random_mix(prefix->set_hash);
    case ATTEST_LIKE_PROPORTIONS:
        return attest_random_mix(
            modular_multiply(prefix->share_hash, modular_inverse(prefix->length)));
    case ATTEST_LIKE_ORDERS:
        break;
    }
    return attest_random_mix(prefix->order_hash);
}

/* Counts the tokens of the entry's beginning in other_times. */
static void count_tokens(attest_prefix *prefix, const attest_prefix_entry *entry)
{
    prefix->comparison++;
    for (size_t k = 0; k < entry->length; k++) {
        uint32_t t = token_of(prefix, entry->sequence, k);
        if (prefix->other_stamp[t] != prefix->comparison)
            prefix->other_times[t] = 0;
        prefix->other_stamp[t] = prefix->comparison;
        prefix->other_times[t]++;
    }
}

/* Compares the current beginning with one that has as many different tokens: when each of those
 * has its counterpart here, none is left over. */
static bool alike(attest_likeness likeness, attest_prefix *prefix,
                  const attest_prefix_entry *entry)
{
    size_t met = 0;

    if (likeness == ATTEST_LIKE_PROPORTIONS)
        count_tokens(prefix, entry);
    else
        prefix->comparison++;
    for (size_t k = 0; k < entry->length; k++) {
        uint32_t t = token_of(prefix, entry->sequence, k);
        if (prefix->stamp[t] != prefix->sequence + 1)
            return false;
        switch (likeness) {
        case ATTEST_LIKE_SETS:
            break;
        case ATTEST_LIKE_PROPORTIONS: /* lengths are below 2^32: no overflow */
            if (prefix->times[t] * entry->length != prefix->other_times[t] * prefix->length)
                return false;
            break;
        case ATTEST_LIKE_ORDERS:
            if (prefix->other_stamp[t] != prefix->comparison && prefix->rank[t] != met++)
                return false;
            prefix->other_stamp[t] = prefix->comparison;
        }
    }
    return true;
}

/* What is looked for. */
typedef struct wanted {
    const attest_prefix_set *set;
    attest_prefix *prefix;
} wanted;

static bool is_same(void *key, size_t number)
{
    const wanted *w = key;
    const attest_prefix_entry *entry = &w->set->entry[number];

    return entry->distinct == w->prefix->distinct && alike(w->set->likeness, w->prefix, entry);
}

bool attest_prefix_set_get(uint32_t *number, attest_prefix_set *set, attest_prefix *prefix)
{
    wanted key = {set, prefix};

    if (!attest_map_reserve(&set->map, set->count) ||
        !attest_memory_grow(&set->entry, &set->room, set->count + 1, sizeof *set->entry))
        return false;
    *number = (uint32_t)attest_map_get(&set->map, hash_of(set->likeness, prefix), is_same, &key,
                                       set->count);
    if (*number == set->count)
        set->entry[set->count++] =
            (attest_prefix_entry){prefix->sequence, prefix->length, prefix->distinct};
    return true;
}
