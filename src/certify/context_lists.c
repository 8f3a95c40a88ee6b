/* context_lists.c -- building and sorting the lists of contexts. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "certify/first_difference.h"
#include "geometry/projection.h"

enum { INSERTION_MOST = 64 };
/* Keys of all prefixes together: 2 GiB. */
#define MOST_KEYS ((size_t)1 << 29)

static int compare_keys(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a < b) - (a > b);
}

static void sort_keys(uint32_t *key, size_t count)
{
    if (count > INSERTION_MOST) {
        qsort(key, count, sizeof *key, compare_keys);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        uint32_t moved = key[i];
        size_t j = i;

        for (; j > 0 && key[j - 1] < moved; j--)
            key[j] = key[j - 1];
        key[j] = moved;
    }
}

static void set_list(attest_context_lists *lists, size_t list, const uint32_t *token,
                     size_t length, const uint32_t *rank)
{
    uint32_t *key = lists->key + lists->start[list];

    for (size_t k = 0; k < length; k++)
        key[k] = rank[token[k]];
    sort_keys(key, length);
    for (size_t k = 1; k < length && lists->repeats == SIZE_MAX; k++)
        if (key[k - 1] == key[k])
            lists->repeats = list;
}

/* The offsets; false when the prefixes are too many. */
static bool set_starts(attest_context_lists *lists)
{
    const attest_dataset *dataset = lists->dataset;
    size_t list = 0;

    lists->start[0] = 0;
    for (size_t i = 0; i < dataset->count; i++) {
        size_t length = attest_dataset_length(dataset, i);

        for (size_t k = lists->causal ? 1 : length; k <= length; k++, list++) {
            lists->start[list + 1] = lists->start[list] + k;
            if (lists->causal && lists->start[list + 1] > MOST_KEYS)
                return false;
        }
    }
    return true;
}

attest_status attest_context_lists_init(attest_context_lists *lists,
                                        const attest_dataset *dataset, bool causal,
                                        const uint32_t *rank, attest_error *error)
{
    size_t list = 0;

    *lists = (attest_context_lists){.dataset = dataset,
                                    .causal = causal,
                                    .count = causal ? dataset->total : dataset->count,
                                    .repeats = SIZE_MAX};
    if (lists->count >= UINT32_MAX)
        return attest_error_set(error, ATTEST_UNABLE, "more than 2^32 - 2 contexts");
    lists->start = attest_memory_alloc(lists->count + 1, sizeof *lists->start);
    lists->order = attest_memory_alloc(lists->count, sizeof *lists->order);
    lists->common = attest_memory_alloc(lists->count, sizeof *lists->common);
    if (!lists->start || !lists->order || !lists->common)
        return attest_memory_fail(error);
    if (!set_starts(lists))
        return attest_error_set(
            error, ATTEST_UNABLE,
            "the prefixes under the causal mask have more than 2^29 tokens in all");
    lists->key = attest_memory_alloc(lists->start[lists->count], sizeof *lists->key);
    if (!lists->key)
        return attest_memory_fail(error);
    for (size_t i = 0; i < dataset->count; i++) {
        size_t length = attest_dataset_length(dataset, i);

        for (size_t k = causal ? 1 : length; k <= length; k++)
            set_list(lists, list++, dataset->token + dataset->start[i], k, rank);
    }
    return ATTEST_OK;
}

void attest_context_lists_clear(attest_context_lists *lists)
{
    free(lists->start);
    free(lists->key);
    free(lists->order);
    free(lists->common);
}

void attest_context_lists_reverse(attest_context_lists *lists, uint32_t most)
{
    for (size_t list = 0; list < lists->count; list++) {
        uint32_t *key = lists->key + lists->start[list];
        size_t length = attest_context_length(lists, list);

        for (size_t i = 0; i < length - 1 - i; i++) {
            uint32_t swap = key[i];

            key[i] = key[length - 1 - i];
            key[length - 1 - i] = swap;
        }
        for (size_t i = 0; i < length; i++)
            key[i] = most - key[i];
    }
}

/* qsort passes no context: lists as pointers. */
typedef struct list_view {
    const uint32_t *key;
    size_t length;
    uint32_t list;
} list_view;

/* Lists whose first two keys agree: the rest descending, longer lists before their prefixes. */
static int compare_views(const void *left, const void *right)
{
    const list_view *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;

    for (size_t p = 0; p < shorter; p++)
        if (a->key[p] != b->key[p])
            return a->key[p] > b->key[p] ? -1 : 1;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return (a->list > b->list) - (a->list < b->list);
}

static attest_status sort_run(attest_context_lists *lists, attest_radix_item *item,
                              size_t count)
{
    list_view *view ATTEST_FREED = attest_memory_alloc(count, sizeof *view);

    if (!view)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < count; i++) {
        uint32_t list = item[i].index;

        view[i] = (list_view){lists->key + lists->start[list],
                              attest_context_length(lists, list), list};
    }
    qsort(view, count, sizeof *view, compare_views);
    for (size_t i = 0; i < count; i++)
        item[i].index = view[i].list;
    return ATTEST_OK;
}

static size_t common_prefix(const attest_context_lists *lists, size_t a, size_t b)
{
    const uint32_t *x = lists->key + lists->start[a], *y = lists->key + lists->start[b];
    size_t most = attest_context_length(lists, a), p = 0;

    if (attest_context_length(lists, b) < most)
        most = attest_context_length(lists, b);
    while (p < most && x[p] == y[p])
        p++;
    return p;
}

/* The first key ascending, the second descending; no second key comes last. */
static uint64_t radix_key(const attest_context_lists *lists, size_t list)
{
    const uint32_t *key = lists->key + lists->start[list];
    uint32_t second = attest_context_length(lists, list) > 1 ? key[1] + 1 : 0;

    return (uint64_t)key[0] << 32 | (uint32_t)~second;
}

attest_status attest_context_lists_sort(attest_context_lists *lists)
{
    attest_radix_item *item ATTEST_FREED = attest_memory_alloc(lists->count, sizeof *item);

    if (!item)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < lists->count; i++)
        item[i] = (attest_radix_item){radix_key(lists, i), (uint32_t)i};
    ATTEST_TRY(attest_radix_sort(item, lists->count));
    for (size_t from = 0, to; from < lists->count; from = to) {
        for (to = from + 1; to < lists->count && item[to].key == item[from].key;)
            to++;
        if (to - from > 1)
            ATTEST_TRY(sort_run(lists, item + from, to - from));
    }
    for (size_t o = 0; o < lists->count; o++) {
        lists->order[o] = item[o].index;
        lists->common[o] =
            o ? (uint32_t)common_prefix(lists, item[o - 1].index, item[o].index) : 0;
    }
    return ATTEST_OK;
}

size_t attest_context_sequence(const attest_context_lists *lists, size_t list)
{
    const size_t *start = lists->dataset->start;
    size_t low = 0, high = lists->dataset->count;

    if (!lists->causal)
        return list;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (start[middle] <= list)
            low = middle;
        else
            high = middle;
    }
    return low;
}
