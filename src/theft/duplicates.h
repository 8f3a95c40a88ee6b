/* The set of inputs already tried: exact, growing.
 *
 * Memory: 16 bytes per slot, open addressing; it starts with 1024 slots and grows when 3/4 are
 * taken, fourfold as long as many more inputs are expected, else twofold. So it holds between
 * 21 and 43 bytes per input at the end of a run (up to 86 on the way, and a quarter to a half
 * more while it grows). It does not grow beyond its limit, nor when there is no memory: from
 * then on new inputs are not remembered. A repetition may then be missed, but what is called a
 * duplicate is one. */
#ifndef THEFT_DUPLICATES_H
#define THEFT_DUPLICATES_H

#include "fingerprint.h"

#define THEFT_DUPLICATES_DEFAULT_LIMIT ((size_t)1 << 30)

/* All zero is an empty set, with the default limit. `limit` and `expected` may be set then. */
struct theft_duplicates {
    struct theft_fingerprint *slots;
    size_t capacity; /* of slots, a power of two */
    size_t count;
    size_t limit;    /* bytes; 0: the default */
    size_t expected; /* inputs, about: how it grows on the way */
    bool full;       /* it could not grow any more */
};

/* Whether `f` is in the set. */
bool theft_duplicates_has(const struct theft_duplicates *d, struct theft_fingerprint f);

/* Puts `f` into the set, if there is room; true when it was there already. */
bool theft_duplicates_add(struct theft_duplicates *d, struct theft_fingerprint f);

void theft_duplicates_clear(struct theft_duplicates *d);

#endif
