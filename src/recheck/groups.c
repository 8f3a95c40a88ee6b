/* groups.c -- the classes of positions, from the definition, by sorting. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "recheck/recheck.h"

/* One position and the sorted set of the tokens that it sees. */
typedef struct sight {
    size_t position;
    uint32_t token, count;
    uint64_t hash;
    const uint32_t *set; /* owned by the first position of those that share it */
} sight;

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The hash only makes the order quick: sets are compared where it is equal. */
static int by_class(const void *a, const void *b)
{
    const sight *x = a, *y = b;

    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->set == y->set ? 0 : memcmp(x->set, y->set, x->count * sizeof *x->set);
}

/* The token at a position as the definition knows it. */
static uint32_t token_at(const attest_dataset *dataset, size_t position)
{
    uint32_t t = dataset->token[position];

    return dataset->meant ? dataset->meant[t] : t;
}

/* The set of the first seen tokens of a sequence; NULL when memory is out. */
static uint32_t *make_set(uint32_t *count, uint64_t *hash, const attest_dataset *dataset,
                          size_t start, size_t seen)
{
    uint32_t *set = attest_memory_alloc(seen, sizeof *set);

    if (!set)
        return NULL;
    for (size_t k = 0; k < seen; k++)
        set[k] = token_at(dataset, start + k);
    qsort(set, seen, sizeof *set, by_number);
    *count = 0;
    *hash = 0;
    for (size_t k = 0; k < seen; k++)
        if (k == 0 || set[k] != set[*count - 1]) {
            *hash = (*hash ^ set[k]) * UINT64_C(0x9e3779b97f4a7c15);
            *hash ^= *hash >> 29;
            set[(*count)++] = set[k];
        }
    return set;
}

/* All positions of a sequence: without a mask they share one set. */
static bool make_sights(sight *sights, const attest_recheck *check, size_t sequence)
{
    const attest_dataset *dataset = check->dataset;
    size_t start = dataset->start[sequence], length = attest_dataset_length(dataset, sequence);
    bool causal = check->weights->mask == ATTEST_MASK_CAUSAL;

    for (size_t k = 0; k < length; k++) {
        sight *s = &sights[start + k];
        if (k > 0 && !causal) {
            *s = sights[start];
        } else {
            s->set = make_set(&s->count, &s->hash, dataset, start, causal ? k + 1 : length);
            if (!s->set)
                return false;
        }
        s->position = start + k;
        s->token = token_at(dataset, start + k);
    }
    return true;
}

/* Numbers the classes by sorting all positions. */
bool attest_recheck_find_groups(attest_recheck *check)
{
    const attest_dataset *dataset = check->dataset;
    sight *sights ATTEST_FREED = attest_memory_alloc(check->positions, sizeof *sights);
    bool ok = sights != NULL, causal = check->weights->mask == ATTEST_MASK_CAUSAL;
    uint32_t group = 0;

    for (size_t i = 0; ok && i < dataset->count; i++)
        ok = make_sights(sights, check, i);
    if (ok) {
        qsort(sights, check->positions, sizeof *sights, by_class);
        for (size_t p = 0; p < check->positions; p++) {
            group += p > 0 && by_class(&sights[p - 1], &sights[p]) != 0;
            check->group[sights[p].position] = group;
        }
    }
    /* A set belongs to the first position of its sequence, or to each under a mask. */
    for (size_t p = 0; sights && p < check->positions; p++)
        if (causal || dataset->start[attest_recheck_sequence(check, sights[p].position)] ==
                          sights[p].position)
            free((void *)sights[p].set);
    return ok;
}
