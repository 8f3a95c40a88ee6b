/* The passes of shrinking: each tries one kind of simplification of the choices everywhere. */
#include "shrink.h"

/* ---- Deleting runs of choices ------------------------------------------------------------ */

#define LONGEST_BLOCK 8 /* every size of blocks up to this is tried */

/* A run of choices that belong to one argument: deletes [at, at + count). */
static bool try_delete(struct theft_shrink *s, size_t at, size_t count)
{
    if (!theft_shrink_propose(s))
        return false;
    theft_shrink_cut(s, at, count);
    return theft_shrink_try(s);
}

/* The end of the choices of the argument that `at` belongs to. */
static size_t end_of_arg(const struct theft_shrink *s, size_t at)
{
    return s->slot->input.start[theft_shrink_arg_of(s, at) + 1];
}

/* In long sequences the first choices are often lengths. They are halved first, because every
 * later attempt takes time in proportion to the length. */
void theft_pass_truncate(struct theft_shrink *s)
{
    for (size_t i = 0; i < 32 && theft_shrink_length(s) > 64; i++) {
        uint64_t v = theft_shrink_get(s, i).value;
        if (v == 0 || theft_shrink_try_value(s, i, 0))
            continue;
        while (v > 1 && theft_shrink_try_value(s, i, v / 2) && i < theft_shrink_length(s))
            v = theft_shrink_get(s, i).value;
    }
}

struct block {
    size_t at, size;
    uint64_t deleted; /* blocks that were deleted */
};

/* Deletes blocks before the one that was deleted, until k are deleted. */
static bool delete_more(struct theft_shrink *s, uint64_t k, void *data)
{
    struct block *b = data;
    size_t more = (size_t)(k - b->deleted) * b->size;
    if (more > b->at || b->at > theft_shrink_length(s) ||
        theft_shrink_arg_of(s, b->at - more) != theft_shrink_arg_of(s, b->at - 1))
        return false;
    if (!try_delete(s, b->at - more, more))
        return false;
    b->deleted = k;
    b->at -= more;
    return true;
}

/* Tries to delete every block of `size` choices, from the end, in steps of `step`. */
static void delete_blocks(struct theft_shrink *s, size_t size, size_t step)
{
    size_t n = theft_shrink_length(s);
    for (size_t at = n > size ? n - size : 0; n >= size && !theft_shrink_over(s);) {
        if (at + size <= theft_shrink_length(s) && end_of_arg(s, at) >= at + size &&
            try_delete(s, at, size)) {
            struct block b = {.at = at, .size = size};
            theft_shrink_extend(s, at / size, delete_more, &b);
            at = b.at;
        }
        if (at == 0)
            break;
        at = at > step ? at - step : 0;
    }
}

void theft_pass_delete(struct theft_shrink *s)
{
    for (size_t size = theft_shrink_length(s) / 2; size > LONGEST_BLOCK; size /= 2)
        delete_blocks(s, size, size);
    for (size_t size = LONGEST_BLOCK; size > 0; size--)
        delete_blocks(s, size, 1);
}

/* ---- Lengths --------------------------------------------------------------------------------
 *
 * Some choices are the number of choices that follow: such a choice is lowered, and an element
 * deleted, in one step. */

/* In longer sequences elements are tried only at multiples of their presumed size. */
#define EXHAUSTIVE_LENGTH 128
#define MOST_PLACES 1024 /* with more places: only at multiples of the missing choices */

/* If choice i lowered by `by` uses `missing` fewer choices: lowers it and deletes that many, at
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

/* Lowers choice i by `by`, alone or with a deletion; returns whether that made progress. */
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

/* For a number of bits followed by the bits: shifts the latter down by 2^k bits and lowers the
 * former by as much. */
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

/* ---- Lowering single choices ------------------------------------------------------------- */

#define LARGEST_STEP 16   /* steps up to this find residues */
#define SHORT_SEQUENCE 64 /* longer ones get cheap attempts only */
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

/* Looks for the least value in [0, v] by bisection, as if failing were monotone in it. */
static void bisect(struct theft_shrink *s, size_t i)
{
    uint64_t low = 0; /* tried */
    while (i < theft_shrink_length(s) && theft_shrink_get(s, i).value - low > 1) {
        uint64_t high = theft_shrink_get(s, i).value;
        uint64_t middle = low + (high - low) / 2;
        if (!theft_shrink_try_value(s, i, middle))
            low = middle;
        else if (i < theft_shrink_length(s) && theft_shrink_get(s, i).value < low)
            return; /* the input has changed */
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

/* For failures that are not monotone: takes steps of 1, 2, ..., as many as possible. */
static void step_down(struct theft_shrink *s, size_t i)
{
    size_t largest =
        theft_shrink_length(s) <= SHORT_SEQUENCE ? LARGEST_STEP : SHORT_SEQUENCE_STEP;
    for (uint64_t by = 1; by <= largest && i < theft_shrink_length(s); by++) {
        struct step step = {.i = i, .from = theft_shrink_get(s, i).value, .by = by};
        theft_shrink_extend(s, step.from / by, subtract, &step);
    }
}

/* For choices whose bits have a meaning: clears each bit, the highest first, and shifts all of
 * them down. */
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

/* ---- Lowering several choices together --------------------------------------------------- */

#define MOST_CHOICES 64 /* all pairs are tried in sequences up to this length, */

/* A set of choices that are lowered together: bit i is choice i. Longer sequences than
 * MOST_CHOICES are handled by value, in windows. */
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

/* Lowers all members by the same amount, as far as possible: by steps of one, or else by
 * bisection from the far end, which finds jumps. */
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

/* Lowers choices of equal value and range: all of them, then every two. */
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

/* Lowers choices of the same range by the same amount: every two, and all of them. */
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

/* ---- Two choices: moving weight to the later one, and sorting ---------------------------- */

#define REACH 8 /* in longer sequences: pairs at most so far apart */
#define LONGEST_SORTED 4

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

/* Moves weight from the earlier to the later of two choices with the same range, so that sums
 * stay: as much as possible. */
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

/* Lowers a choice and raises a later one to its largest value, in case that makes up for it;
 * the other passes lower the later one again. */
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

/* Returns whether the block at j is simpler than the one at i. */
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
    for (size_t size = 2; size <= LONGEST_SORTED; size++)
        for (size_t i = 0; i + 2 * size <= theft_shrink_length(s) && !theft_shrink_over(s); i++)
            if (in_disorder(s, i, i + size, size))
                try_swap(s, i, i + size, size);
}
