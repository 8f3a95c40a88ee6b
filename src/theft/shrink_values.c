/* Passes that make single choices smaller. */
#include "shrink.h"

#define LARGEST_STEP 16   /* residues modulo up to this are found by trying every step */
#define SHORT_SEQUENCE 64 /* beyond this length only cheap attempts are made */
#define SHORT_SEQUENCE_STEP 2

/* Zeroes runs of choices, long ones first. */
void theft_pass_zero(struct theft_shrink *s)
{
    for (size_t size = theft_shrink_length(s); size > 1; size /= 2)
        for (size_t at = 0; at + size <= theft_shrink_length(s); at += size) {
            uint64_t any = 0;
            if (!theft_shrink_propose(s))
                return;
            for (size_t i = at; i < at + size; i++) {
                any |= s->proposal.at[i].value;
                s->proposal.at[i].value = 0;
            }
            if (any)
                theft_shrink_try(s);
        }
}

/* The least value in [0, v] by bisection, as if failing were monotone in it. */
static void bisect(struct theft_shrink *s, size_t i)
{
    uint64_t low = 0; /* tried */
    while (i < theft_shrink_length(s) && theft_shrink_get(s, i).value - low > 1) {
        uint64_t high = theft_shrink_get(s, i).value;
        uint64_t middle = low + (high - low) / 2;
        if (!theft_shrink_try_value(s, i, middle))
            low = middle;
        else if (i < theft_shrink_length(s) && theft_shrink_get(s, i).value < low)
            return; /* another input altogether */
    }
}

struct step {
    size_t i;
    uint64_t from, by;
};

static bool subtract(struct theft_shrink *s, uint64_t k, void *data)
{
    const struct step *step = data;
    return theft_shrink_try_value(s, step->i, step->from - k * step->by);
}

/* Where failing is not monotone: steps of 1, 2, ... and as many of them as possible. */
static void step_down(struct theft_shrink *s, size_t i)
{
    size_t largest =
        theft_shrink_length(s) <= SHORT_SEQUENCE ? LARGEST_STEP : SHORT_SEQUENCE_STEP;
    for (uint64_t by = 1; by <= largest && i < theft_shrink_length(s); by++) {
        struct step step = {.i = i, .from = theft_shrink_get(s, i).value, .by = by};
        theft_shrink_extend(s, step.from / by, subtract, &step);
    }
}

/* Where single bits have a meaning: without each of them, the high ones first; and all of them
 * moved down. */
static void drop_bits(struct theft_shrink *s, size_t i)
{
    for (unsigned bit = 64; bit-- > 0 && i < theft_shrink_length(s);) {
        uint64_t v = theft_shrink_get(s, i).value;
        if (v >> bit & 1)
            theft_shrink_try_value(s, i, v & ~(UINT64_C(1) << bit));
    }
    while (i < theft_shrink_length(s) && theft_shrink_get(s, i).value > 1 &&
           theft_shrink_try_value(s, i, theft_shrink_get(s, i).value >> 1))
        ;
}

void theft_pass_values(struct theft_shrink *s)
{
    for (size_t i = 0; i < theft_shrink_length(s) && !theft_shrink_over(s); i++) {
        if (theft_shrink_get(s, i).value == 0 || theft_shrink_try_value(s, i, 0))
            continue;
        bisect(s, i);
        if (theft_shrink_length(s) <= SHORT_SEQUENCE)
            drop_bits(s, i);
        step_down(s, i);
    }
}
