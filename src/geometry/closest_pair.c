/* closest_pair.c -- the closest pairs of a tree: a search that is cut into meetings of nodes,
 * for the workers. */
#include "geometry/closest_pair.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/workers.h"
#include "geometry/tree.h"
#include "geometry/tree_search.h"

/* A tree is cut into about so many nodes, all pairs of which are meetings. */
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

static bool add_meeting(attest_tree_search *find, size_t *room, uint32_t a, uint32_t b)
{
    if (!attest_memory_grow(&find->meeting, room, find->meetings + 1, sizeof *find->meeting))
        return false;
    find->meeting[find->meetings++] = (attest_tree_meeting){a, b};
    return true;
}

/* Cuts the meeting of two nodes, or of one with itself, into those of nodes with at most most
 * points. */
static bool cut(attest_tree_search *find, size_t *room, size_t most, uint32_t a, uint32_t b)
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
        return add_meeting(find, room, a, b);
    if (itself) /* nodes with themselves first: they bring the bound down */
        return cut(find, room, most, left, left) && cut(find, room, most, left + 1, left + 1) &&
               cut(find, room, most, left, left + 1);
    return cut(find, room, most, left, b) && cut(find, room, most, left + 1, b);
}

/* Hands the candidates of one meeting to the list of all. */
static void hand_over(attest_tree_search *find)
{
    size_t at;

    attest_tree_search_sift(find);
    at = atomic_fetch_add(&find->told->pairs, find->pairs);
    if (find->pairs > find->room - (at < find->room ? at : find->room))
        atomic_store(&find->told->overflow, true);
    else if (find->pairs)
        memcpy(find->given + at, find->pair, find->pairs * sizeof *find->pair);
    find->pairs = 0;
}

static bool hold_meeting(void *context, size_t i)
{
    attest_tree_search *find = context;

    attest_tree_search_meet(find, find->meeting[i].a, find->meeting[i].b);
    if (find->given)
        hand_over(find);
    return true;
}

/* Searches all pairs of the tree. Status: NOMEM, IO. */
static attest_status visit(attest_tree_search *find, attest_error *error)
{
    const attest_tree *tree = find->tree;
    bool products = tree->leaf == ATTEST_NEAR && tree->nodes;
    size_t room = 0, most = find->jobs > 1 ? tree->cloud->count / PARTS : tree->cloud->count;
    attest_status status = ATTEST_OK;

    find->told = attest_workers_alloc(1, sizeof *find->told, find->jobs);
    if (find->told && products)
        status = attest_tree_near_init(&find->near, tree, error);
    if (status == ATTEST_OK && (!find->told || (tree->nodes && !cut(find, &room, most, 0, 0))))
        status = attest_memory_fail(error);
    if (status == ATTEST_OK) {
        attest_tree_search_begin(find);
        find->parent = getpid();
        find->done = find->hinted = 0;
        attest_progress_report(&tree->cloud->progress, "pairs", 0, 0, NULL);
        status = attest_workers_run(hold_meeting, find, find->meetings, find->jobs, error);
        attest_progress_end(&tree->cloud->progress);
        find->bound = attest_tree_search_bound(find);
    }
    free(find->meeting);
    find->meeting = NULL;
    find->meetings = 0;
    if (products)
        attest_tree_near_clear(&find->near);
    return status;
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
static attest_status collect(attest_tree_search *find, bool *overflow, attest_error *error)
{
    attest_status status = ATTEST_OK;

    find->pairs = 0;
    find->given = find->jobs > 1 ? attest_shared_alloc(find->room, sizeof *find->given) : NULL;
    if (find->jobs > 1 && !find->given)
        status = attest_memory_fail(error);
    if (status == ATTEST_OK)
        status = visit(find, error);
    if (status == ATTEST_OK) {
        *overflow = atomic_load(&find->told->overflow);
        if (find->given && !*overflow) {
            find->pairs = atomic_load(&find->told->pairs);
            memcpy(find->pair, find->given, find->pairs * sizeof *find->pair);
        }
        attest_tree_search_sift(find);
        *overflow = *overflow || find->pairs > find->room / 2;
    }
    attest_workers_free(find->told, 1, sizeof *find->told, find->jobs);
    attest_shared_free(find->given, find->room, sizeof *find->given);
    find->told = NULL;
    find->given = NULL;
    return status;
}

attest_status attest_tree_closest(attest_candidate **pair, size_t *pairs, bool *complete,
                                  double *bound, const attest_tree *tree, size_t most,
                                  attest_error *error)
{
    size_t count = tree->cloud->count;
    attest_tree_search find = {
        .tree = tree, .jobs = choose_jobs(tree), .bound = INFINITY, .room = most};
    attest_status status;
    bool overflow;

    /* Few points have few pairs: room for more would only have to be cleared. */
    if (count < most && count * count < most)
        find.room = count * count + 1;
    find.pair = attest_memory_alloc(find.room, sizeof *find.pair);
    if (!find.pair)
        return attest_memory_fail(error);
    status = collect(&find, &overflow, error);
    /* How many were kept before the bound was down depends on the order of the visits; how many
     * there are does not. */
    if (status == ATTEST_OK && overflow) {
        find.fixed = true;
        status = collect(&find, &overflow, error);
    }
    if (status != ATTEST_OK) {
        free(find.pair);
        return status;
    }
    *complete = !overflow;
    *pairs = overflow ? 0 : find.pairs;
    *pair = find.pair;
    *bound = find.bound;
    if (*pairs > 1)
        qsort(find.pair, *pairs, sizeof *find.pair, by_points);
    return ATTEST_OK;
}

attest_status attest_tree_active(bool *active, const attest_tree *tree, double bound,
                                 attest_error *error)
{
    size_t count = tree->cloud->count;
    attest_tree_search find = {
        .tree = tree, .jobs = choose_jobs(tree), .bound = bound, .fixed = true};
    attest_status status;

    find.active = attest_workers_alloc(count, sizeof *active, find.jobs);
    find.node_active = attest_memory_alloc(tree->nodes, sizeof *find.node_active);
    status = find.active && find.node_active ? visit(&find, error) : attest_memory_fail(error);
    if (status == ATTEST_OK)
        memcpy(active, find.active, count * sizeof *active);
    attest_workers_free(find.told, 1, sizeof *find.told, find.jobs);
    attest_workers_free(find.active, count, sizeof *active, find.jobs);
    free(find.node_active);
    return status;
}
