/* gallery.c -- the least counterexamples to hardmax (proofs-notes/theorem1.md, "The gallery").
 */
#include "theory/gallery.h"

#include <string.h>

#include "base/memory.h"

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
