/* closest_pair.c -- the closest pairs of a tree.
 *
 * A search visits pairs of nodes, nearest first, and leave a pair out when the distance of
 * its boxes, a lower bound on every distance between them, is too large, or when all points
 * have one colour. Every inequality below errs on the side of visiting. */
#include "geometry/closest_pair.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "geometry/tree.h"
#include "geometry/tree_near.h"

/* A search over pairs of nodes: for the least upper bound and the pairs that it cannot exclude,
 * or, with active, for the points of such pairs. */
typedef struct search {
    const attest_tree *tree;
    double bound;
    attest_candidate *pair; /* not active: the candidates so far */
    size_t pairs, room;
    bool overflow;         /* there were too many to keep */
    attest_tree_near near; /* where leaves meet by a matrix product */
    bool *active;          /* by point */
    bool *node_active;     /* all points of the node are active */
    uint64_t done, told;   /* pairs of places that are behind us, and at the last report */
} search;

/* The pairs of places of two nodes have met, or were left out together. */
static void pass(search *find, uint32_t a, uint32_t b)
{
    const attest_tree_node *first = &find->tree->node[a], *second = &find->tree->node[b];
    uint64_t count = find->tree->cloud->count, total = count * (count - 1) / 2;
    uint64_t size = first->end - first->begin, other = second->end - second->begin;

    find->done += a == b ? size * (size - 1) / 2 : size * other;
    if (find->done - find->told <= total >> 12)
        return;
    find->told = find->done;
    attest_progress_report(&find->tree->cloud->progress, "pairs", find->done, total, NULL);
}

/* Centres of a candidate are at most this far apart, squared. */
static double node_limit(const search *find, double radii)
{
    return attest_tree_limit(find->tree, find->bound + radii);
}

/* Drops what a smaller bound has excluded since. */
static void sift(search *find)
{
    size_t kept = 0;

    for (size_t i = 0; i < find->pairs; i++)
        if (!(find->pair[i].lower > find->bound))
            find->pair[kept++] = find->pair[i];
    find->pairs = kept;
}

static void keep_pair(search *find, uint32_t a, uint32_t b, double lower)
{
    if (find->overflow)
        return;
    if (find->pairs == find->room) {
        sift(find);
        find->overflow = find->pairs > find->room / 2;
        if (find->overflow)
            return;
    }
    find->pair[find->pairs++] = (attest_candidate){a < b ? a : b, a < b ? b : a, lower};
}

/* What the search does with the two places a, b, whose square of distance is s. */
static void meet(search *find, size_t a, size_t b, double s)
{
    const attest_tree *tree = find->tree;
    double radii = (tree->radius[a] + tree->radius[b]) * (1 + 0x1p-50), lower, upper;

    if (tree->colour[a] == tree->colour[b])
        return;
    lower = attest_tree_below(tree, s) * (1 - 0x1p-50) - radii;
    if (lower > 0)
        lower *=
            1 - 0x1p-50; /* the subtraction's rounding, and a larger one for what is left */
    if (find->active) {
        if (!(lower > find->bound))
            find->active[tree->order[a]] = find->active[tree->order[b]] = true;
        return;
    }
    upper = (attest_tree_above(tree, s) + radii) * (1 + 0x1p-50);
    if (upper < find->bound)
        find->bound = upper;
    if (!(lower > find->bound))
        keep_pair(find, tree->order[a], tree->order[b], lower);
}

/* Leaves of few points of low dimension: row by row, in doubles. */
static void meet_rows(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    const attest_tree_node *first = &tree->node[a], *second = &tree->node[b];
    double radii = first->radius + second->radius, s[ATTEST_TREE_LANES];

    for (uint32_t at = first->begin; at < first->end; at++) {
        double limit = node_limit(find, radii);
        if (a != b && attest_tree_point_square(tree, at, second) > limit)
            continue;
        if (!attest_tree_squares(s, tree, at, second->begin, limit))
            continue;
        for (uint32_t other = a == b ? at + 1 : second->begin; other < second->end; other++)
            if (!(s[other - second->begin] > limit))
                meet(find, at, other, s[other - second->begin]);
    }
}

/* Large leaves: a matrix product leaves out what is plainly far apart. */
static void meet_products(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    const attest_tree_node *first = &tree->node[a], *second = &tree->node[b];
    double radii = (first->radius + second->radius) * (1 + 0x1p-50);
    uint64_t hit[ATTEST_NEAR];
    uint64_t present = UINT64_MAX >> (ATTEST_NEAR - (second->end - second->begin));

    attest_tree_near_hits(hit, &find->near, a, b, (find->bound + radii) * (1 + 0x1p-40));
    for (uint32_t at = first->begin; at < first->end; at++) {
        uint64_t row = hit[at - first->begin] & present;
        if (a == b) /* only what stands behind */
            row &= (UINT64_MAX - 1) << (at - first->begin);
        for (; row; row &= row - 1) {
            uint32_t other = second->begin + (uint32_t)__builtin_ctzll(row);
            double s;
            if (tree->colour[at] == tree->colour[other])
                continue;
            s = attest_tree_square(tree, at, other);
            if (!(s > node_limit(find, radii)))
                meet(find, at, other, s);
        }
    }
}

static void meet_leaves(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;

    if (tree->leaf == ATTEST_NEAR)
        meet_products(find, a, b);
    else
        meet_rows(find, a, b);
    for (int side = 0; find->active && side < 2; side++) {
        uint32_t node = side ? b : a;
        bool all = true;
        for (uint32_t at = tree->node[node].begin; all && at < tree->node[node].end; at++)
            all = find->active[tree->order[at]];
        find->node_active[node] = all;
    }
    pass(find, a, b);
}

/* Whether a pair of nodes, square the bound for their boxes, can hold what is searched. */
static bool worth_meeting(const search *find, uint32_t a, uint32_t b, double square)
{
    const attest_tree_node *first = &find->tree->node[a], *second = &find->tree->node[b];

    if (first->colour == second->colour && first->colour != ATTEST_TREE_MIXED)
        return false;
    if (find->active && find->node_active[a] && find->node_active[b])
        return false;
    return !(square > node_limit(find, first->radius + second->radius));
}

static void note_active(search *find, uint32_t node)
{
    uint32_t left = find->tree->node[node].left;

    if (find->active && left)
        find->node_active[node] = find->node_active[left] && find->node_active[left + 1];
}

static double node_square(const search *find, uint32_t a, uint32_t b)
{
    return attest_tree_box_square(find->tree, &find->tree->node[a], &find->tree->node[b]);
}

/* Visits all pairs of places, one from each of two different nodes that are worth it. */
static void meet_others(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    uint32_t left_a = tree->node[a].left, left_b = tree->node[b].left;
    double square[2];

    if (!left_a && !left_b) {
        meet_leaves(find, a, b);
        return;
    }
    if (!left_a || (left_b && tree->node[b].end - tree->node[b].begin >
                                  tree->node[a].end - tree->node[a].begin)) {
        uint32_t other = a;
        a = b;
        b = other;
        left_a = left_b;
    }
    square[0] = node_square(find, left_a, b);
    square[1] = node_square(find, left_a + 1, b);
    for (int turn = 0; turn < 2; turn++) { /* the nearer child first */
        uint32_t child = (square[1] < square[0]) ^ (uint32_t)turn;
        if (worth_meeting(find, left_a + child, b, square[child]))
            meet_others(find, left_a + child, b);
        else
            pass(find, left_a + child, b);
    }
    note_active(find, a);
}

/* Visits all pairs of places of one node. */
static void meet_itself(search *find, uint32_t a)
{
    uint32_t left = find->tree->node[a].left;

    if (!worth_meeting(find, a, a, 0)) {
        pass(find, a, a);
        return;
    }
    if (!left) {
        meet_leaves(find, a, a);
        return;
    }
    meet_itself(find, left);
    meet_itself(find, left + 1);
    if (worth_meeting(find, left, left + 1, node_square(find, left, left + 1)))
        meet_others(find, left, left + 1);
    else
        pass(find, left, left + 1);
    note_active(find, a);
}

static int by_points(const void *a, const void *b)
{
    const attest_candidate *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

/* Searches all pairs of the tree. Status: NOMEM. */
static attest_status visit(search *find, attest_error *error)
{
    bool products = find->tree->leaf == ATTEST_NEAR && find->tree->nodes;

    if (products) {
        attest_status status = attest_tree_near_init(&find->near, find->tree, error);
        if (status != ATTEST_OK)
            return status;
    }
    attest_progress_report(&find->tree->cloud->progress, "pairs", 0, 0, NULL);
    if (find->tree->nodes)
        meet_itself(find, 0);
    attest_progress_end(&find->tree->cloud->progress);
    if (products)
        attest_tree_near_clear(&find->near);
    return ATTEST_OK;
}

attest_status attest_tree_closest(attest_candidate **pair, size_t *pairs, bool *complete,
                                  double *bound, const attest_tree *tree, size_t most,
                                  attest_error *error)
{
    size_t count = tree->cloud->count;
    search find = {.tree = tree, .bound = INFINITY, .room = most};
    attest_status status;

    /* Few points have few pairs: room for more would only have to be cleared. */
    if (count < most && count * count < most)
        find.room = count * count + 1;
    find.pair = attest_memory_alloc(find.room, sizeof *find.pair);
    if (!find.pair)
        return attest_memory_fail(error);
    status = visit(&find, error);
    if (status != ATTEST_OK) {
        free(find.pair);
        return status;
    }
    sift(&find);
    *complete = !find.overflow;
    *pairs = find.overflow ? 0 : find.pairs;
    *pair = find.pair;
    *bound = find.bound;
    if (*pairs > 1)
        qsort(find.pair, *pairs, sizeof *find.pair, by_points);
    return ATTEST_OK;
}

attest_status attest_tree_active(bool *active, const attest_tree *tree, double bound,
                                 attest_error *error)
{
    search find = {.tree = tree, .bound = bound, .active = active};
    attest_status status;

    for (size_t i = 0; i < tree->cloud->count; i++)
        active[i] = false;
    find.node_active = attest_memory_alloc(tree->nodes, sizeof *find.node_active);
    if (!find.node_active)
        return attest_memory_fail(error);
    status = visit(&find, error);
    free(find.node_active);
    return status;
}
