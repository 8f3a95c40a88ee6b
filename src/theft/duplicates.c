#include "duplicates.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 1024
#define HUGE_PAGE ((size_t)2 << 20)

/* The all-zero slot is the empty one, so that fingerprint goes by another name. */
static struct theft_fingerprint slot_value(struct theft_fingerprint f)
{
    if ((f.a | f.b) == 0)
        f.b = 1;
    return f;
}

/* The slot that holds `f`, or the empty one where it would go. The high bits say where to look:
 * a table is in the order of its fingerprints, but for collisions, and moving to one of twice
 * the size goes through both from front to back instead of missing the cache at every entry. */
static struct theft_fingerprint *find(struct theft_fingerprint *slots, size_t capacity,
                                      struct theft_fingerprint f)
{
    size_t i = (size_t)(f.a >> (64 - (unsigned)__builtin_ctzll(capacity)));
    while ((slots[i].a | slots[i].b) && (slots[i].a != f.a || slots[i].b != f.b))
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static struct theft_fingerprint *slots_alloc(size_t capacity)
{
    size_t bytes = capacity * sizeof(struct theft_fingerprint);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    /* Every look-up in a big table is a TLB miss otherwise. Advice only: failure is harmless.
     */
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

static bool grow(struct theft_duplicates *d)
{
    size_t limit = d->limit ? d->limit : THEFT_DUPLICATES_DEFAULT_LIMIT;
    size_t capacity = d->capacity ? d->capacity * 2 : FIRST_CAPACITY;
    if (capacity > limit / sizeof *d->slots)
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

void theft_duplicates_reset(struct theft_duplicates *d)
{
    if (d->count)
        memset(d->slots, 0, d->capacity * sizeof *d->slots);
    d->count = 0;
    d->full = false;
}

void theft_duplicates_clear(struct theft_duplicates *d)
{
    slots_free(d->slots, d->capacity);
    memset(d, 0, sizeof *d);
}
