/* collect.c -- near pairs found by several processes, and visited by one.
 *
 * A visit decides, with what it has decided before; so pairs are visited here, in the order in
 * which one process would have found them. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/workers.h"
#include "recheck/grid.h"

/* Near pairs that are kept, of all parts and of one. */
enum { MOST_PAIRS = 1 << 20, MOST_OF_PART = 1 << 17 };

typedef struct near_pair {
    uint32_t a, b;
} near_pair;

/* Where the pairs of a part are. */
typedef struct found_part {
    size_t begin, count;
} found_part;

typedef struct collection {
    attest_recheck_grid *grid;
    near_pair *own; /* of the part that is being visited */
    size_t count;
    /* Shared: */
    near_pair *pair;
    found_part *part;
    struct {
        atomic_size_t pairs;
        atomic_bool overflow;
    } * told;
    pid_t parent;
} collection;

static bool keep(void *state, size_t a, size_t b)
{
    collection *c = state;

    if (c->count == MOST_OF_PART)
        atomic_store(&c->told->overflow, true);
    else
        c->own[c->count++] = (near_pair){(uint32_t)a, (uint32_t)b};
    return !atomic_load_explicit(&c->told->overflow, memory_order_relaxed);
}

static bool find_part(void *context, size_t part)
{
    collection *c = context;
    size_t at;

    c->grid->quiet = getpid() != c->parent;
    c->count = 0;
    if (atomic_load(&c->told->overflow) || !attest_recheck_grid_visit(c->grid, part))
        return true;
    at = atomic_fetch_add(&c->told->pairs, c->count);
    if (c->count > MOST_PAIRS - (at < MOST_PAIRS ? at : MOST_PAIRS))
        atomic_store(&c->told->overflow, true);
    else if (c->count)
        memcpy(c->pair + at, c->own, c->count * sizeof *c->pair);
    c->part[part] = (found_part){at, c->count};
    return true;
}

/* Visits what was found; stops when a visit says so. */
static void visit_all(const collection *c, bool (*visit)(void *state, size_t a, size_t b),
                      void *state, size_t parts)
{
    for (size_t p = 0; p < parts; p++)
        for (size_t i = 0; i < c->part[p].count; i++)
            if (!visit(state, c->pair[c->part[p].begin + i].a, c->pair[c->part[p].begin + i].b))
                return;
}

attest_status attest_recheck_collect(bool *done, attest_recheck_grid *grid, size_t jobs,
                                     attest_error *error)
{
    collection c = {.grid = grid, .parent = getpid()};
    size_t parts = attest_recheck_grid_parts(grid);
    bool (*visit)(void *state, size_t a, size_t b) = grid->visit;
    void *state = grid->state;
    attest_status status;

    *done = false;
    c.own = attest_memory_alloc(MOST_OF_PART, sizeof *c.own);
    c.pair = attest_shared_alloc(MOST_PAIRS, sizeof *c.pair);
    c.part = attest_shared_alloc(parts, sizeof *c.part);
    c.told = attest_shared_alloc(1, sizeof *c.told);
    grid->visit = keep;
    grid->state = &c;
    status = c.own && c.pair && c.part && c.told
                 ? attest_workers_run(find_part, &c, parts, jobs, error)
                 : attest_memory_fail(error);
    grid->visit = visit;
    grid->state = state;
    if (status == ATTEST_OK && !atomic_load(&c.told->overflow)) {
        visit_all(&c, visit, state, parts);
        *done = true;
    }
    free(c.own);
    attest_shared_free(c.pair, MOST_PAIRS, sizeof *c.pair);
    attest_shared_free(c.part, parts, sizeof *c.part);
    attest_shared_free(c.told, 1, sizeof *c.told);
    return status;
}
