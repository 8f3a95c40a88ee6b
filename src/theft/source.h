/* Where the draws of a callback come from: fresh from the generator, or replayed from a choice
 * sequence; and where they are noted down. */
#ifndef THEFT_SOURCE_H
#define THEFT_SOURCE_H

#include "choices.h"
#include "prng.h"

struct theft_source {
    struct theft_prng prng;
    bool replaying;
    const struct theft_choice *next, *end; /* what is left to replay */
    struct theft_choices *record;          /* NULL: not noted down */
    bool no_memory;                        /* a choice could not be noted down */
};

/* Draws come from the stream of `seed` for `use`, noted down in `record` unless NULL. */
static inline void theft_source_fresh(struct theft_source *s, uint64_t seed,
                                      enum theft_stream use, struct theft_choices *record)
{
    theft_prng_init(&s->prng, seed, use);
    s->replaying = false;
    s->record = record;
}

/* Draws come from a sequence that must stay as it is meanwhile; after its end they are zero. */
static inline void theft_source_replay(struct theft_source *s, const struct theft_choice *from,
                                       size_t count, struct theft_choices *record)
{
    s->replaying = true;
    s->next = from;
    s->end = count ? from + count : from;
    s->record = record;
}

/* The next replayed value, brought into [0, max]. */
static inline uint64_t theft_source_next(struct theft_source *s, uint64_t max)
{
    if (s->next == s->end)
        return 0;
    uint64_t v = s->next++->value;
    return v < max ? v : max;
}

static inline void theft_source_note(struct theft_source *s, uint64_t value, uint64_t max)
{
    if (s->record && !theft_choices_push(s->record, value, max))
        s->no_memory = true;
}

/* The engine's own draws are choices of a value in [0, max], however many random bits it took
 * to make a fresh one: */
static inline uint64_t theft_source_below(struct theft_source *s, uint64_t ceil)
{
    if (ceil <= 1)
        return 0;
    uint64_t v =
        s->replaying ? theft_source_next(s, ceil - 1) : theft_prng_below(&s->prng, ceil);
    theft_source_note(s, v, ceil - 1);
    return v;
}

#endif
