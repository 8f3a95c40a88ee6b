/* candidates.h -- an iterator over the candidates of a cloud in lexicographic order, also where
 * they are too many for a list. */
#ifndef ATTEST_GEOMETRY_CANDIDATES_H
#define ATTEST_GEOMETRY_CANDIDATES_H

#include "geometry/closest_pair.h"

typedef struct attest_candidates {
    attest_tree tree;
    double bound; /* the least upper bound, in units of 2^exponent of the cloud */
    bool complete;
    attest_candidate *pair;
    size_t pairs;
    bool *active; /* not complete: the points of candidates */
    size_t at;    /* the next pair; not complete: the point whose neighbours are listed */
    uint32_t *neighbour;
    size_t room, neighbours, next;
} attest_candidates;

/* Searches the finished cloud, which must outlive the candidates, in its jobs processes.
 * Status: NOMEM, IO (a worker died). */
attest_status attest_candidates_init(attest_candidates *candidates, const attest_cloud *cloud,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_candidates_clear(attest_candidates *candidates);

/* The next candidate, first < second; *found is false after the last one. Status: NOMEM. */
attest_status attest_candidates_next(bool *found, size_t *first, size_t *second,
                                     attest_candidates *candidates,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
