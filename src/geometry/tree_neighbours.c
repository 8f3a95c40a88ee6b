/* tree_neighbours.c -- the neighbours of one point, found anew for each. */
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/tree.h"

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

attest_status attest_tree_neighbours(uint32_t **list, size_t *room, size_t *count,
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
