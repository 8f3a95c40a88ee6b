/* check_sketch.c -- all outputs as doubles with bounds, and the pairs of them that may be near.
 *
 * A position falls into the cell floor(x_c / width) of its first entries; the width is at least
 * the reach and two errors, so that pairs within reach have cells that differ by at most 1 in
 * each axis. Cells are found by a hash; a collision only adds pairs to look at. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "certify/check.h"

enum { AXES = 3, BITS = 96, ABANDON = 8 };

/* Far below any other exponent, and far from overflow. */
#define NO_EXPONENT (WORD_MIN / 4)

/* An exponent e with |x| < 2^e on the whole ball. */
static slong exponent_of(const arb_t x)
{
    mag_t bound;
    slong e = NO_EXPONENT;

    mag_init(bound);
    arb_get_mag(bound, x);
    if (!mag_is_zero(bound) && mag_cmp_2exp_si(bound, NO_EXPONENT + 1) > 0)
        e = mag_cmp_2exp_si(bound, -NO_EXPONENT) < 0 ? fmpz_get_si(MAG_EXPREF(bound))
                                                     : -NO_EXPONENT;
    mag_clear(bound);
    return e;
}

/* The sketch of one position: entries divided by 2^own, and the sum of their errors, which is
 * at least the Euclidean one. */
static void sketch_position(attest_recheck *check, size_t p, arb_ptr out, slong *own)
{
    double *x = check->sketch + p * check->dim, error = 0;
    arf_t scaled;
    mag_t radius;

    attest_recheck_enclose(out, check, p, BITS);
    *own = NO_EXPONENT;
    for (size_t c = 0; c < check->dim; c++)
        *own = exponent_of(out + c) > *own ? exponent_of(out + c) : *own;
    arf_init(scaled);
    mag_init(radius);
    for (size_t c = 0; c<check->dim && * own> NO_EXPONENT; c++) {
        arf_mul_2exp_si(scaled, arb_midref(out + c), -*own);
        x[c] = arf_get_d(scaled, ARF_RND_NEAR); /* |x| <= 1: an error of 2^-54 at most */
        mag_mul_2exp_si(radius, arb_radref(out + c), -*own);
        error += mag_get_d(radius) + 0x1p-54;
    }
    check->error[p] = error * (1 + (double)check->dim * 0x1p-52);
    arf_clear(scaled);
    mag_clear(radius);
}

attest_status attest_recheck_make_sketch(attest_recheck *check, attest_error *error)
{
    slong *own = attest_memory_alloc(check->positions, sizeof *own);
    arb_ptr out;

    check->sketch = attest_memory_alloc(check->positions * check->dim, sizeof *check->sketch);
    check->error = attest_memory_alloc(check->positions, sizeof *check->error);
    if (!own || !check->sketch || !check->error) {
        free(own);
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    }
    out = _arb_vec_init((slong)check->dim);
    check->exponent = NO_EXPONENT;
    for (size_t p = 0; p < check->positions; p++) {
        sketch_position(check, p, out, &own[p]);
        check->exponent = own[p] > check->exponent ? own[p] : check->exponent;
    }
    _arb_vec_clear(out, (slong)check->dim);
    for (size_t p = 0; p < check->positions; p++) {
        slong shift = own[p] - check->exponent;
        int e = shift < -3000 ? -3000 : (int)shift;
        for (size_t c = 0; c < check->dim; c++)
            check->sketch[p * check->dim + c] = ldexp(check->sketch[p * check->dim + c], e);
        /* Where something underflows, each entry may be off by 2^-1074. */
        check->error[p] = ldexp(check->error[p], e) + (double)check->dim * 0x1p-1000;
    }
    free(own);
    return ATTEST_OK;
}

/* x / 2^exponent as a double that is not smaller (or, for a negative sign, not larger). */
static double scaled_bound(const attest_recheck *check, const arf_t x, int sign)
{
    double d;
    arf_t t;

    arf_init(t);
    arf_mul_2exp_si(t, x, -check->exponent);
    d = arf_get_d(t, sign < 0 ? ARF_RND_FLOOR : ARF_RND_CEIL);
    arf_clear(t);
    return d;
}

bool attest_recheck_may_reach(const attest_recheck *check, size_t a, const fmpq_t x)
{
    const double *p = check->sketch + a * check->dim;
    double s = 0, bound;
    arf_t t;

    arf_init(t);
    arf_set_fmpq(t, x, 64, ARF_RND_FLOOR);
    bound = scaled_bound(check, t, -1);
    arf_clear(t);
    for (size_t c = 0; c < check->dim; c++)
        s += p[c] * p[c];
    /* dim + 4 roundings, and 2^-1000 for what underflows. */
    s = sqrt(s * (1 + ((double)check->dim + 16) * 0x1p-52) + 0x1p-1000) + check->error[a];
    return !(s * (1 + 0x1p-50) < bound);
}

typedef struct cell {
    int64_t at[AXES];
    uint32_t next; /* 1 + the next position with this hash; 0: the last */
} cell;

typedef struct grid {
    const attest_recheck *check;
    size_t axes;
    cell *cells;    /* by position */
    uint32_t *head; /* by hash: 1 + a position */
    size_t slots;
    double reach, slack;
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

/* More than the reach and the errors of two positions. Quotients stay below 2^30, so that their
 * roundings are below 2^-22, less than the factor leaves. */
static double choose_width(const grid *g)
{
    double most = 0, width;

    for (size_t p = 0; p < g->check->positions; p++)
        most = g->check->error[p] > most ? g->check->error[p] : most;
    width = (g->reach + 4 * most) * (1 + 0x1p-20);
    return width > 0x1p-30 ? width : 0x1p-30;
}

static bool fill(grid *g, double width)
{
    size_t count = g->check->positions;

    for (g->slots = 64; g->slots < 2 * count; g->slots *= 2)
        ;
    g->cells = attest_memory_alloc(count, sizeof *g->cells);
    g->head = attest_memory_alloc(g->slots, sizeof *g->head);
    if (!g->cells || !g->head)
        return false;
    for (size_t p = 0; p < count; p++) {
        cell *c = &g->cells[p];
        for (size_t a = 0; a < g->axes; a++)
            c->at[a] = (int64_t)floor(g->check->sketch[p * g->check->dim + a] / width);
        size_t slot = hash(c->at, g->slots);
        c->next = g->head[slot];
        g->head[slot] = (uint32_t)p + 1;
    }
    return true;
}

/* False when the sketch shows that the distance exceeds the reach. */
static bool may_be_near(const grid *g, size_t a, size_t b)
{
    size_t dim = g->check->dim;
    const double *x = g->check->sketch + a * dim, *y = g->check->sketch + b * dim;
    double far = (g->reach + g->check->error[a] + g->check->error[b]) * (1 + 0x1p-50), s = 0;
    double limit = far * far * g->slack + 0x1p-1000;

    for (size_t c = 0; c < dim;) {
        size_t stop = dim - c < ABANDON ? dim : c + ABANDON;
        for (; c < stop; c++)
            s += (x[c] - y[c]) * (x[c] - y[c]);
        if (s > limit) /* partial sums only grow */
            return false;
    }
    return true;
}

/* Visits the required pairs of p with earlier positions in one cell. */
static bool visit_cell(const grid *g, size_t p, const int64_t *at,
                       bool (*visit)(void *, size_t, size_t), void *state)
{
    for (uint32_t e = g->head[hash(at, g->slots)]; e; e = g->cells[e - 1].next) {
        const cell *c = &g->cells[e - 1];
        bool same = e - 1 < p && g->check->group[e - 1] != g->check->group[p];
        for (size_t a = 0; a < g->axes; a++)
            same = same && c->at[a] == at[a];
        if (same && may_be_near(g, e - 1, p) && !visit(state, e - 1, p))
            return false;
    }
    return true;
}

static void visit_all(const grid *g, bool (*visit)(void *, size_t, size_t), void *state)
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
                return;
        }
    }
}

attest_status attest_recheck_visit_near(attest_recheck *check, const arf_t reach,
                                        bool (*visit)(void *state, size_t a, size_t b),
                                        void *state, attest_error *error)
{
    grid g = {.check = check, .axes = check->dim < AXES ? check->dim : AXES};
    attest_status status = ATTEST_OK;

    g.reach = scaled_bound(check, reach, 1);
    /* dim + 3 roundings of the sum, and those of the limit. */
    g.slack = 1 + ((double)check->dim + 16) * 0x1p-52;
    if (fill(&g, choose_width(&g)))
        visit_all(&g, visit, state);
    else
        status = attest_error_set(error, ATTEST_NOMEM, "out of memory");
    free(g.cells);
    free(g.head);
    return status;
}
