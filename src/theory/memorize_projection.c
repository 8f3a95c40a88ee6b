/* memorize_projection.c -- a projection on which the classes are far apart, searched in double.
 *
 * Nothing here is rigorous: attest_memorize_points_separate proves what is found here, or not.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "theory/memorize_parts.h"
#include "theory/theorem2_parts.h"

enum { LEAST_TRIALS = 8, MOST_TRIALS = 64 };
#define BUDGET 8e6        /* points sorted */
#define INVISIBLE 0x1p-44 /* of the range: below, doubles know nothing of a gap */

/* A context on the line. */
typedef struct point {
    double along;
    uint32_t query, group;
} point;

typedef struct chooser {
    attest_memorize_points *points;
    double *z; /* count * dim */
    point *line;
} chooser;

static int compare_points(const void *left, const void *right)
{
    const point *a = left, *b = right;

    return (a->along > b->along) - (a->along < b->along);
}

/* The least gap between neighbours of different classes, relative to |p|. Where contexts of one
 * token are too close for doubles, as with theorem weights, other tokens decide. */
static double least_gap(chooser *c, const double *p)
{
    const attest_memorize_points *points = c->points;
    size_t count = points->count, dim = points->dim;
    double least = INFINITY, norm = 0, range;

    for (size_t e = 0; e < dim; e++)
        norm += p[e] * p[e];
    for (size_t j = 0; j < count; j++) {
        double along = 0;

        for (size_t e = 0; e < dim; e++)
            along += p[e] * c->z[j * dim + e];
        c->line[j] = (point){along, points->contexts->context[j].query,
                             attest_memorize_class(points, j)};
    }
    qsort(c->line, count, sizeof *c->line, compare_points);
    range = c->line[count - 1].along - c->line[0].along;
    for (size_t j = 1; j < count; j++) {
        double gap = c->line[j].along - c->line[j - 1].along;

        if (c->line[j].group == c->line[j - 1].group ||
            (c->line[j].query == c->line[j - 1].query && gap < INVISIBLE * range))
            continue;
        least = fmin(least, gap);
    }
    return least / sqrt(norm);
}

/* Whether p.w != 0. */
static bool sees_output(const fmpz *p, const fmpq *w, size_t dim)
{
    fmpq_t sum, term;
    bool sees;

    fmpq_init(sum);
    fmpq_init(term);
    for (size_t c = 0; c < dim; c++) {
        fmpq_mul_fmpz(term, w + c, p + c);
        fmpq_add(sum, sum, term);
    }
    sees = !fmpq_is_zero(sum);
    fmpq_clear(sum);
    fmpq_clear(term);
    return sees;
}

/* Short numbers first: trial i has entries of about 4 + i / 4 bits. */
static void gen_projection(attest_direction *direction, int i, uint64_t *state)
{
    int drop = 11 - i / 4;

    attest_direction_gen(direction, state);
    for (size_t c = 0; c < direction->dim && drop > 0 && direction->dim > 1; c++)
        fmpz_tdiv_q_2exp(direction->numerator + c, direction->numerator + c, (ulong)drop);
}

static void search(chooser *c, const fmpq *w, double *p, attest_direction *direction,
                   uint64_t seed)
{
    attest_memorize_points *points = c->points;
    size_t dim = points->dim;
    int trials = (int)fmin(fmax(BUDGET / (double)points->count, LEAST_TRIALS), MOST_TRIALS);
    uint64_t state = seed;
    double best = -1;

    /* a trial that is not usable costs nothing; some are, as only a hyperplane has p.w = 0 */
    for (int i = 0, tried = 0; tried < trials && i < 100 * MOST_TRIALS; i++) {
        double gap;

        gen_projection(direction, i, &state);
        if (!sees_output(direction->numerator, w, dim))
            continue;
        for (size_t e = 0; e < dim; e++)
            p[e] = fmpz_get_d(direction->numerator + e);
        gap = least_gap(c, p);
        tried++;
        if (gap > best) {
            best = gap;
            _fmpz_vec_set(points->projection, direction->numerator, (slong)dim);
        }
        if (dim == 1)
            break;
    }
}

attest_status attest_memorize_points_choose(attest_memorize_points *points, const fmpq *w,
                                            uint64_t seed, attest_error *error)
{
    size_t entries = points->count * points->dim;
    chooser c = {points, attest_memory_alloc(entries, sizeof *c.z),
                 attest_memory_alloc(points->count, sizeof *c.line)};
    double *p = attest_memory_alloc(points->dim, sizeof *p);
    attest_status status = ATTEST_OK;
    attest_direction direction;

    attest_direction_init(&direction, points->dim);
    if (c.z && c.line && p) {
        for (size_t e = 0; e < entries; e++)
            c.z[e] = arf_get_d(arb_midref(points->z + e), ARF_RND_NEAR);
        search(&c, w, p, &direction, seed);
    } else {
        status = attest_memory_fail(error);
    }
    attest_direction_clear(&direction);
    free(c.z);
    free(c.line);
    free(p);
    return status;
}
