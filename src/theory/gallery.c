/* gallery.c -- counterexamples that hardmax attention merges: the gallery, and the search for
 * them. */
#include "theory/gallery.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

#define NUMBERS(...) ((const long[]){__VA_ARGS__})

/* tests/theory/gallery.c: each is what the search finds. */
const attest_gallery_entry attest_gallery[] = {
    {.name = "pair",
     .title = "two sequences of four tokens",
     .pair = {{4, 4}, {NUMBERS(1, 2, 5, 6), NUMBERS(1, 3, 4, 6)}, {0, 0}},
     .low = 1,
     .high = 9},
    {.name = "mirror",
     .title = "the same with tokens of both signs",
     .pair = {{4, 4}, {NUMBERS(-3, -1, 1, 3), NUMBERS(-3, -2, 2, 3)}, {0, 0}},
     .low = -6,
     .high = 6},
    {.name = "repetition",
     .title = "the same with repeated tokens",
     .pair = {{4, 4}, {NUMBERS(1, 1, 3, 3), NUMBERS(1, 2, 2, 3)}, {0, 0}},
     .low = 1,
     .high = 9,
     .repeats = true},
    {.name = "lengths",
     .title = "sequences of different lengths",
     .pair = {{2, 3}, {NUMBERS(1, 3), NUMBERS(1, 2, 3)}, {0, 0}},
     .low = 1,
     .high = 9,
     .unequal = true},
    {.name = "zero",
     .title = "the query is the zero token",
     .pair = {{3, 3}, {NUMBERS(0, 2, 3), NUMBERS(0, 1, 4)}, {0, 0}},
     .low = 0,
     .high = 9,
     .zero = true},
    {.name = "zero-mirror",
     .title = "the zero token among both signs",
     .pair = {{3, 3}, {NUMBERS(-1, 0, 1), NUMBERS(-2, 0, 2)}, {1, 1}},
     .low = -6,
     .high = 6,
     .zero = true},
    {.name = "zero-lengths",
     .title = "the zero token alone, and between others",
     .pair = {{1, 3}, {NUMBERS(0), NUMBERS(-1, 0, 1)}, {0, 1}},
     .low = -6,
     .high = 6,
     .zero = true,
     .unequal = true},
    {.name = "leftmost",
     .title = "the first of the best takes all",
     .ties = ATTEST_TIES_LEFTMOST,
     .pair = {{3, 3}, {NUMBERS(1, 2, 4), NUMBERS(1, 3, 4)}, {0, 0}},
     .low = 1,
     .high = 9},
    {.name = "leftmost-zero",
     .title = "leftmost ties, and the query is the zero token",
     .ties = ATTEST_TIES_LEFTMOST,
     .pair = {{2, 2}, {NUMBERS(0, 1), NUMBERS(0, 2)}, {0, 0}},
     .low = 0,
     .high = 9,
     .zero = true},
    {.name = "leftmost-lengths",
     .title = "leftmost ties, different lengths",
     .ties = ATTEST_TIES_LEFTMOST,
     .pair = {{2, 3}, {NUMBERS(1, 3), NUMBERS(1, 2, 3)}, {0, 0}},
     .low = 1,
     .high = 9,
     .unequal = true},
    {.name = "causal",
     .title = "a causal mask",
     .mask = ATTEST_MASK_CAUSAL,
     .pair = {{3, 3}, {NUMBERS(1, 2, 3), NUMBERS(1, 3, 2)}, {2, 1}},
     .low = 1,
     .high = 9},
    {.name = "causal-lengths",
     .title = "a causal mask, different lengths",
     .mask = ATTEST_MASK_CAUSAL,
     .pair = {{2, 3}, {NUMBERS(1, 3), NUMBERS(1, 2, 3)}, {1, 2}},
     .low = 1,
     .high = 9,
     .unequal = true},
    {.name = "causal-leftmost",
     .title = "a causal mask, leftmost ties",
     .ties = ATTEST_TIES_LEFTMOST,
     .mask = ATTEST_MASK_CAUSAL,
     .pair = {{3, 3}, {NUMBERS(1, 2, 3), NUMBERS(1, 3, 2)}, {2, 1}},
     .low = 1,
     .high = 9},
    {.name = "one-sequence",
     .title = "a causal mask: two prefixes of one sequence",
     .mask = ATTEST_MASK_CAUSAL,
     .pair = {{5, 0}, {NUMBERS(1, 3, 1, 2, 3), NULL}, {1, 4}},
     .low = 1,
     .high = 6,
     .repeats = true},
    {.name = "one-sequence-zero",
     .title = "two prefixes of one sequence, with the zero token",
     .mask = ATTEST_MASK_CAUSAL,
     .pair = {{4, 0}, {NUMBERS(0, -1, 1, 0), NULL}, {0, 3}},
     .low = -4,
     .high = 4,
     .zero = true,
     .repeats = true},
    {.name = "one-sequence-leftmost",
     .title = "two prefixes of one sequence, leftmost ties",
     .ties = ATTEST_TIES_LEFTMOST,
     .mask = ATTEST_MASK_CAUSAL,
     .pair = {{4, 0}, {NUMBERS(3, 1, 2, 1), NULL}, {1, 3}},
     .low = 1,
     .high = 9,
     .repeats = true},
    {.name = "one-sequence-leftmost-zero",
     .title = "the same with the zero token",
     .ties = ATTEST_TIES_LEFTMOST,
     .mask = ATTEST_MASK_CAUSAL,
     .pair = {{3, 0}, {NUMBERS(0, 1, 0), NULL}, {0, 2}},
     .low = 0,
     .high = 9,
     .zero = true,
     .repeats = true},
    {.name = "largest",
     .title = "heads that pick the largest",
     .defeats = ATTEST_GALLERY_POSITIVE,
     .pair = {{2, 2}, {NUMBERS(1, 3), NUMBERS(2, 3)}, {1, 1}},
     .low = 1,
     .high = 9},
    {.name = "largest-lengths",
     .title = "heads that pick the largest, different lengths",
     .defeats = ATTEST_GALLERY_POSITIVE,
     .pair = {{1, 2}, {NUMBERS(2), NUMBERS(1, 2)}, {0, 1}},
     .low = 1,
     .high = 9,
     .unequal = true},
    {.name = "largest-causal",
     .title = "heads that pick the largest, a causal mask",
     .mask = ATTEST_MASK_CAUSAL,
     .defeats = ATTEST_GALLERY_POSITIVE,
     .pair = {{2, 2}, {NUMBERS(1, 2), NUMBERS(2, 1)}, {1, 0}},
     .low = 1,
     .high = 9},
    {.name = "largest-one-sequence",
     .title = "heads that pick the largest, two prefixes of one sequence",
     .mask = ATTEST_MASK_CAUSAL,
     .defeats = ATTEST_GALLERY_POSITIVE,
     .pair = {{3, 0}, {NUMBERS(2, 1, 2), NULL}, {0, 2}},
     .low = 1,
     .high = 9,
     .repeats = true},
    {.name = "smallest",
     .title = "heads that pick the smallest",
     .defeats = ATTEST_GALLERY_NEGATIVE,
     .pair = {{2, 2}, {NUMBERS(1, 2), NUMBERS(1, 3)}, {0, 0}},
     .low = 1,
     .high = 9},
    {.name = "smallest-lengths",
     .title = "heads that pick the smallest, different lengths",
     .defeats = ATTEST_GALLERY_NEGATIVE,
     .pair = {{1, 2}, {NUMBERS(1), NUMBERS(1, 2)}, {0, 0}},
     .low = 1,
     .high = 9,
     .unequal = true},
    {.name = "average",
     .title = "heads that average",
     .defeats = ATTEST_GALLERY_ZERO,
     .pair = {{3, 3}, {NUMBERS(1, 3, 4), NUMBERS(1, 2, 5)}, {0, 0}},
     .low = 1,
     .high = 9},
    {.name = "average-lengths",
     .title = "heads that average, different lengths",
     .defeats = ATTEST_GALLERY_ZERO,
     .pair = {{1, 3}, {NUMBERS(2), NUMBERS(1, 2, 3)}, {0, 1}},
     .low = 1,
     .high = 9,
     .unequal = true},
    {.name = "average-leftmost",
     .title = "heads of constant scores, leftmost ties",
     .ties = ATTEST_TIES_LEFTMOST,
     .defeats = ATTEST_GALLERY_ZERO,
     .pair = {{2, 2}, {NUMBERS(1, 2), NUMBERS(1, 3)}, {0, 0}},
     .low = 1,
     .high = 9},
    {0},
};

const attest_gallery_entry *attest_gallery_get(const char *name)
{
    for (const attest_gallery_entry *e = attest_gallery; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

const char *attest_gallery_defeats_name(attest_gallery_defeats defeats)
{
    static const char *const names[] = {
        "every hardmax layer, whatever its weights, sizes and number of heads",
        "every hardmax layer with (W_K u).(W_Q u) > 0 in each head",
        "every hardmax layer with (W_K u).(W_Q u) < 0 in each head",
        "every hardmax layer with (W_K u).(W_Q u) = 0 in each head: heads that average"};

    return names[defeats];
}

attest_status attest_gallery_set_weights(attest_weights *weights,
                                         const attest_gallery_entry *entry, attest_error *error)
{
    static const long sign[] = {1, 1, -1, 0};
    attest_matrix *matrix[4];

    if (attest_weights_resize(weights, 1) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->activation = ATTEST_HARDMAX;
    weights->ties = entry->ties;
    weights->mask = entry->mask;
    weights->dim = 1;
    matrix[0] = &weights->head[0].wq;
    matrix[1] = &weights->head[0].wk;
    matrix[2] = &weights->head[0].wv;
    matrix[3] = &weights->head[0].wo;
    for (size_t m = 0; m < 4; m++) {
        attest_matrix_resize(matrix[m], 1, 1);
        fmpz_set_si(matrix[m]->entry, m == 0 ? sign[entry->defeats] : 1);
    }
    return ATTEST_OK;
}

/* The least pair of a space of small whole numbers, exhaustively. */

enum { LONGEST = ATTEST_THEOREM1_LONGEST, SIGNS = 3 };

/* A position and the data on which hardmax outputs depend: the token, the winners' average
 * for each sign of c (times 60 = lcm(1..5), a whole number), and the set of visible tokens. */
typedef struct context {
    long average[SIGNS];
    unsigned long seen;
    long t[LONGEST];
    size_t length, position;
    long largest, sum;
} context;

typedef struct space {
    const attest_gallery_entry *entry;
    context *context;
    size_t contexts, room, sequences;
} space;

static long average(const attest_gallery_entry *entry, const long *t, size_t keys, long query,
                    int c)
{
    long best = c * t[0] * query, sum = 0, winners = 0;

    for (size_t j = 1; j < keys; j++)
        best = c * t[j] * query > best ? c * t[j] * query : best;
    for (size_t j = 0; j < keys; j++) {
        if (c * t[j] * query != best || (entry->ties == ATTEST_TIES_LEFTMOST && winners > 0))
            continue;
        sum += t[j];
        winners++;
    }
    return sum * (60 / winners);
}

static bool is_asked(attest_gallery_defeats defeats, int c)
{
    return defeats == ATTEST_GALLERY_ALL || (c > 0 && defeats == ATTEST_GALLERY_POSITIVE) ||
           (c < 0 && defeats == ATTEST_GALLERY_NEGATIVE) ||
           (c == 0 && defeats == ATTEST_GALLERY_ZERO);
}

static attest_status add_contexts(space *s, const long *t, size_t length, attest_error *error)
{
    for (size_t k = 0; k < length; k++) {
        size_t keys = s->entry->mask == ATTEST_MASK_CAUSAL ? k + 1 : length;
        context *x;

        if (!attest_memory_grow(&s->context, &s->room, s->contexts + 1, sizeof *s->context))
            return attest_memory_fail(error);
        x = &s->context[s->contexts++];
        memset(x, 0, sizeof *x);
        x->length = length;
        x->position = k;
        memcpy(x->t, t, length * sizeof *t);
        for (int c = -1; c <= 1; c++)
            x->average[c + 1] =
                is_asked(s->entry->defeats, c) ? average(s->entry, t, keys, t[k], c) : 0;
        for (size_t j = 0; j < keys; j++)
            x->seen |= 1ul << (t[j] - s->entry->low);
        for (size_t j = 0; j < length; j++) {
            x->largest = labs(t[j]) > x->largest ? labs(t[j]) : x->largest;
            x->sum += labs(t[j]);
        }
    }
    s->sequences++;
    return ATTEST_OK;
}

static bool is_usable(const attest_gallery_entry *entry, const long *t, size_t length)
{
    for (size_t a = 0; a < length; a++) {
        if (t[a] == 0 && !entry->zero)
            return false;
        for (size_t b = 0; b < a && !entry->repeats; b++)
            if (t[a] == t[b])
                return false;
    }
    return true;
}

/* All sequences of this length, as an odometer. */
static attest_status add_sequences(space *s, size_t length, attest_error *error)
{
    long t[LONGEST];
    size_t i = 0;

    for (size_t k = 0; k < length; k++)
        t[k] = s->entry->low;
    while (i < length) {
        if (is_usable(s->entry, t, length))
            ATTEST_TRY(add_contexts(s, t, length, error));
        for (i = 0; i < length && t[i] == s->entry->high; i++)
            t[i] = s->entry->low;
        if (i < length)
            t[i]++;
    }
    return ATTEST_OK;
}

/* Compares contexts by their hardmax outputs. */
static int compare_outputs(const context *a, const context *b)
{
    long x = a->t[a->position], y = b->t[b->position];
    int order = (x > y) - (x < y);

    for (size_t c = 0; c < SIGNS && order == 0; c++)
        order = (a->average[c] > b->average[c]) - (a->average[c] < b->average[c]);
    return order;
}

/* By size, then by numbers and position. */
static int compare_sizes(const context *a, const context *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    if (a->largest != b->largest)
        return a->largest < b->largest ? -1 : 1;
    if (a->sum != b->sum)
        return a->sum < b->sum ? -1 : 1;
    for (size_t k = 0; k < a->length; k++)
        if (a->t[k] != b->t[k])
            return a->t[k] < b->t[k] ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int compare_contexts(const void *left, const void *right)
{
    int order = compare_outputs(left, right);

    return order ? order : compare_sizes(left, right);
}

/* The order of pairs, after the longer length. */
typedef struct cost {
    size_t tokens;
    long largest, sum;
} cost;

static cost get_cost(const context *a, const context *b, bool one_sequence)
{
    cost c = {a->length, a->largest, a->sum};

    if (!one_sequence) {
        c.tokens += b->length;
        c.largest = b->largest > c.largest ? b->largest : c.largest;
        c.sum += b->sum;
    }
    return c;
}

static int compare_costs(cost a, cost b)
{
    if (a.tokens != b.tokens)
        return a.tokens < b.tokens ? -1 : 1;
    if (a.largest != b.largest)
        return a.largest < b.largest ? -1 : 1;
    return (a.sum > b.sum) - (a.sum < b.sum);
}

typedef struct best_pair {
    const context *pair[2];
    cost cost;
} best_pair;

static bool precedes(const best_pair *best, const context *a, const context *b, cost c)
{
    int order;

    if (!best->pair[0])
        return true;
    order = compare_costs(c, best->cost);
    if (order == 0)
        order = compare_sizes(a, best->pair[0]);
    return order < 0 || (order == 0 && compare_sizes(b, best->pair[1]) < 0);
}

/* The least pair among contexts that are merged. */
static void search_group(best_pair *best, const space *s, size_t from, size_t to)
{
    bool one_sequence = s->entry->pair.length[1] == 0;

    for (size_t i = from; i < to; i++) {
        for (size_t j = i + 1; j < to; j++) {
            const context *a = &s->context[i], *b = &s->context[j];
            bool same =
                a->length == b->length && memcmp(a->t, b->t, a->length * sizeof *a->t) == 0;
            cost c = get_cost(a, b, one_sequence);

            if (a->seen == b->seen || same != one_sequence || !precedes(best, a, b, c))
                continue;
            best->pair[0] = a;
            best->pair[1] = b;
            best->cost = c;
        }
    }
}

static void set_pair(attest_gallery_search *search, const best_pair *best, bool one_sequence)
{
    for (size_t side = 0; side < 2; side++) {
        const context *x = best->pair[side];

        memcpy(search->t[side], x->t, sizeof x->t);
        search->pair.t[side] = search->t[side];
        search->pair.length[side] = side == 1 && one_sequence ? 0 : x->length;
        search->pair.position[side] = x->position;
    }
}

/* *found = whether there is a pair whose longer sequence has n tokens; if so, sets the least
 * one. */
static attest_status search_length(bool *found, attest_gallery_search *search, space *s,
                                   size_t n, attest_error *error)
{
    best_pair best = {.pair = {NULL, NULL}};

    if (!s->entry->unequal)
        s->contexts = 0; /* sequences of other lengths do not meet these */
    search->shorter = s->sequences;
    ATTEST_TRY(add_sequences(s, n, error));
    qsort(s->context, s->contexts, sizeof *s->context, compare_contexts);
    for (size_t from = 0, to; from < s->contexts; from = to) {
        for (to = from + 1;
             to < s->contexts && compare_outputs(&s->context[from], &s->context[to]) == 0;)
            to++;
        search_group(&best, s, from, to);
    }
    *found = best.pair[0] != NULL;
    if (*found)
        set_pair(search, &best, s->entry->pair.length[1] == 0);
    else
        search->contexts += s->entry->unequal ? s->contexts - search->contexts : s->contexts;
    return ATTEST_OK;
}

static void space_clear(space *s)
{
    free(s->context);
}

attest_status attest_gallery_find(attest_gallery_search *search,
                                  const attest_gallery_entry *entry, attest_error *error)
{
    space s ATTEST_CLEARED_BY(space_clear) = {.entry = entry};
    bool found = false;

    assert(entry->high - entry->low < 8 * (long)sizeof(unsigned long));
    memset(search, 0, sizeof *search);
    for (size_t n = 1; n <= LONGEST && !found; n++)
        ATTEST_TRY(search_length(&found, search, &s, n, error));
    assert(found); /* the domain */
    search->sequences = s.sequences;
    return ATTEST_OK;
}
