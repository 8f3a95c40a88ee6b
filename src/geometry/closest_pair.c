/* closest_pair.c -- which pairs of a cloud can be closest.
 *
 * A search visits pairs of nodes, nearest first, and leaves a pair out when the distance of
 * its boxes, a lower bound on every distance between them, is too large, or when all points
 * have one colour. Every inequality below errs on the side of visiting: what is left out has
 * lower > bound, so that the result depends neither on the order of the visits nor on which
 * process makes them (proofs-notes/closest_pair.md). */
#include "geometry/closest_pair.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "geometry/tree.h"

/* Shared by the processes of a search. A process that reads an old bound only visits pairs that
 * it could have left out: the result does not depend on it. */
typedef struct shared_state {
    _Atomic uint64_t bound; /* the bits of a double that is not negative: they have its order */
    atomic_bool overflow;   /* there were too many pairs to keep */
    atomic_size_t pairs;    /* in the list that they share */
    _Atomic uint64_t done;  /* pairs of places that are done */
} shared_state;

/* Two nodes whose pairs of points are visited, or one node twice. */
typedef struct task {
    uint32_t a, b;
} task;

/* For the least upper bound and the pairs that it cannot exclude, or, with active, for the
 * points of such pairs. */
typedef struct search {
    const attest_tree *tree;
    size_t jobs;
    double bound;
    bool fixed;              /* the bound is final */
    attest_candidate *pair;  /* not active: the candidates so far, */
    size_t pairs, room;      /* and how many fit; more than half of room is an overflow */
    attest_candidate *given; /* several processes: those of all, room of them */
    attest_tree_near near;   /* for pairs of leaves by a matrix product */
    unsigned refused;        /* pairs of leaves in a row that projections did not settle */
    bool *active;            /* by point; shared */
    bool *node_active;       /* all points of the node are active */
    shared_state *shared;    /* shared */
    task *task;
    size_t tasks;
    pid_t parent;          /* the process that reports */
    uint64_t done, hinted; /* by this process, and when it last reported them */
} search;

/* Counts the pairs of places of two nodes as done. */
static void pass(search *find, uint32_t a, uint32_t b)
{
    const attest_tree_node *first = &find->tree->node[a], *second = &find->tree->node[b];
    uint64_t count = find->tree->cloud->count, total = count * (count - 1) / 2, done;
    uint64_t size = first->end - first->begin, other = second->end - second->begin;

    find->done += a == b ? size * (size - 1) / 2 : size * other;
    if (find->done - find->hinted <= total >> 12)
        return;
    done = atomic_fetch_add(&find->shared->done, find->done - find->hinted) + find->done -
           find->hinted;
    find->hinted = find->done;
    if (find->jobs == 1 || getpid() == find->parent)
        attest_progress_report(&find->tree->cloud->progress, "pairs", done, total, NULL);
}

/* Centres of a candidate are at most this far apart, squared. */
static double node_limit(const search *find, double radii)
{
    return attest_tree_limit(find->tree, find->bound + radii);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Sets the bound that all processes begin with. */
static void begin(search *find)
{
    atomic_store(&find->shared->bound, bits_of(find->bound));
}

/* The least bound of all processes. */
static double least_bound(const search *find)
{
    uint64_t bits = atomic_load_explicit(&find->shared->bound, memory_order_relaxed);
    double bound;

    memcpy(&bound, &bits, sizeof bound);
    return attest_tree_less(bound, find->bound);
}

/* Lowers the bound of all processes. */
static void lower_bound(search *find, double bound)
{
    uint64_t known = atomic_load(&find->shared->bound);

    find->bound = bound;
    while (bits_of(bound) < known &&
           !atomic_compare_exchange_weak(&find->shared->bound, &known, bits_of(bound)))
        ;
}

/* Drops pairs that a smaller bound has excluded since. */
static void sift(search *find)
{
    size_t kept = 0;

    find->bound = least_bound(find);
    for (size_t i = 0; i < find->pairs; i++)
        if (!(find->pair[i].lower > find->bound))
            find->pair[kept++] = find->pair[i];
    find->pairs = kept;
}

static void keep_pair(search *find, uint32_t a, uint32_t b, double lower)
{
    if (atomic_load_explicit(&find->shared->overflow, memory_order_relaxed))
        return;
    if (find->pairs == find->room) {
        sift(find);
        if (find->pairs > find->room / 2) {
            atomic_store(&find->shared->overflow, true);
            return;
        }
    }
    find->pair[find->pairs++] = (attest_candidate){a < b ? a : b, a < b ? b : a, lower};
}

/* Visits the pair of places a, b, whose square of distance is s. */
static void visit_pair(search *find, size_t a, size_t b, double s)
{
    const attest_tree *tree = find->tree;
    double radii = (tree->radius[a] + tree->radius[b]) * (1 + 0x1p-50), lower, upper;

    if (tree->colour[a] == tree->colour[b])
        return;
    lower = attest_tree_below(tree, s) * (1 - 0x1p-50) - radii;
    if (lower > 0)
        lower *= 1 - 0x1p-50; /* the rounding of the subtraction, with room */
    if (find->active) {
        if (!(lower > find->bound))
            find->active[tree->order[a]] = find->active[tree->order[b]] = true;
        return;
    }
    upper = (attest_tree_above(tree, s) + radii) * (1 + 0x1p-50);
    if (upper < find->bound)
        lower_bound(find, upper);
    if (!(lower > find->bound))
        keep_pair(find, tree->order[a], tree->order[b], lower);
}

/* Leaves of few points of low dimension: row by row, in doubles. */
static void visit_rows(search *find, uint32_t a, uint32_t b)
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
                visit_pair(find, at, other, s[other - second->begin]);
    }
}

/* Where the data lie near few dimensions, projections leave few pairs of two leaves, or none.
 * False if they leave more, which a product excludes faster. */
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

/* Calls hit_along, but rarely after many failures in a row. */
static bool settle_along(uint64_t hit[ATTEST_NEAR], search *find, uint32_t a, uint32_t b,
                         double limit)
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

/* Large leaves: a matrix product excludes most pairs that are far apart. */
static void visit_products(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    const attest_tree_node *first = &tree->node[a], *second = &tree->node[b];
    double radii = (first->radius + second->radius) * (1 + 0x1p-50);
    uint64_t hit[ATTEST_NEAR];
    uint64_t present = UINT64_MAX >> (ATTEST_NEAR - (second->end - second->begin));

    /* A pair without a hit is beyond the limit, as if its square had been computed. */
    if (a == b || !settle_along(hit, find, a, b, node_limit(find, radii)))
        attest_tree_near_hits(hit, &find->near, a, b,
                              sqrt(node_limit(find, radii)) * (1 + 0x1p-40));
    for (uint32_t at = first->begin; at < first->end; at++) {
        uint64_t row = hit[at - first->begin] & present;
        if (a == b) /* each pair once */
            row &= (UINT64_MAX - 1) << (at - first->begin);
        for (; row; row &= row - 1) {
            uint32_t other = second->begin + (uint32_t)__builtin_ctzll(row);
            double s;
            if (tree->colour[at] == tree->colour[other])
                continue;
            s = attest_tree_square(tree, at, other);
            if (!(s > node_limit(find, radii)))
                visit_pair(find, at, other, s);
        }
    }
}

static void visit_leaves(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;

    find->bound = least_bound(find);
    if (tree->leaf == ATTEST_NEAR)
        visit_products(find, a, b);
    else
        visit_rows(find, a, b);
    for (int side = 0; find->active && side < 2; side++) {
        uint32_t node = side ? b : a;
        bool all = true;
        for (uint32_t at = tree->node[node].begin; all && at < tree->node[node].end; at++)
            all = find->active[tree->order[at]];
        find->node_active[node] = all;
    }
    pass(find, a, b);
}

/* True if a pair of nodes may contain pairs to find; square bounds the distance of their boxes.
 */
static bool worth_visiting(const search *find, uint32_t a, uint32_t b, double square)
{
    const attest_tree_node *first = &find->tree->node[a], *second = &find->tree->node[b];

    /* With a final bound an overflow is final, too. */
    if (find->fixed && !find->active &&
        atomic_load_explicit(&find->shared->overflow, memory_order_relaxed))
        return false;
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
static void visit_two(search *find, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    uint32_t left_a = tree->node[a].left, left_b = tree->node[b].left;
    double square[2];

    if (!left_a && !left_b) {
        visit_leaves(find, a, b);
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
        if (worth_visiting(find, left_a + child, b, square[child]))
            visit_two(find, left_a + child, b);
        else
            pass(find, left_a + child, b);
    }
    note_active(find, a);
}

/* Visits all pairs of places of one node. */
static void visit_one(search *find, uint32_t a)
{
    uint32_t left = find->tree->node[a].left;

    if (!worth_visiting(find, a, a, 0)) {
        pass(find, a, a);
        return;
    }
    if (!left) {
        visit_leaves(find, a, a);
        return;
    }
    visit_one(find, left);
    visit_one(find, left + 1);
    if (worth_visiting(find, left, left + 1, node_square(find, left, left + 1)))
        visit_two(find, left, left + 1);
    else
        pass(find, left, left + 1);
    note_active(find, a);
}

/* Visits all pairs of places, one from each of two nodes, that the search may keep. */
static void visit_nodes(search *find, uint32_t a, uint32_t b)
{
    if (a == b)
        visit_one(find, a);
    else if (worth_visiting(find, a, b, node_square(find, a, b)))
        visit_two(find, a, b);
    else
        pass(find, a, b);
}

/* The search is cut into tasks for the workers. */

/* A tree is cut into about this many nodes; every pair of them is a task. */
enum { PARTS = 64 };

/* Where all pairs together have fewer products than this, a fork costs more than it gains. */
static const double small_work = 0x1p28;

static size_t choose_jobs(const attest_tree *tree)
{
    const attest_cloud *cloud = tree->cloud;
    double count = (double)cloud->count;

    return count * count * (double)cloud->dim < small_work || cloud->jobs < 2 ? 1 : cloud->jobs;
}

static size_t size_of(const attest_tree *tree, uint32_t node)
{
    return tree->node[node].end - tree->node[node].begin;
}

static bool add_task(search *find, size_t *room, uint32_t a, uint32_t b)
{
    if (!attest_memory_grow(&find->task, room, find->tasks + 1, sizeof *find->task))
        return false;
    find->task[find->tasks++] = (task){a, b};
    return true;
}

/* Cuts the task of two nodes, or of one with itself, into those of nodes with at most `most`
 * points. */
static bool cut(search *find, size_t *room, size_t most, uint32_t a, uint32_t b)
{
    const attest_tree *tree = find->tree;
    bool itself = a == b;
    uint32_t left;

    if (size_of(tree, b) > size_of(tree, a)) {
        uint32_t other = a;
        a = b;
        b = other;
    }
    left = tree->node[a].left;
    if (!left || size_of(tree, a) <= most)
        return add_task(find, room, a, b);
    if (itself) /* nodes with themselves first: they bring the bound down */
        return cut(find, room, most, left, left) && cut(find, room, most, left + 1, left + 1) &&
               cut(find, room, most, left, left + 1);
    return cut(find, room, most, left, b) && cut(find, room, most, left + 1, b);
}

/* Moves the candidates of one task to the list of all. */
static void move_candidates(search *find)
{
    size_t at;

    sift(find);
    at = atomic_fetch_add(&find->shared->pairs, find->pairs);
    if (find->pairs > find->room - (at < find->room ? at : find->room))
        atomic_store(&find->shared->overflow, true);
    else if (find->pairs)
        memcpy(find->given + at, find->pair, find->pairs * sizeof *find->pair);
    find->pairs = 0;
}

static bool run_task(void *context, size_t i)
{
    search *find = context;

    visit_nodes(find, find->task[i].a, find->task[i].b);
    if (find->given)
        move_candidates(find);
    return true;
}

/* Searches all pairs of the tree. Status: NOMEM, IO; the caller ends the search. */
static attest_status run_search(search *find, attest_error *error)
{
    const attest_tree *tree = find->tree;
    size_t room = 0, most = find->jobs > 1 ? tree->cloud->count / PARTS : tree->cloud->count;

    find->shared = attest_workers_alloc(1, sizeof *find->shared, find->jobs);
    if (!find->shared)
        return attest_memory_fail(error);
    if (tree->leaf == ATTEST_NEAR && tree->nodes)
        ATTEST_TRY(attest_tree_near_init(&find->near, tree, error));
    if (tree->nodes && !cut(find, &room, most, 0, 0))
        return attest_memory_fail(error);
    begin(find);
    find->parent = getpid();
    find->done = find->hinted = 0;
    ATTEST_PROGRESS_STAGE(progress, &tree->cloud->progress);
    attest_progress_report(progress, "pairs", 0, 0, NULL);
    ATTEST_TRY(attest_workers_run(run_task, find, find->tasks, find->jobs, error));
    find->bound = least_bound(find);
    return ATTEST_OK;
}

/* Frees all but the candidates found. */
static void end_search(search **running)
{
    search *find = *running;

    attest_tree_near_clear(&find->near);
    attest_workers_free(find->shared, 1, sizeof *find->shared, find->jobs);
    attest_workers_free(find->active, find->tree->cloud->count, sizeof *find->active,
                        find->jobs);
    attest_shared_free(find->given, find->room, sizeof *find->given);
    free(find->node_active);
    free(find->task);
    find->task = NULL;
    find->tasks = 0;
}

static int by_points(const void *a, const void *b)
{
    const attest_candidate *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

/* find->pair = all pairs with lower <= bound, the bound that the search ends with. *overflow:
 * there were too many on the way, or are too many. Status: NOMEM, IO. */
static attest_status collect(search *find, bool *overflow, attest_error *error)
{
    search *running ATTEST_CLEARED_BY(end_search) = find;

    find->pairs = 0;
    find->shared = NULL;
    find->given = find->jobs > 1 ? attest_shared_alloc(find->room, sizeof *find->given) : NULL;
    if (find->jobs > 1 && !find->given)
        return attest_memory_fail(error);
    ATTEST_TRY(run_search(running, error));
    *overflow = atomic_load(&find->shared->overflow);
    if (find->given && !*overflow) {
        find->pairs = atomic_load(&find->shared->pairs);
        memcpy(find->pair, find->given, find->pairs * sizeof *find->pair);
    }
    sift(find);
    *overflow = *overflow || find->pairs > find->room / 2;
    return ATTEST_OK;
}

/* *bound = the least upper bound on a distance over all pairs of different colours; infinity
 * when there is no such pair. *pair = all candidates in lexicographic order, to be freed by the
 * caller; with more than most/2 of them *complete is false and *pairs 0. Status: NOMEM, IO (a
 * worker died). */
static attest_status find_closest(attest_candidate **pair, size_t *pairs, bool *complete,
                                  double *bound, const attest_tree *tree, size_t most,
                                  attest_error *error)
{
    size_t count = tree->cloud->count;
    search find = {.tree = tree, .jobs = choose_jobs(tree), .bound = INFINITY, .room = most};
    bool overflow;

    /* Few points have few pairs: room for more would only have to be cleared. */
    if (count < most && count * count < most)
        find.room = count * count + 1;
    find.pair = attest_memory_alloc(find.room, sizeof *find.pair);
    if (!find.pair)
        return attest_memory_fail(error);
    ATTEST_TRY_OR(collect(&find, &overflow, error), free(find.pair));
    /* The number of pairs kept while the bound falls depends on the order of the visits, that
     * of the candidates does not: search again with the final bound. */
    if (overflow) {
        find.fixed = true;
        ATTEST_TRY_OR(collect(&find, &overflow, error), free(find.pair));
    }
    *complete = !overflow;
    *pairs = overflow ? 0 : find.pairs;
    *pair = find.pair;
    *bound = find.bound;
    if (*pairs > 1)
        qsort(find.pair, *pairs, sizeof *find.pair, by_points);
    return ATTEST_OK;
}

/* active[i] = true for every point i of a pair with lower <= bound, false for the others.
 * Status: NOMEM, IO. */
static attest_status find_active(bool *active, const attest_tree *tree, double bound,
                                 attest_error *error)
{
    size_t count = tree->cloud->count;
    search find = {.tree = tree, .jobs = choose_jobs(tree), .bound = bound, .fixed = true};
    search *running ATTEST_CLEARED_BY(end_search) = &find;

    find.active = attest_workers_alloc(count, sizeof *active, find.jobs);
    find.node_active = attest_memory_alloc(tree->nodes, sizeof *find.node_active);
    if (!find.active || !find.node_active)
        return attest_memory_fail(error);
    ATTEST_TRY(run_search(running, error));
    memcpy(active, find.active, count * sizeof *active);
    return ATTEST_OK;
}

/* The iterator. */

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
    ATTEST_TRY(find_closest(&candidates->pair, &candidates->pairs, &candidates->complete,
                            &candidates->bound, &candidates->tree, MOST_PAIRS, error));
    if (candidates->complete)
        return ATTEST_OK;
    candidates->active = attest_memory_alloc(cloud->count, sizeof *candidates->active);
    if (!candidates->active)
        return attest_memory_fail(error);
    return find_active(candidates->active, &candidates->tree, candidates->bound, error);
}

attest_status attest_candidates_init(attest_candidates *candidates, const attest_cloud *cloud,
                                     attest_error *error)
{
    *candidates = (attest_candidates){0};
    ATTEST_TRY_OR(find_candidates(candidates, cloud, error),
                  attest_candidates_clear(candidates));
    return ATTEST_OK;
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
