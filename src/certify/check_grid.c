/* check_grid.c -- the pairs of positions that may be near, from a grid of cells.
 *
 * A position falls into the cell floor(x_c / width) of its first entries; the width is at least
 * the reach, so that pairs within reach have cells that differ by at most 1 in each axis. Cells
 * are found by a hash; a collision only adds pairs to look at. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "certify/check.h"

enum { AXES = 3, BITS = 96 };

typedef struct cell {
    int64_t at[AXES];
    uint32_t position;
    uint32_t next; /* 1 + the next position with this hash; 0: the last */
} cell;

typedef struct grid {
    attest_recheck *check;
    size_t axes;
    cell *cells;
    uint32_t *head; /* by hash: 1 + a position */
    size_t slots;
    arb_t square; /* of the reach */
} grid;

static size_t hash(const int64_t *at, size_t slots)
{
    uint64_t z = 0;

    for (int a = 0; a < AXES; a++)
        z = (z ^ (uint64_t)at[a]) * 0x9E3779B97F4A7C15u + (z >> 29);
    z ^= z >> 32;
    z *= 0xD6E8FEB86659FD93u;
    return (size_t)(z ^ z >> 32) & (slots - 1);
}

/* A cell that has x in it, or beside it: the midpoint's. floor is exact on what it gets, and
 * the slack between reach and width covers the radius and the rounding of the quotient. */
static int64_t cell_of(const arb_t x, const arf_t width)
{
    arf_t quotient;
    fmpz_t number;
    int64_t at = 0;

    arf_init(quotient);
    fmpz_init(number);
    arf_div(quotient, arb_midref(x), width, BITS, ARF_RND_DOWN);
    arf_floor(quotient, quotient);
    if (arf_cmpabs_2exp_si(quotient, 62) < 0) {
        arf_get_fmpz(number, quotient, ARF_RND_DOWN);
        at = fmpz_get_si(number);
    }
    arf_clear(quotient);
    fmpz_clear(number);
    return at;
}

/* A width that is larger than the reach plus twice any radius, and for which no quotient passes
 * 2^60. */
static void choose_width(arf_t width, const grid *g, const arf_t reach)
{
    mag_t most, radius;
    arf_t other;

    mag_init(most);
    mag_init(radius);
    arf_init(other);
    for (size_t p = 0; p < g->check->positions; p++) {
        arb_srcptr x = attest_recheck_ball(g->check, p, BITS);
        for (size_t c = 0; c < g->axes; c++) {
            mag_t size;
            mag_init(size);
            arb_get_mag(size, x + c);
            mag_max(most, most, size);
            mag_max(radius, radius, arb_radref(x + c));
            mag_clear(size);
        }
    }
    mag_mul_2exp_si(radius, radius, 3);
    arf_set_mag(width, radius);
    arf_add(width, width, reach, BITS, ARF_RND_UP);
    arf_mul_2exp_si(width, width, 1);
    arf_set_mag(other, most);
    arf_mul_2exp_si(other, other, -50);
    if (arf_cmp(width, other) < 0)
        arf_set(width, other);
    if (arf_is_zero(width))
        arf_one(width);
    mag_clear(most);
    mag_clear(radius);
    arf_clear(other);
}

static bool fill(grid *g, const arf_t width)
{
    size_t count = g->check->positions;

    for (g->slots = 64; g->slots < 2 * count; g->slots *= 2)
        ;
    g->cells = attest_memory_alloc(count, sizeof *g->cells);
    g->head = attest_memory_alloc(g->slots, sizeof *g->head);
    if (!g->cells || !g->head)
        return false;
    for (size_t p = 0; p < count; p++) {
        arb_srcptr x = attest_recheck_ball(g->check, p, BITS);
        cell *c = &g->cells[p];
        c->position = (uint32_t)p;
        for (size_t a = 0; a < g->axes; a++)
            c->at[a] = cell_of(x + a, width);
        size_t slot = hash(c->at, g->slots);
        c->next = g->head[slot];
        g->head[slot] = (uint32_t)p + 1;
    }
    return true;
}

/* Whether the distance may be within reach, as far as BITS tell. */
static bool may_be_near(const grid *g, size_t a, size_t b)
{
    arb_srcptr x = attest_recheck_ball(g->check, a, BITS);
    arb_srcptr y = attest_recheck_ball(g->check, b, BITS);
    arb_t term, sum;
    bool near;

    arb_init(term);
    arb_init(sum);
    for (size_t c = 0; c < g->check->dim; c++) {
        arb_sub(term, x + c, y + c, BITS);
        arb_addmul(sum, term, term, BITS);
    }
    near = !arb_gt(sum, g->square);
    arb_clear(term);
    arb_clear(sum);
    return near;
}

/* Visits the required pairs of p with earlier positions in one cell. */
static bool visit_cell(const grid *g, size_t p, const int64_t *at,
                       bool (*visit)(void *, size_t, size_t), void *state)
{
    for (uint32_t e = g->head[hash(at, g->slots)]; e; e = g->cells[e - 1].next) {
        const cell *c = &g->cells[e - 1];
        bool same = true;
        for (size_t a = 0; a < g->axes; a++)
            same = same && c->at[a] == at[a];
        if (same && c->position < p && g->check->group[c->position] != g->check->group[p] &&
            may_be_near(g, c->position, p) && !visit(state, c->position, p))
            return false;
    }
    return true;
}

static bool visit_all(const grid *g, bool (*visit)(void *, size_t, size_t), void *state)
{
    size_t cells = 1;

    for (size_t a = 0; a < g->axes; a++)
        cells *= 3;
    for (size_t p = 0; p < g->check->positions; p++) {
        for (size_t n = 0; n < cells; n++) {
            int64_t at[AXES] = {0};
            size_t digits = n;
            for (size_t a = 0; a < g->axes; a++, digits /= 3)
                at[a] = g->cells[p].at[a] + (int64_t)(digits % 3) - 1;
            if (!visit_cell(g, p, at, visit, state))
                return false;
        }
    }
    return true;
}

attest_status attest_recheck_visit_near(attest_recheck *check, const arf_t reach,
                                        bool (*visit)(void *state, size_t a, size_t b),
                                        void *state, attest_error *error)
{
    grid g = {.check = check, .axes = check->dim < AXES ? check->dim : AXES};
    attest_status status = ATTEST_OK;
    arf_t width;

    arf_init(width);
    arb_init(g.square);
    arb_set_arf(g.square, reach);
    arb_sqr(g.square, g.square, 2 * BITS);
    choose_width(width, &g, reach);
    if (fill(&g, width))
        (void)visit_all(&g, visit, state);
    else
        status = attest_error_set(error, ATTEST_NOMEM, "out of memory");
    free(g.cells);
    free(g.head);
    arf_clear(width);
    arb_clear(g.square);
    return status;
}
