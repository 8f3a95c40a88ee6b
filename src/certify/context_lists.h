/* context_lists.h -- the contexts of a dataset as descending lists in the order of boltz.
 *
 * Under Lemma F's hypotheses boltz is strictly monotone in this order: by the largest entry,
 * ascending; then by the others, lexicographically descending, a proper prefix being padded
 * with -infinity (the set that contains the first difference has the smaller value). So
 * neighbours in the order are neighbours in value. */
#ifndef ATTEST_CERTIFY_CONTEXT_LISTS_H
#define ATTEST_CERTIFY_CONTEXT_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include <attest/dataset.h>

typedef struct attest_context_lists {
    const attest_dataset *dataset;
    bool causal; /* list = global position (it sees a prefix); else list = sequence */
    size_t count;
    size_t *start;   /* count + 1 offsets into key */
    uint32_t *key;   /* per list, descending */
    uint32_t *order; /* the lists, sorted */
    uint32_t
        *common;    /* common[o]: the length of the common prefix of order[o-1] and order[o] */
    size_t repeats; /* a list that has a key twice, or SIZE_MAX */
} attest_context_lists;

/* Sets the lists of keys rank[token]. Clear them even after a failure. Status: NOMEM, UNABLE
 * (the prefixes of a causal mask take too much memory). Cost: linear in the number of keys,
 * apart from sorting each list. */
attest_status attest_context_lists_init(attest_context_lists *lists,
                                        const attest_dataset *dataset, bool causal,
                                        const uint32_t *rank,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_context_lists_clear(attest_context_lists *lists);

/* Replaces every key by most - key, lists stay descending. */
void attest_context_lists_reverse(attest_context_lists *lists, uint32_t most);

/* Sets order and common. Status: NOMEM. */
attest_status attest_context_lists_sort(attest_context_lists *lists) ATTEST_WARN_UNUSED;

static inline size_t attest_context_length(const attest_context_lists *lists, size_t list)
{
    return lists->start[list + 1] - lists->start[list];
}

/* The sequence that a list belongs to. */
size_t attest_context_sequence(const attest_context_lists *lists, size_t list);

#endif
