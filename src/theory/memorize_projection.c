/* memorize_projection.c -- a projection on which the classes are far apart, searched in double.
 *
 * Nothing here is rigorous: attest_memorize_points_separate proves what is found here, or not.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/workers.h"
#include "geometry/radix.h"
#include "number/scope.h"
#include "theory/memorize_parts.h"
#include "theory/theorem2_parts.h"

enum { LEAST_TRIALS = 8, MOST_TRIALS = 64 };
#define BUDGET 8e6        /* points sorted */
#define SMALL_WORK 1e6    /* of them: one process */
#define INVISIBLE 0x1p-44 /* of the range: below, doubles know nothing of a gap */

typedef struct chooser {
    const attest_memorize_points *points;
    double *z;               /* count * dim */
    attest_radix_item *line; /* the contexts in the order of p.z */
    double *along;           /* p.z by context */
    /* The trials, and what they gave: shared. */
    double *projection; /* by trial: dim entries */
    double *gap;
} chooser;

/* The least gap between neighbours of different classes, relative to |p|. Where contexts of one
 * token are too close for doubles, as with theorem weights, other tokens decide. */
static bool find_gap(void *context, size_t trial)
{
    chooser *c = context;
    const attest_memorize_points *points = c->points;
    const attest_context *of = points->contexts->context;
    size_t count = points->count, dim = points->dim;
    const double *p = c->projection + trial * dim;
    double least = INFINITY, norm = 0, range;

    for (size_t e = 0; e < dim; e++)
        norm += p[e] * p[e];
    for (size_t j = 0; j < count; j++) {
        double along = 0;

        for (size_t e = 0; e < dim; e++)
            along += p[e] * c->z[j * dim + e];
        c->along[j] = along;
        c->line[j] = (attest_radix_item){attest_radix_key(along), (uint32_t)j};
    }
    if (attest_radix_sort(c->line, count) != ATTEST_OK)
        return false;
    range = c->along[c->line[count - 1].index] - c->along[c->line[0].index];
    for (size_t j = 1; j < count; j++) {
        uint32_t below = c->line[j - 1].index, above = c->line[j].index;
        double gap = c->along[above] - c->along[below];

        if (attest_memorize_class(points, above) == attest_memorize_class(points, below) ||
            (of[above].query == of[below].query && gap < INVISIBLE * range))
            continue;
        least = fmin(least, gap);
    }
    c->gap[trial] = least / sqrt(norm);
    return true;
}

/* Whether p.w != 0. */
static bool sees_output(const fmpz *p, const fmpq *w, size_t dim)
{
    FMPQ(sum, term);

    for (size_t c = 0; c < dim; c++) {
        fmpq_mul_fmpz(term, w + c, p + c);
        fmpq_add(sum, sum, term);
    }
    return !fmpq_is_zero(sum);
}

/* Short numbers first: trial i has entries of about 4 + i / 4 bits. */
static void gen_projection(attest_rational_vector *direction, int i, uint64_t *state)
{
    int drop = 11 - i / 4;

    attest_direction_gen(direction, state);
    for (size_t c = 0; c < direction->dim && drop > 0 && direction->dim > 1; c++)
        fmpz_tdiv_q_2exp(direction->numerator + c, direction->numerator + c, (ulong)drop);
}

/* The trials: at most most of them, as whole numbers. Returns how many. */
static size_t gen_trials(attest_rational_vector *trial, size_t most, const fmpq *w,
                         uint64_t seed)
{
    uint64_t state = seed;
    size_t count = 0;

    /* a trial that is not usable costs nothing; some are, as only a hyperplane has p.w = 0 */
    for (int i = 0; count < most && i < 100 * MOST_TRIALS; i++) {
        gen_projection(&trial[count], i, &state);
        count += sees_output(trial[count].numerator, w, trial[count].dim);
    }
    return count;
}

/* Tries them all, and takes the first of those with the widest gap. Status: NOMEM, IO. */
static attest_status search(chooser *c, attest_memorize_points *points,
                            const attest_rational_vector *trial, size_t trials, size_t jobs,
                            attest_error *error)
{
    size_t dim = points->dim;
    double best = -1;

    for (size_t i = 0; i < trials; i++)
        for (size_t e = 0; e < dim; e++)
            c->projection[i * dim + e] = fmpz_get_d(trial[i].numerator + e);
    ATTEST_TRY(attest_workers_run(find_gap, c, trials, jobs, error));
    for (size_t i = 0; i < trials; i++) {
        if (c->gap[i] > best) {
            best = c->gap[i];
            _fmpz_vec_set(points->projection, trial[i].numerator, (slong)dim);
        }
    }
    return ATTEST_OK;
}

attest_status attest_memorize_points_choose(attest_memorize_points *points, const fmpq *w,
                                            uint64_t seed, attest_error *error)
{
    size_t entries = points->count * points->dim, dim = points->dim;
    size_t most = dim == 1 ? 1
                           : (size_t)fmin(fmax(BUDGET / (double)points->count, LEAST_TRIALS),
                                          MOST_TRIALS);
    size_t jobs = (double)points->count * (double)most < SMALL_WORK ? 1 : points->jobs;
    chooser c = {.points = points,
                 .z = attest_memory_alloc(entries, sizeof *c.z),
                 .line = attest_memory_alloc(points->count, sizeof *c.line),
                 .along = attest_memory_alloc(points->count, sizeof *c.along),
                 .projection = attest_memory_alloc(most * dim, sizeof *c.projection),
                 .gap = attest_workers_alloc(most, sizeof *c.gap, jobs)};
    attest_status status = ATTEST_OK;
    attest_rational_vector trial[MOST_TRIALS];

    for (size_t i = 0; i < most; i++)
        attest_rational_vector_init(&trial[i], dim);
    if (c.z && c.line && c.along && c.projection && c.gap) {
        for (size_t e = 0; e < entries; e++)
            c.z[e] = arf_get_d(arb_midref(points->z + e), ARF_RND_NEAR);
        status = search(&c, points, trial, gen_trials(trial, most, w, seed), jobs, error);
    } else {
        status = attest_memory_fail(error);
    }
    for (size_t i = 0; i < most; i++)
        attest_rational_vector_clear(&trial[i]);
    free(c.z);
    free(c.line);
    free(c.along);
    free(c.projection);
    attest_workers_free(c.gap, most, sizeof *c.gap, jobs);
    return status;
}
