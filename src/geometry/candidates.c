/* candidates.c -- the candidates of a cloud in lexicographic order. */
#include "geometry/candidates.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"

/* A list of candidates takes at most so many entries; beyond, the neighbours of one point at a
 * time are found anew. */
enum { MOST_PAIRS = 1 << 20 };

/* Builds the tree and the list; leaves it to the caller to clear on failure. */
static attest_status find_candidates(attest_candidates *candidates, const attest_cloud *cloud,
                                     attest_error *error)
{
    ATTEST_TRY(attest_tree_init(&candidates->tree, cloud, error));
    ATTEST_TRY(attest_tree_closest(&candidates->pair, &candidates->pairs, &candidates->complete,
                                   &candidates->bound, &candidates->tree, MOST_PAIRS, error));
    if (candidates->complete)
        return ATTEST_OK;
    candidates->active = attest_memory_alloc(cloud->count, sizeof *candidates->active);
    if (!candidates->active)
        return attest_memory_fail(error);
    return attest_tree_active(candidates->active, &candidates->tree, candidates->bound, error);
}

attest_status attest_candidates_init(attest_candidates *candidates, const attest_cloud *cloud,
                                     attest_error *error)
{
    attest_status status;

    *candidates = (attest_candidates){0};
    status = find_candidates(candidates, cloud, error);
    if (status != ATTEST_OK)
        attest_candidates_clear(candidates);
    return status;
}

void attest_candidates_clear(attest_candidates *candidates)
{
    attest_tree_clear(&candidates->tree);
    free(candidates->pair);
    free(candidates->active);
    free(candidates->neighbour);
    *candidates = (attest_candidates){0};
}

/* Moves on to the neighbours of the next active point that lie behind it. */
static attest_status list_neighbours(attest_candidates *candidates, attest_error *error)
{
    size_t count = candidates->tree.cloud->count;

    while (candidates->next == candidates->neighbours && candidates->at < count) {
        size_t point = candidates->at++;
        candidates->next = candidates->neighbours = 0;
        if (!candidates->active[point])
            continue;
        ATTEST_TRY(attest_tree_neighbours(&candidates->neighbour, &candidates->room,
                                          &candidates->neighbours, &candidates->tree, point,
                                          candidates->bound, error));
        while (candidates->next < candidates->neighbours &&
               candidates->neighbour[candidates->next] < point)
            candidates->next++;
    }
    return ATTEST_OK;
}

attest_status attest_candidates_next(bool *found, size_t *first, size_t *second,
                                     attest_candidates *candidates, attest_error *error)
{
    if (candidates->complete) {
        *found = candidates->at < candidates->pairs;
        if (*found) {
            *first = candidates->pair[candidates->at].first;
            *second = candidates->pair[candidates->at++].second;
        }
        return ATTEST_OK;
    }
    *found = false;
    ATTEST_TRY(list_neighbours(candidates, error));
    *found = candidates->next < candidates->neighbours;
    if (*found) {
        *first = candidates->at - 1;
        *second = candidates->neighbour[candidates->next++];
    }
    return ATTEST_OK;
}
