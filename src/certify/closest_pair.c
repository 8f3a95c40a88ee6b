/* closest_pair.c -- the three questions that a tree answers.
 *
 * All of them visit pairs of nodes, nearest first, and leave a pair out when the distance of
 * its boxes, a lower bound on every distance between them, is too large, or when all points
 * have one colour. Every inequality below errs on the side of visiting. */
#include "certify/closest_pair.h"

#include <stdlib.h>

#include "base/memory.h"
#include "certify/tree.h"

enum { ABANDON = 8 }; /* coordinates between two looks at the partial sums */

/* A lower bound on the square of the distance between points of two boxes: gaps shrink by the
 * error of two coordinates, and the factor covers the roundings of 8 terms. Boxes have all 8
 * axes, the unused ones of no extent, so that the loops have a fixed length. */
static double box_square(const attest_tree *tree, const double *a, const double *b)
{
    double s[2] = {0, 0}, twice = 2 * tree->axis_error;

    for (int c = 0; c < ATTEST_TREE_AXES; c++) {
        double gap =
            attest_tree_more(a[c] - b[ATTEST_TREE_AXES + c], b[c] - a[ATTEST_TREE_AXES + c]);
        gap = attest_tree_more(gap - twice, 0);
        s[c % 2] += gap * gap;
    }
    return (s[0] + s[1]) * (1 - 0x1p-48);
}

static double point_square(const attest_tree *tree, const double *x, const double *box)
{
    double s = 0, twice = 2 * tree->axis_error;

    for (size_t c = 0; c < tree->axes; c++) {
        double gap = attest_tree_more(x[c] - box[ATTEST_TREE_AXES + c], box[c] - x[c]) - twice;
        if (gap > 0)
            s += gap * gap;
    }
    return s * (1 - 0x1p-48);
}

static const double *box_of(const attest_tree *tree, uint32_t node)
{
    return tree->box + 2 * ATTEST_TREE_AXES * (size_t)node;
}

/* s[lane] = the square of the distance between the centre at place at and that of each point of
 * leaf block b. False when all of them exceed limit; then s is unfinished. */
static bool leaf_squares(double s[ATTEST_TREE_LEAF], const attest_tree *tree, size_t at,
                         size_t b, double limit)
{
    size_t dim = tree->cloud->dim;
    const double *mine =
        tree->block + at / ATTEST_TREE_LEAF * dim * ATTEST_TREE_LEAF + at % ATTEST_TREE_LEAF;
    const double *theirs = tree->block + b * dim * ATTEST_TREE_LEAF;

    for (int lane = 0; lane < ATTEST_TREE_LEAF; lane++)
        s[lane] = 0;
    for (size_t c = 0; c < dim;) {
        size_t stop = dim - c < ABANDON ? dim : c + ABANDON;
        for (; c < stop; c++) {
            double x = mine[c * ATTEST_TREE_LEAF];
            for (int lane = 0; lane < ATTEST_TREE_LEAF; lane++) {
                double t = x - theirs[c * ATTEST_TREE_LEAF + lane];
                s[lane] += t * t;
            }
        }
        double least = s[0];
        for (int lane = 1; lane < ATTEST_TREE_LEAF; lane++)
            least = s[lane] < least ? s[lane] : least;
        if (least > limit) /* partial sums only grow */
            return false;
    }
    return true;
}

/* A search over pairs of nodes: for the least upper bound and the pairs that it cannot exclude,
 * or, with active, for the points of such pairs. */
typedef struct search {
    const attest_tree *tree;
    double bound;
    attest_candidate *pair; /* not active: the candidates so far */
    size_t pairs, room;
    bool overflow;     /* there were too many to keep */
    bool *active;      /* by point */
    bool *node_active; /* all points of the node are active */
} search;

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
        if (find->pair[i].lower <= find->bound)
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
        if (lower <= find->bound)
            find->active[tree->order[a]] = find->active[tree->order[b]] = true;
        return;
    }
    upper = (attest_tree_above(tree, s) + radii) * (1 + 0x1p-50);
    if (upper < find->bound)
        find->bound = upper;
    if (lower <= find->bound)
        keep_pair(find, tree->order[a], tree->order[b], lower);
}

static void meet_leaves(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    const attest_tree_node *first = &tree->node[a], *second = &tree->node[b];
    double radii = first->radius + second->radius, s[ATTEST_TREE_LEAF];

    for (uint32_t at = first->begin; at < first->end; at++) {
        double limit = node_limit(find, radii);
        if (a != b &&
            point_square(tree, tree->along + at * tree->axes, box_of(tree, b)) > limit)
            continue;
        if (!leaf_squares(s, tree, at, second->begin / ATTEST_TREE_LEAF, limit))
            continue;
        for (uint32_t other = a == b ? at + 1 : second->begin; other < second->end; other++)
            if (s[other - second->begin] <= limit)
                meet(find, at, other, s[other - second->begin]);
    }
    if (find->active) {
        for (int side = 0; side < 2; side++) {
            uint32_t node = side ? b : a;
            bool all = true;
            for (uint32_t at = tree->node[node].begin; all && at < tree->node[node].end; at++)
                all = find->active[tree->order[at]];
            find->node_active[node] = all;
        }
    }
}

/* Whether a pair of nodes, square the bound for their boxes, can hold what is searched. */
static bool worth_meeting(const search *find, uint32_t a, uint32_t b, double square)
{
    const attest_tree_node *first = &find->tree->node[a], *second = &find->tree->node[b];

    if (first->colour == second->colour && first->colour != ATTEST_TREE_MIXED)
        return false;
    if (find->active && find->node_active[a] && find->node_active[b])
        return false;
    return square <= node_limit(find, first->radius + second->radius);
}

static void note_active(search *find, uint32_t node)
{
    uint32_t left = find->tree->node[node].left;

    if (find->active && left)
        find->node_active[node] = find->node_active[left] && find->node_active[left + 1];
}

static double node_square(const search *find, uint32_t a, uint32_t b)
{
    return box_square(find->tree, box_of(find->tree, a), box_of(find->tree, b));
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
    }
    note_active(find, a);
}

/* Visits all pairs of places of one node. */
static void meet_itself(search *find, uint32_t a)
{
    uint32_t left = find->tree->node[a].left;

    if (!worth_meeting(find, a, a, 0))
        return;
    if (!left) {
        meet_leaves(find, a, a);
        return;
    }
    meet_itself(find, left);
    meet_itself(find, left + 1);
    if (worth_meeting(find, left, left + 1, node_square(find, left, left + 1)))
        meet_others(find, left, left + 1);
    note_active(find, a);
}

static int by_points(const void *a, const void *b)
{
    const attest_candidate *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

attest_status attest_tree_closest(attest_candidate **pair, size_t *pairs, bool *complete,
                                  double *bound, const attest_tree *tree, size_t most,
                                  attest_error *error)
{
    size_t count = tree->cloud->count;
    search find = {.tree = tree, .bound = INFINITY, .room = most};

    /* Few points have few pairs: room for more would only have to be cleared. */
    if (count < most && count * count < most)
        find.room = count * count + 1;
    find.pair = attest_memory_alloc(find.room, sizeof *find.pair);
    if (!find.pair)
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    if (tree->nodes)
        meet_itself(&find, 0);
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

    for (size_t i = 0; i < tree->cloud->count; i++)
        active[i] = false;
    find.node_active = attest_memory_alloc(tree->nodes, sizeof *find.node_active);
    if (!find.node_active)
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    if (tree->nodes)
        meet_itself(&find, 0);
    free(find.node_active);
    return ATTEST_OK;
}

/* The neighbours of one point. */
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
    if (found->count == found->room) {
        size_t room = found->room ? 2 * found->room : 64;
        uint32_t *list = attest_memory_resize(found->list, room, sizeof *list);
        if (!list) {
            found->failed = true;
            return;
        }
        found->list = list;
        found->room = room;
    }
    found->list[found->count++] = point;
}

static void gather_leaf(gather *found, const attest_tree_node *node, double limit)
{
    const attest_tree *tree = found->tree;
    double s[ATTEST_TREE_LEAF];

    if (!leaf_squares(s, tree, found->place, node->begin / ATTEST_TREE_LEAF, limit))
        return;
    for (uint32_t at = node->begin; at < node->end; at++) {
        double radii = tree->radius[at] + tree->radius[found->place];
        if (tree->colour[at] != tree->colour[found->place] &&
            attest_tree_below(tree, s[at - node->begin]) <=
                (found->bound + radii) * (1 + 0x1p-48))
            keep(found, tree->order[at]);
    }
}

static void gather_node(gather *found, uint32_t at)
{
    const attest_tree *tree = found->tree;
    const attest_tree_node *node = &tree->node[at];
    double limit =
        attest_tree_limit(tree, found->bound + tree->radius[found->place] + node->radius);

    if (node->colour == tree->colour[found->place] || found->failed ||
        point_square(tree, tree->along + found->place * tree->axes, box_of(tree, at)) > limit)
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
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    if (found.count > 1)
        qsort(found.list, found.count, sizeof *found.list, ascending);
    return ATTEST_OK;
}
