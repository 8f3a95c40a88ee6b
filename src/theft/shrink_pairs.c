/* Passes on two choices at a time: moving weight to the later one, and putting them in order.
 */
#include "shrink.h"

#define MOST_CHOICES 64 /* every pair is tried in sequences up to this length, */
#define REACH 8         /* neighbours so far apart in longer ones */
#define LONGEST_BLOCK 4

struct pair {
    size_t i, j;
    uint64_t vi, vj;
};

static bool move(struct theft_shrink *s, uint64_t k, void *data)
{
    const struct pair *p = data;
    if (p->j >= theft_shrink_length(s) || !theft_shrink_propose(s))
        return false;
    s->proposal.at[p->i].value = p->vi - k;
    s->proposal.at[p->j].value = p->vj + k;
    return theft_shrink_try(s);
}

static size_t reach(const struct theft_shrink *s, size_t i)
{
    size_t n = theft_shrink_length(s);
    return n <= MOST_CHOICES || n - i <= REACH ? n : i + REACH;
}

/* Weight moves from the earlier to the later of two choices with the same range, so that sums
 * stay: all that fits, else as much as possible. */
void theft_pass_move(struct theft_shrink *s)
{
    for (size_t i = 0; i < theft_shrink_length(s) && !theft_shrink_over(s); i++)
        for (size_t j = i + 1; j < reach(s, i); j++) {
            struct theft_choice a = theft_shrink_get(s, i), b = theft_shrink_get(s, j);
            struct pair p = {i, j, a.value, b.value};
            uint64_t most = a.value < b.max - b.value ? a.value : b.max - b.value;
            if (a.max != b.max || most == 0 || move(s, most, &p))
                continue;
            theft_shrink_extend(s, most, move, &p);
        }
}

static bool lower_and_raise(struct theft_shrink *s, uint64_t k, void *data)
{
    const struct pair *p = data;
    if (p->j >= theft_shrink_length(s) || !theft_shrink_propose(s))
        return false;
    s->proposal.at[p->i].value = p->vi - k;
    s->proposal.at[p->j].value = s->proposal.at[p->j].max;
    return theft_shrink_try(s);
}

/* What is lost by lowering a choice may be made up for by a later one, in whatever way: gives
 * that one its largest value, and leaves it to the other passes to lower it again. */
void theft_pass_raise(struct theft_shrink *s)
{
    for (size_t i = 0; i < theft_shrink_length(s) && !theft_shrink_over(s); i++)
        for (size_t j = i + 1; j < reach(s, i); j++) {
            struct theft_choice a = theft_shrink_get(s, i), b = theft_shrink_get(s, j);
            struct pair p = {i, j, a.value, b.value};
            if (a.max == b.max && a.value > 0 && b.value > 0 && b.value < b.max)
                theft_shrink_extend(s, a.value, lower_and_raise, &p);
        }
}

static bool try_swap(struct theft_shrink *s, size_t i, size_t j, size_t size)
{
    if (!theft_shrink_propose(s))
        return false;
    for (size_t k = 0; k < size; k++) {
        struct theft_choice c = s->proposal.at[i + k];
        s->proposal.at[i + k] = s->proposal.at[j + k];
        s->proposal.at[j + k] = c;
    }
    return theft_shrink_try(s);
}

/* Whether the block at j would be the better one at i. */
static bool in_disorder(const struct theft_shrink *s, size_t i, size_t j, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (theft_shrink_get(s, i + k).max != theft_shrink_get(s, j + k).max)
            return false;
    for (size_t k = 0; k < size; k++) {
        uint64_t a = theft_shrink_get(s, i + k).value, b = theft_shrink_get(s, j + k).value;
        if (a != b)
            return a > b;
    }
    return false;
}

void theft_pass_reorder(struct theft_shrink *s)
{
    for (size_t i = 0; i < theft_shrink_length(s) && !theft_shrink_over(s); i++)
        for (size_t j = i + 1; j < reach(s, i); j++)
            if (in_disorder(s, i, j, 1))
                try_swap(s, i, j, 1);
    for (size_t size = 2; size <= LONGEST_BLOCK; size++)
        for (size_t i = 0; i + 2 * size <= theft_shrink_length(s) && !theft_shrink_over(s); i++)
            if (in_disorder(s, i, i + size, size))
                try_swap(s, i, i + size, size);
}
