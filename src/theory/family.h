/* family.h -- a family of sets, each as a descending list, the lists in lexicographic order. */
#ifndef ATTEST_THEORY_FAMILY_H
#define ATTEST_THEORY_FAMILY_H

#include "theory/lemma_f.h"

typedef struct attest_sorted_family {
    const attest_family *family;
    const fmpz **entry; /* list i is entry[start[i]] .., descending */
    size_t *order;      /* the lists, lexicographically ascending; a proper prefix is smaller */
    size_t repeats;     /* a list that has a value twice, or SIZE_MAX */
    bool has_gap;       /* the family has two different values */
    fmpz_t gap;         /* then their least distance, over the family's denominator */
    size_t close[2];    /* and two lists that hold values this close */
} attest_sorted_family;

/* Status: DOMAIN (no set, or an empty one), NOMEM. Cost: O(S log S) comparisons. Always to be
 * cleared. */
attest_status attest_sorted_family_init(attest_sorted_family *sorted,
                                        const attest_family *family,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_sorted_family_clear(attest_sorted_family *sorted);

/* Where lists i and j differ first: the length of their common prefix. */
size_t attest_sorted_family_common(const attest_sorted_family *sorted, size_t i, size_t j);

static inline size_t attest_family_length(const attest_family *family, size_t i)
{
    return family->start[i + 1] - family->start[i];
}

#endif
