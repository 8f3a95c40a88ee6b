/* separation_sweep.c -- the least separation of outputs that doubles do not tell apart.
 *
 * The positions are sorted along the axis on which they are spread most, and each is compared
 * with those that follow while the gap along the axis alone is not above the least distance.
 * Gaps are rounded down, distances exact. */
#include <math.h>
#include <stdlib.h>

#include "audit/separation.h"
#include "base/memory.h"
#include "number/scope.h"

/* Up to so many comparisons per position; outputs that need more have no simple order. */
enum { MOST_VISITS = 200 };

typedef struct point {
    mpfr_srcptr key;
    size_t position;
} point;

static int compare_points(const void *a, const void *b)
{
    const point *p = a, *q = b;
    int order = mpfr_cmp(p->key, q->key);

    return order ? order : (p->position > q->position) - (p->position < q->position);
}

/* The entry in which the outputs differ most. */
static size_t widest_axis(const attest_audit_outputs *outputs)
{
    size_t best = 0;
    double widest = -1;

    for (size_t c = 0; c < outputs->dim; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t p = 0; p < outputs->count; p++) {
            double x = mpfr_get_d(outputs->wide + p * outputs->dim + c, MPFR_RNDN);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (high - low > widest) {
            widest = high - low;
            best = c;
        }
    }
    return best;
}

/* The pair in order, and whether it comes before the other one. */
static bool comes_first(size_t pair[2], size_t p, size_t q, const size_t other[2])
{
    pair[0] = p < q ? p : q;
    pair[1] = p < q ? q : p;
    return pair[0] < other[0] || (pair[0] == other[0] && pair[1] < other[1]);
}

/* The best pair so far. */
typedef struct best {
    bool found;
    size_t pair[2];
    arf_ptr square;
} best;

static void offer(best *b, arf_t square, const attest_audit_outputs *outputs, size_t p,
                  size_t q)
{
    size_t pair[2];
    bool first = comes_first(pair, p, q, b->pair);
    int order;

    attest_audit_distance(square, outputs, p, q);
    order = b->found ? arf_cmp(square, b->square) : -1;
    if (order > 0 || (order == 0 && !first))
        return;
    b->found = true;
    b->pair[0] = pair[0];
    b->pair[1] = pair[1];
    arf_swap(b->square, square);
}

/* Whether the square of the gap along the axis, rounded down, is above the least square. */
static bool is_beyond(arf_t gap, mpfr_t work, const point *near, const point *far,
                      const best *b)
{
    if (!b->found)
        return false;
    mpfr_sub(work, far->key, near->key, MPFR_RNDD);
    arf_set_mpfr(gap, work);
    arf_mul(gap, gap, gap, 53, ARF_RND_DOWN);
    return arf_cmp(gap, b->square) > 0;
}

bool attest_audit_separation_sweep(arf_t square, size_t pair[2], bool *found,
                                   const attest_audit_outputs *outputs,
                                   const attest_contexts *classes)
{
    point *order ATTEST_FREED = attest_memory_alloc(outputs->count, sizeof *order);
    size_t axis = widest_axis(outputs), visits = 0, most = outputs->count * MOST_VISITS;
    best b = {.square = square};
    ARF(work);
    MPFR(53, gap);

    if (!order)
        return false;
    for (size_t p = 0; p < outputs->count; p++)
        order[p] = (point){outputs->wide + p * outputs->dim + axis, p};
    qsort(order, outputs->count, sizeof *order, compare_points);
    for (size_t i = 0; i < outputs->count && visits < most; i++)
        for (size_t j = i + 1; j < outputs->count && visits < most; j++, visits++) {
            if (is_beyond(work, gap, &order[i], &order[j], &b))
                break;
            if (classes->position[order[i].position] != classes->position[order[j].position])
                offer(&b, work, outputs, order[i].position, order[j].position);
        }
    *found = b.found;
    pair[0] = b.pair[0];
    pair[1] = b.pair[1];
    return visits < most;
}
