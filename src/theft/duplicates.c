#include "duplicates.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 1024
#define HUGE_PAGE ((size_t)2 << 20)
#define LINE ((size_t)4) /* slots in a cache line */

/* All zero is the empty slot: the fingerprint 0 is replaced by another one. */
static struct theft_fingerprint slot_value(struct theft_fingerprint f)
{
    if ((f.a | f.b) == 0)
        f.b = 1;
    return f;
}

/* Returns the slot of `f`, or the empty one where it belongs.
 *
 * The high bits are the place: except for collisions the table is in the order of its
 * fingerprints, so that moving to a larger table reads both from front to back instead of
 * missing the cache at every entry. A line is searched without branches: only whether it is
 * full, which is rare, is predicted, so the processor continues with the next trial while it
 * waits for memory. A line is filled from its start, so a hit comes before any empty slot. */
static struct theft_fingerprint *find(struct theft_fingerprint *slots, size_t capacity,
                                      struct theft_fingerprint f)
{
    size_t i = (size_t)(f.a >> (64 - (unsigned)__builtin_ctzll(capacity))) & ~(LINE - 1);
    for (;; i = (i + LINE) & (capacity - 1)) {
        unsigned found = 0;
        for (unsigned k = 0; k < LINE; k++) {
            const struct theft_fingerprint *s = &slots[i + k];
            unsigned hit = ((s->a ^ f.a) | (s->b ^ f.b)) == 0, empty = (s->a | s->b) == 0;
            found |= (hit | empty) << k;
        }
        if (found)
            return &slots[i + (unsigned)__builtin_ctz(found)];
    }
}

static struct theft_fingerprint *slots_alloc(size_t capacity)
{
    size_t bytes = capacity * sizeof(struct theft_fingerprint);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    /* Avoids a TLB miss at every look-up in a large table. Only advice: failure is harmless. */
    if (bytes >= HUGE_PAGE)
        (void)madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

static void slots_free(struct theft_fingerprint *slots, size_t capacity)
{
    if (slots)
        munmap(slots, capacity * sizeof *slots);
}

/* Returns four times the slots if more inputs than that are expected, else twice. */
static size_t next_capacity(const struct theft_duplicates *d)
{
    if (!d->capacity)
        return FIRST_CAPACITY;
    return d->expected / 2 > d->capacity ? d->capacity * 4 : d->capacity * 2;
}

static bool grow(struct theft_duplicates *d)
{
    size_t most = (d->limit ? d->limit : THEFT_DUPLICATES_DEFAULT_LIMIT) / sizeof *d->slots;
    size_t capacity = next_capacity(d);
    if (capacity > most)
        capacity = d->capacity * 2;
    if (capacity > most || capacity == 0)
        return false;
    struct theft_fingerprint *slots = slots_alloc(capacity);
    if (!slots)
        return false;
    for (size_t i = 0; i < d->capacity; i++)
        if (d->slots[i].a | d->slots[i].b)
            *find(slots, capacity, d->slots[i]) = d->slots[i];
    slots_free(d->slots, d->capacity);
    d->slots = slots;
    d->capacity = capacity;
    return true;
}

bool theft_duplicates_has(const struct theft_duplicates *d, struct theft_fingerprint f)
{
    if (!d->capacity)
        return false;
    const struct theft_fingerprint *slot = find(d->slots, d->capacity, slot_value(f));
    return (slot->a | slot->b) != 0;
}

bool theft_duplicates_add(struct theft_duplicates *d, struct theft_fingerprint f)
{
    if (!d->full && d->count >= d->capacity - d->capacity / 4)
        d->full = !grow(d);
    if (!d->capacity)
        return false;
    f = slot_value(f);
    struct theft_fingerprint *slot = find(d->slots, d->capacity, f);
    if (slot->a | slot->b)
        return true;
    if (!d->full) {
        *slot = f;
        d->count++;
    }
    return false;
}

void theft_duplicates_clear(struct theft_duplicates *d)
{
    slots_free(d->slots, d->capacity);
    memset(d, 0, sizeof *d);
}
