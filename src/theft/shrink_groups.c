/* Passes that lower several choices together. */
#include "shrink.h"

#define MOST_CHOICES 64 /* pairs are all tried in sequences up to this length */

/* Choices that go down together: bit i stands for choice i. Sequences beyond MOST_CHOICES are
 * handled by value, in windows. */
struct group {
    size_t members[MOST_CHOICES];
    uint64_t values[MOST_CHOICES];
    size_t count;
};

static bool lower_group(struct theft_shrink *s, uint64_t k, void *data)
{
    const struct group *g = data;
    if (g->members[g->count - 1] >= theft_shrink_length(s) || !theft_shrink_propose(s))
        return false;
    for (size_t i = 0; i < g->count; i++)
        s->proposal.at[g->members[i]].value = g->values[i] - k;
    return theft_shrink_try(s);
}

/* Lowers all members by the same amount, as far as that goes. Steps of one first; where that
 * does not help, bisection from the far end finds jumps. */
static void lower_all(struct theft_shrink *s, struct group *g)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < g->count; i++)
        if (g->values[i] < least)
            least = g->values[i];
    if (theft_shrink_extend(s, least, lower_group, g) == 0)
        for (uint64_t k = least; k > 1 && !lower_group(s, k, g); k /= 2)
            ;
}

static void add(struct theft_shrink *s, struct group *g, size_t i)
{
    if (g->count < MOST_CHOICES) {
        g->members[g->count] = i;
        g->values[g->count++] = theft_shrink_get(s, i).value;
    }
}

/* Choices of equal value and range: all of them, then every two of them. */
void theft_pass_equal(struct theft_shrink *s)
{
    for (size_t i = 0; i < theft_shrink_length(s) && !theft_shrink_over(s); i++) {
        struct theft_choice c = theft_shrink_get(s, i);
        struct group all = {.count = 0};
        if (c.value == 0)
            continue;
        for (size_t j = i; j < theft_shrink_length(s); j++)
            if (theft_shrink_get(s, j).value == c.value && theft_shrink_get(s, j).max == c.max)
                add(s, &all, j);
        if (all.count < 2)
            continue;
        lower_all(s, &all);
        for (size_t k = 1; k < all.count && all.count > 2; k++) {
            struct group two = {.members = {i, all.members[k]}, .count = 2};
            if (all.members[k] >= theft_shrink_length(s) ||
                theft_shrink_get(s, i).value != c.value ||
                theft_shrink_get(s, all.members[k]).value != c.value)
                break;
            two.values[0] = two.values[1] = c.value;
            lower_all(s, &two);
        }
    }
}

/* Choices of the same range that keep their distances: every two, and all of them. */
void theft_pass_together(struct theft_shrink *s)
{
    for (size_t i = 0; i < theft_shrink_length(s) && !theft_shrink_over(s); i++) {
        struct group all = {.count = 0};
        if (theft_shrink_length(s) > MOST_CHOICES)
            return;
        for (size_t j = i; j < theft_shrink_length(s); j++) {
            struct theft_choice c = theft_shrink_get(s, j);
            if (c.value && c.max == theft_shrink_get(s, i).max)
                add(s, &all, j);
        }
        if (all.count < 2 || all.members[0] != i)
            continue;
        lower_all(s, &all);
        for (size_t k = 1; k < all.count && all.count > 2; k++) {
            struct group two = {.count = 0};
            if (all.members[k] >= theft_shrink_length(s))
                break;
            add(s, &two, i);
            add(s, &two, all.members[k]);
            if (two.values[0] && two.values[1])
                lower_all(s, &two);
        }
    }
}
