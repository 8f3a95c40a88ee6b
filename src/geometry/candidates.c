/* candidates.c -- the candidates of a cloud in lexicographic order. */
#include "geometry/candidates.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "geometry/tree.h"

/* Limit on the length of a list of candidates. With more candidates, the neighbours of one
 * point at a time are searched for. */
enum { MOST_PAIRS = 1 << 20 };

typedef struct gather {
    const attest_tree *tree;
    size_t place;
    double bound;
    uint32_t *list;
    size_t room, count;
    bool failed;
} gather;

static void keep(gather *found, uint32_t point)
{
    if (attest_memory_grow(&found->list, &found->room, found->count + 1, sizeof point))
        found->list[found->count++] = point;
    else
        found->failed = true;
}

static void gather_leaf(gather *found, const attest_tree_node *node, double limit)
{
    const attest_tree *tree = found->tree;
    double s[ATTEST_TREE_LANES];

    for (uint32_t from = node->begin; from < node->end; from += ATTEST_TREE_LANES) {
        if (!attest_tree_squares(s, tree, found->place, from, limit))
            continue;
        for (uint32_t at = from; at < node->end && at < from + ATTEST_TREE_LANES; at++) {
            double radii = tree->radius[at] + tree->radius[found->place];
            if (tree->colour[at] != tree->colour[found->place] &&
                !(attest_tree_below(tree, s[at - from]) >
                  (found->bound + radii) * (1 + 0x1p-48)))
                keep(found, tree->order[at]);
        }
    }
}

static void gather_node(gather *found, uint32_t at)
{
    const attest_tree *tree = found->tree;
    const attest_tree_node *node = &tree->node[at];
    double limit =
        attest_tree_limit(tree, found->bound + tree->radius[found->place] + node->radius);

    if (node->colour == tree->colour[found->place] || found->failed ||
        attest_tree_point_square(tree, found->place, node) > limit)
        return;
    if (!node->left) {
        gather_leaf(found, node, limit);
        return;
    }
    gather_node(found, node->left);
    gather_node(found, node->left + 1);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The points j that make a pair with i, j of another colour, lower <= bound, in ascending
 * order. *list has *room entries and grows; *count is set. Status: NOMEM. */
static attest_status find_neighbours(uint32_t **list, size_t *room, size_t *count,
                                     const attest_tree *tree, size_t i, double bound,
                                     attest_error *error)
{
    gather found = {tree, tree->place[i], bound, *list, *room, 0, false};

    gather_node(&found, 0);
    *list = found.list;
    *room = found.room;
    *count = found.count;
    if (found.failed)
        return attest_memory_fail(error);
    if (found.count > 1)
        qsort(found.list, found.count, sizeof *found.list, ascending);
    return ATTEST_OK;
}

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

/* Lists the neighbours of the next active point that come after it in order. */
static attest_status list_neighbours(attest_candidates *candidates, attest_error *error)
{
    size_t count = candidates->tree.cloud->count;

    while (candidates->next == candidates->neighbours && candidates->at < count) {
        size_t point = candidates->at++;
        candidates->next = candidates->neighbours = 0;
        if (!candidates->active[point])
            continue;
        ATTEST_TRY(find_neighbours(&candidates->neighbour, &candidates->room,
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
