/* radix.c -- least significant digit first, 11 bits at a time; digits that are all equal cost a
 * look at the histogram, and few items are inserted one after another. */
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/radix.h"

enum { DIGIT_BITS = 11, DIGITS = 6, VALUES = 1 << DIGIT_BITS, FEW = 64 };

static unsigned digit(uint64_t key, int d)
{
    return (unsigned)(key >> (d * DIGIT_BITS)) & (VALUES - 1);
}

/* Few items: less than the histograms take to be cleared. */
static void insert_each(attest_radix_item *item, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        attest_radix_item own = item[i];
        size_t at = i;

        for (; at > 0 && item[at - 1].key > own.key; at--)
            item[at] = item[at - 1];
        item[at] = own;
    }
}

static attest_status sort_digits(attest_radix_item *item, size_t count)
{
    size_t(*histogram)[VALUES] = attest_memory_alloc(DIGITS, sizeof *histogram);
    attest_radix_item *other = attest_memory_alloc(count, sizeof *other), *from = item,
                      *to = other;

    if (!histogram || !other) {
        free(histogram);
        free(other);
        return ATTEST_NOMEM;
    }
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            histogram[d][digit(item[i].key, d)]++;
    for (int d = 0; d < DIGITS && count > 0; d++) {
        size_t sum = 0;

        if (histogram[d][digit(item[0].key, d)] == count)
            continue;
        for (size_t v = 0; v < VALUES; v++) {
            size_t here = histogram[d][v];

            histogram[d][v] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[histogram[d][digit(from[i].key, d)]++] = from[i];
        attest_radix_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != item)
        memcpy(item, from, count * sizeof *item);
    free(histogram);
    free(other);
    return ATTEST_OK;
}

attest_status attest_radix_sort(attest_radix_item *item, size_t count)
{
    if (count > FEW)
        return sort_digits(item, count);
    insert_each(item, count);
    return ATTEST_OK;
}
