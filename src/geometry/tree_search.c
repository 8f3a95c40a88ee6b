/* tree_search.c -- which pairs of a tree can be closest.
 *
 * A search visits pairs of nodes, nearest first, and leaves a pair out when the distance of
 * its boxes, a lower bound on every distance between them, is too large, or when all points
 * have one colour. Every inequality below errs on the side of visiting: what is left out has
 * lower > bound, so that what is found depends neither on the order of the visits nor on which
 * process makes them (proofs-notes/closest_pair.md). */
#include "geometry/tree_search.h"

#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "geometry/tree.h"

/* The pairs of places of two nodes have met, or were left out together. */
static void pass(attest_tree_search *find, uint32_t a, uint32_t b)
{
    const attest_tree_node *first = &find->tree->node[a], *second = &find->tree->node[b];
    uint64_t count = find->tree->cloud->count, total = count * (count - 1) / 2, done;
    uint64_t size = first->end - first->begin, other = second->end - second->begin;

    find->done += a == b ? size * (size - 1) / 2 : size * other;
    if (find->done - find->hinted <= total >> 12)
        return;
    done = atomic_fetch_add(&find->told->done, find->done - find->hinted) + find->done -
           find->hinted;
    find->hinted = find->done;
    if (find->jobs == 1 || getpid() == find->parent)
        attest_progress_report(&find->tree->cloud->progress, "pairs", done, total, NULL);
}

/* Centres of a candidate are at most this far apart, squared. */
static double node_limit(const attest_tree_search *find, double radii)
{
    return attest_tree_limit(find->tree, find->bound + radii);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void attest_tree_search_begin(attest_tree_search *find)
{
    atomic_store(&find->told->bound, bits_of(find->bound));
}

double attest_tree_search_bound(const attest_tree_search *find)
{
    uint64_t bits = atomic_load_explicit(&find->told->bound, memory_order_relaxed);
    double bound;

    memcpy(&bound, &bits, sizeof bound);
    return attest_tree_less(bound, find->bound);
}

/* A smaller bound, for all. */
static void tell_bound(attest_tree_search *find, double bound)
{
    uint64_t known = atomic_load(&find->told->bound);

    find->bound = bound;
    while (bits_of(bound) < known &&
           !atomic_compare_exchange_weak(&find->told->bound, &known, bits_of(bound)))
        ;
}

void attest_tree_search_sift(attest_tree_search *find)
{
    size_t kept = 0;

    find->bound = attest_tree_search_bound(find);
    for (size_t i = 0; i < find->pairs; i++)
        if (!(find->pair[i].lower > find->bound))
            find->pair[kept++] = find->pair[i];
    find->pairs = kept;
}

static void keep_pair(attest_tree_search *find, uint32_t a, uint32_t b, double lower)
{
    if (atomic_load_explicit(&find->told->overflow, memory_order_relaxed))
        return;
    if (find->pairs == find->room) {
        attest_tree_search_sift(find);
        if (find->pairs > find->room / 2) {
            atomic_store(&find->told->overflow, true);
            return;
        }
    }
    find->pair[find->pairs++] = (attest_candidate){a < b ? a : b, a < b ? b : a, lower};
}

/* What the search does with the two places a, b, whose square of distance is s. */
static void meet(attest_tree_search *find, size_t a, size_t b, double s)
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
        tell_bound(find, upper);
    if (!(lower > find->bound))
        keep_pair(find, tree->order[a], tree->order[b], lower);
}

/* Leaves of few points of low dimension: row by row, in doubles. */
static void meet_rows(attest_tree_search *find, uint32_t a, uint32_t b)
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

/* Data of few dimensions, whatever the number of entries: projections leave few pairs of two
 * leaves, or none. False where they leave more, which a product does better. */
static bool hit_along(uint64_t hit[ATTEST_NEAR], const attest_tree *tree,
                      const attest_tree_node *first, const attest_tree_node *second,
                      double limit)
{
    enum { FEW = 16 };
    int count = 0;

    for (uint32_t at = first->begin; at < first->end; at++) {
        uint64_t *row = &hit[at - first->begin];
        *row = 0;
        if (attest_tree_point_square(tree, at, second) > limit)
            continue;
        for (uint32_t other = second->begin; other < second->end; other++) {
            if (attest_tree_along_square(tree, at, other) > limit)
                continue;
            if (++count > FEW)
                return false;
            *row |= UINT64_C(1) << (other - second->begin);
        }
    }
    return true;
}

/* The same, of pairs of different leaves, but seldom where it has long been in vain. */
static bool settle_along(uint64_t hit[ATTEST_NEAR], attest_tree_search *find, uint32_t a,
                         uint32_t b, double limit)
{
    enum { LONG = 32, SELDOM = 16 };
    const attest_tree *tree = find->tree;

    if (find->refused > LONG && find->refused % SELDOM) {
        find->refused++;
        return false;
    }
    if (hit_along(hit, tree, &tree->node[a], &tree->node[b], limit)) {
        find->refused = 0;
        return true;
    }
    find->refused++;
    return false;
}

/* Large leaves: a matrix product leaves out what is plainly far apart. */
static void meet_products(attest_tree_search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    const attest_tree_node *first = &tree->node[a], *second = &tree->node[b];
    double radii = (first->radius + second->radius) * (1 + 0x1p-50);
    uint64_t hit[ATTEST_NEAR];
    uint64_t present = UINT64_MAX >> (ATTEST_NEAR - (second->end - second->begin));

    /* What is not hit is beyond the limit, as if its square had been computed. */
    if (a == b || !settle_along(hit, find, a, b, node_limit(find, radii)))
        attest_tree_near_hits(hit, &find->near, a, b,
                              sqrt(node_limit(find, radii)) * (1 + 0x1p-40));
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

static void meet_leaves(attest_tree_search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;

    find->bound = attest_tree_search_bound(find);
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
static bool worth_meeting(const attest_tree_search *find, uint32_t a, uint32_t b, double square)
{
    const attest_tree_node *first = &find->tree->node[a], *second = &find->tree->node[b];

    /* With a known bound, too many pairs are too many. */
    if (find->fixed && !find->active &&
        atomic_load_explicit(&find->told->overflow, memory_order_relaxed))
        return false;
    if (first->colour == second->colour && first->colour != ATTEST_TREE_MIXED)
        return false;
    if (find->active && find->node_active[a] && find->node_active[b])
        return false;
    return !(square > node_limit(find, first->radius + second->radius));
}

static void note_active(attest_tree_search *find, uint32_t node)
{
    uint32_t left = find->tree->node[node].left;

    if (find->active && left)
        find->node_active[node] = find->node_active[left] && find->node_active[left + 1];
}

static double node_square(const attest_tree_search *find, uint32_t a, uint32_t b)
{
    return attest_tree_box_square(find->tree, &find->tree->node[a], &find->tree->node[b]);
}

/* Visits all pairs of places, one from each of two different nodes that are worth it. */
static void meet_others(attest_tree_search *find, uint32_t a, uint32_t b)
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
static void meet_itself(attest_tree_search *find, uint32_t a)
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

void attest_tree_search_meet(attest_tree_search *find, uint32_t a, uint32_t b)
{
    if (a == b)
        meet_itself(find, a);
    else if (worth_meeting(find, a, b, node_square(find, a, b)))
        meet_others(find, a, b);
    else
        pass(find, a, b);
}
