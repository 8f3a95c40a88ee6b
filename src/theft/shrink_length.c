/* Passes for choices that say how many choices follow: lowering one and deleting the element
 * that is no longer asked for belong together. */
#include "shrink.h"

/* Beyond this length an element is looked for at multiples of its presumed size only. */
#define EXHAUSTIVE_LENGTH 128
#define MOST_PLACES 1024 /* with more places than this, at multiples of what is missing */

/* Choice i lowered by `by` uses `missing` fewer choices: lowers it and deletes that many at
 * every later place in turn. */
static bool lower_and_delete(struct theft_shrink *s, size_t i, uint64_t by, size_t missing)
{
    size_t end = s->slot->input.start[theft_shrink_arg_of(s, i) + 1];
    size_t step = 1;
    if (theft_shrink_length(s) > EXHAUSTIVE_LENGTH && missing / by > 1)
        step = (size_t)(missing / by);
    if ((end - i) / step > MOST_PLACES)
        step = missing;
    for (size_t at = i + 1; at + missing <= end; at += step) {
        if (!theft_shrink_propose(s))
            return false;
        s->proposal.at[i].value -= by;
        theft_shrink_cut(s, at, missing);
        if (theft_shrink_try(s))
            return true;
    }
    return false;
}

/* Lowers choice i by `by`, alone or with a deletion; true on progress. */
static bool lower(struct theft_shrink *s, size_t i, uint64_t by)
{
    size_t length = theft_shrink_length(s);
    if (theft_shrink_try_value(s, i, theft_shrink_get(s, i).value - by))
        return true;
    size_t used = theft_shrink_used(s);
    return used < length && lower_and_delete(s, i, by, length - used);
}

void theft_pass_lower_delete(struct theft_shrink *s)
{
    for (size_t i = 0; i < theft_shrink_length(s) && !theft_shrink_over(s); i++) {
        uint64_t v = theft_shrink_get(s, i).value;
        if (v == 0)
            continue;
        for (uint64_t by = UINT64_C(1) << (theft_choice_width(v) - 1); by > 0; by /= 2)
            while (i < theft_shrink_length(s) && theft_shrink_get(s, i).value >= by &&
                   lower(s, i, by))
                ;
    }
}

/* A choice that counts bits, and the next one that holds them: shifts the latter down by 2^k
 * bits and lowers the former by as much. */
void theft_pass_shift(struct theft_shrink *s)
{
    for (size_t i = 0; i + 1 < theft_shrink_length(s) && !theft_shrink_over(s); i++)
        for (unsigned by = 32; by > 0; by /= 2)
            while (i + 1 < theft_shrink_length(s)) {
                uint64_t count = theft_shrink_get(s, i).value;
                uint64_t bits = theft_shrink_get(s, i + 1).value;
                if (count < by || bits == 0 || (bits & ((UINT64_C(1) << by) - 1)) ||
                    !theft_shrink_propose(s))
                    break;
                s->proposal.at[i].value = count - by;
                s->proposal.at[i + 1].value = bits >> by;
                if (!theft_shrink_try(s))
                    break;
            }
}
