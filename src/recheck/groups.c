/* groups.c -- the classes of positions, from the definition, by sorting. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recheck/recheck.h"

/* One position and the sorted set of the tokens that it sees. */
typedef struct sight {
    size_t position;
    uint32_t token;
    size_t count;
    uint32_t *set;
} sight;

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int by_class(const void *a, const void *b)
{
    const sight *x = a, *y = b;

    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->count ? memcmp(x->set, y->set, x->count * sizeof *x->set) : 0;
}

static bool make_sight(sight *s, const attest_recheck *check, size_t position)
{
    const attest_dataset *dataset = check->dataset;
    size_t seen = attest_recheck_seen(check, position), count = 0;
    size_t start = dataset->start[attest_recheck_sequence(check, position)];

    s->position = position;
    s->token = dataset->token[position];
    s->set = attest_memory_alloc(seen, sizeof *s->set);
    if (!s->set)
        return false;
    memcpy(s->set, dataset->token + start, seen * sizeof *s->set);
    qsort(s->set, seen, sizeof *s->set, by_number);
    for (size_t k = 0; k < seen; k++)
        if (k == 0 || s->set[k] != s->set[count - 1])
            s->set[count++] = s->set[k];
    s->count = count;
    return true;
}

/* Numbers the classes by sorting all positions. */
bool attest_recheck_find_groups(attest_recheck *check)
{
    sight *sights = attest_memory_alloc(check->positions, sizeof *sights);
    uint32_t group = 0;
    bool ok = sights != NULL;

    for (size_t p = 0; ok && p < check->positions; p++)
        ok = make_sight(&sights[p], check, p);
    if (ok) {
        qsort(sights, check->positions, sizeof *sights, by_class);
        for (size_t p = 0; p < check->positions; p++) {
            group += p > 0 && by_class(&sights[p - 1], &sights[p]) != 0;
            check->group[sights[p].position] = group;
        }
    }
    for (size_t p = 0; sights && p < check->positions; p++)
        free(sights[p].set);
    free(sights);
    return ok;
}
