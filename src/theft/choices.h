/* The choice sequence: every draw that made an input, in order. It is what autoshrink shrinks,
 * what guided search mutates, and what identifies an input whose type has no hash. */
#ifndef THEFT_CHOICES_H
#define THEFT_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One draw: `value` in [0, max]. */
struct theft_choice {
    uint64_t value;
    uint64_t max;
};

/* A growing sequence. All zero is the empty one. */
struct theft_choices {
    struct theft_choice *at;
    size_t count;
    size_t capacity;
};

/* Room for `capacity` choices in all; false when there is no memory for it (nothing changes).
 */
bool theft_choices_reserve(struct theft_choices *c, size_t capacity);

/* `to` becomes a copy of `count` choices; false without memory. */
bool theft_choices_set(struct theft_choices *to, const struct theft_choice *from, size_t count);

/* Removes `count` choices from position `at` on. */
void theft_choices_delete(struct theft_choices *c, size_t at, size_t count);

void theft_choices_clear(struct theft_choices *c);

static inline bool theft_choices_push(struct theft_choices *c, uint64_t value, uint64_t max)
{
    if (c->count == c->capacity && !theft_choices_reserve(c, c->count + 1))
        return false;
    c->at[c->count].value = value;
    c->at[c->count].max = max;
    c->count++;
    return true;
}

/* Bits of a draw in [0, max]. */
static inline unsigned theft_choice_width(uint64_t max)
{
    return max ? 64 - (unsigned)__builtin_clzll(max) : 0;
}

#endif
