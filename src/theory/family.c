/* family.c -- sorting a family of sets. */
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "theory/family.h"

static int compare_descending(const void *left, const void *right)
{
    return fmpz_cmp(*(const fmpz *const *)right, *(const fmpz *const *)left);
}

/* qsort passes no context, so lists are sorted as pairs of pointers. */
typedef struct list {
    const fmpz **entry;
    size_t length, index;
} list;

static int compare_lists(const void *left, const void *right)
{
    const list *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;

    for (size_t p = 0; p < shorter; p++) {
        int order = fmpz_cmp(a->entry[p], b->entry[p]);

        if (order != 0)
            return order;
    }
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1; /* padded with -infinity */
    return (a->index > b->index) - (a->index < b->index);
}

static void sort_entries(attest_sorted_family *sorted)
{
    const attest_family *family = sorted->family;

    for (size_t s = 0; s < family->start[family->count]; s++)
        sorted->entry[s] = &family->numerator[s];
    for (size_t i = 0; i < family->count; i++) {
        const fmpz **entry = sorted->entry + family->start[i];
        size_t length = attest_family_length(family, i);

        qsort(entry, length, sizeof *entry, compare_descending);
        for (size_t p = 1; p < length && sorted->repeats == SIZE_MAX; p++)
            if (fmpz_equal(entry[p - 1], entry[p]))
                sorted->repeats = i;
    }
}

static attest_status sort_lists(attest_sorted_family *sorted)
{
    const attest_family *family = sorted->family;
    list *lists = attest_memory_alloc(family->count, sizeof *lists);

    if (!lists)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < family->count; i++)
        lists[i] = (list){sorted->entry + family->start[i], attest_family_length(family, i), i};
    qsort(lists, family->count, sizeof *lists, compare_lists);
    for (size_t i = 0; i < family->count; i++)
        sorted->order[i] = lists[i].index;
    free(lists);
    return ATTEST_OK;
}

/* The set that a numerator belongs to. */
static size_t owner(const attest_family *family, const fmpz *x)
{
    size_t s = (size_t)(x - family->numerator), low = 0, high = family->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (family->start[middle] <= s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The least distance between different values of the whole family. */
static attest_status find_gap(attest_sorted_family *sorted)
{
    const attest_family *family = sorted->family;
    size_t total = family->start[family->count];
    const fmpz **all = attest_memory_alloc(total, sizeof *all);
    fmpz_t distance;

    if (!all)
        return ATTEST_NOMEM;
    fmpz_init(distance);
    for (size_t s = 0; s < total; s++)
        all[s] = &family->numerator[s];
    qsort(all, total, sizeof *all, compare_descending);
    for (size_t s = 1; s < total; s++) {
        fmpz_sub(distance, all[s - 1], all[s]);
        if (fmpz_is_zero(distance))
            continue;
        if (!sorted->has_gap || fmpz_cmp(distance, sorted->gap) < 0) {
            fmpz_set(sorted->gap, distance);
            sorted->close[0] = owner(family, all[s - 1]);
            sorted->close[1] = owner(family, all[s]);
        }
        sorted->has_gap = true;
    }
    fmpz_clear(distance);
    free(all);
    return ATTEST_OK;
}

attest_status attest_sorted_family_init(attest_sorted_family *sorted,
                                        const attest_family *family, attest_error *error)
{
    *sorted = (attest_sorted_family){
        .family = family, .repeats = SIZE_MAX, .close = {SIZE_MAX, SIZE_MAX}};
    fmpz_init(sorted->gap);
    if (family->count == 0 || fmpz_sgn(family->denominator) <= 0)
        return attest_error_set(error, ATTEST_DOMAIN, "a family without sets");
    for (size_t i = 0; i < family->count; i++)
        if (attest_family_length(family, i) == 0)
            return attest_error_set(error, ATTEST_DOMAIN, "set %zu of the family is empty", i);
    sorted->entry = attest_memory_alloc(family->start[family->count], sizeof *sorted->entry);
    sorted->order = attest_memory_alloc(family->count, sizeof *sorted->order);
    if (!sorted->entry || !sorted->order)
        return attest_memory_fail(error);
    sort_entries(sorted);
    if (sort_lists(sorted) != ATTEST_OK || find_gap(sorted) != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

void attest_sorted_family_clear(attest_sorted_family *sorted)
{
    free(sorted->entry);
    free(sorted->order);
    fmpz_clear(sorted->gap);
}

size_t attest_sorted_family_common(const attest_sorted_family *sorted, size_t i, size_t j)
{
    const attest_family *family = sorted->family;
    const fmpz **a = sorted->entry + family->start[i], **b = sorted->entry + family->start[j];
    size_t p = 0;

    while (p < attest_family_length(family, i) && p < attest_family_length(family, j) &&
           fmpz_equal(a[p], b[p]))
        p++;
    return p;
}
