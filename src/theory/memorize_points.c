/* memorize_points.c -- the points that contexts are mapped to, and their projection on a line.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/attention.h>

#include "attention/head_plan.h"
#include "base/memory.h"
#include "base/workers.h"
#include "geometry/projection.h"
#include "number/scope.h"
#include "theory/memorize.h"
#include "theory/theorem2.h"

attest_status attest_memorize_points_init(attest_memorize_points *points,
                                          const attest_dataset *dataset,
                                          const attest_weights *weights,
                                          const attest_contexts *contexts, bool by_contexts,
                                          attest_error *error)
{
    size_t count = contexts->count;

    memset(points, 0, sizeof *points);
    points->dataset = dataset;
    points->weights = weights;
    points->contexts = contexts;
    points->by_contexts = by_contexts;
    points->dim = dataset->dim;
    points->count = count;
    points->work_left = INFINITY;
    points->order = attest_memory_alloc(count, sizeof *points->order);
    points->border = attest_memory_alloc(count, sizeof *points->border);
    if (!points->order || !points->border)
        return attest_memory_fail(error);
    points->z = _arb_vec_init((slong)(count * points->dim));
    points->along = _arb_vec_init((slong)count);
    points->projection = _fmpz_vec_init((slong)points->dim);
    return ATTEST_OK;
}

void attest_memorize_points_clear(attest_memorize_points *points)
{
    if (points->z)
        _arb_vec_clear(points->z, (slong)(points->count * points->dim));
    if (points->along)
        _arb_vec_clear(points->along, (slong)points->count);
    if (points->projection)
        _fmpz_vec_clear(points->projection, (slong)points->dim);
    free(points->order);
    free(points->border);
}

/* Encloses z for the contexts from..to-1, which all appear first in the same sequence. */
static attest_status evaluate_sequence(attest_memorize_points *points, size_t from, size_t to,
                                       long bits, attest_error *error)
{
    const attest_context *context = points->contexts->context;
    size_t i = context[from].sequence, start = points->dataset->start[i], dim = points->dim;
    ATTEST_SCOPED(attest_sequence, sequence);

    ATTEST_TRY(attest_dataset_get_sequence(&sequence, points->dataset, i, NULL, error));
    ARB_VEC(out, (slong)(sequence.length * dim));
    ATTEST_TRY(attest_attention_ball(out, points->weights, &sequence, bits, error));
    for (size_t j = from; j < to; j++)
        for (size_t c = 0; c < dim; c++)
            arb_swap(points->z + j * dim + c, out + (context[j].first - start) * dim + c);
    return ATTEST_OK;
}

/* Contexts stand in order of first appearance, hence sequence after sequence. Those with
 * wanted[j], or all if wanted is NULL. */
static attest_status evaluate(attest_memorize_points *points, const bool *wanted, long bits,
                              attest_error *error)
{
    const attest_context *context = points->contexts->context;

    if (bits > points->bits)
        points->bits = bits;
    ATTEST_PROGRESS_STAGE(progress, &points->progress);
    attest_progress_report(progress, "contexts", 0, points->count, NULL);
    for (size_t from = 0, to; from < points->count; from = to) {
        bool any = false;

        for (to = from; to < points->count && context[to].sequence == context[from].sequence;
             to++)
            any = any || !wanted || wanted[to];
        if (any && wanted) /* all of them were charged before the first */
            ATTEST_TRY(attest_work_charge_sequences(
                &points->work_left, points->weights, points->dataset,
                (const size_t[]){context[from].sequence}, 1, bits, NULL, error));
        if (any)
            ATTEST_TRY(evaluate_sequence(points, from, to, bits, error));
        attest_progress_report(progress, "contexts", to, points->count, NULL);
    }
    return ATTEST_OK;
}

attest_status attest_memorize_points_evaluate(attest_memorize_points *points, long bits,
                                              attest_error *error)
{
    ATTEST_TRY(attest_work_charge_sequences(&points->work_left, points->weights,
                                            points->dataset, NULL, points->dataset->count, bits,
                                            NULL, error));
    return evaluate(points, NULL, bits, error);
}

/* The products p.z, exact sums of the balls: no rounding widens them. */
static void project(attest_memorize_points *points)
{
    for (size_t j = 0; j < points->count; j++) {
        arb_zero(points->along + j);
        for (size_t c = 0; c < points->dim; c++)
            arb_addmul_fmpz(points->along + j, points->z + j * points->dim + c,
                            points->projection + c, ARF_PREC_EXACT);
    }
}

typedef struct place {
    const arb_struct *along;
    uint32_t context;
} place;

/* By midpoint; equal ones by number, so that the order is the same everywhere. */
static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    int order = arf_cmp(arb_midref(a->along), arb_midref(b->along));

    return order ? order : (a->context > b->context) - (a->context < b->context);
}

static bool sort(attest_memorize_points *points)
{
    place *sorted ATTEST_FREED = attest_memory_alloc(points->count, sizeof *sorted);

    if (!sorted)
        return false;
    for (size_t j = 0; j < points->count; j++)
        sorted[j] = (place){points->along + j, (uint32_t)j};
    qsort(sorted, points->count, sizeof *sorted, compare_places);
    for (size_t j = 0; j < points->count; j++)
        points->order[j] = sorted[j].context;
    points->pieces = 1;
    for (size_t j = 1; j < points->count; j++)
        if (attest_memorize_class(points, points->order[j]) !=
            attest_memorize_class(points, points->order[j - 1]))
            points->border[points->pieces++ - 1] = j;
    return true;
}

static void get_low(arf_t low, const arb_t x)
{
    arf_t radius;

    arf_init_set_mag_shallow(radius, arb_radref(x));
    arf_sub(low, arb_midref(x), radius, ARF_PREC_EXACT, ARF_RND_DOWN);
}

static void get_high(arf_t high, const arb_t x)
{
    arf_t radius;

    arf_init_set_mag_shallow(radius, arb_radref(x));
    arf_add(high, arb_midref(x), radius, ARF_PREC_EXACT, ARF_RND_DOWN);
}

/* Marks, at every border, the point of the earlier ones that reaches highest and that of the
 * later ones that reaches lowest, when they meet. Returns the number of such borders; pair is
 * the last one's. lowest has room for a context per place in the order. */
static size_t mark_overlaps(bool *wanted, size_t pair[2], const attest_memorize_points *points,
                            uint32_t *lowest)
{
    size_t count = points->count, found = 0, next = 0;
    uint32_t highest;
    ARF(end, extreme);

    for (size_t j = count; j-- > 0;) {
        get_low(end, points->along + points->order[j]);
        if (j == count - 1 || arf_cmp(end, extreme) < 0) {
            arf_set(extreme, end);
            lowest[j] = points->order[j];
        } else {
            lowest[j] = lowest[j + 1];
        }
    }
    highest = points->order[0];
    get_high(extreme, points->along + highest);
    for (size_t j = 1; j < count; j++) {
        if (next < points->pieces - 1 && points->border[next] == j) {
            next++;
            get_low(end, points->along + lowest[j]);
            if (arf_cmp(extreme, end) >= 0) {
                found++;
                wanted[highest] = wanted[lowest[j]] = true;
                pair[0] = highest;
                pair[1] = lowest[j];
            }
        }
        get_high(end, points->along + points->order[j]);
        if (arf_cmp(end, extreme) > 0) {
            arf_set(extreme, end);
            highest = points->order[j];
        }
    }
    return found;
}

attest_status attest_memorize_points_separate(attest_memorize_points *points, bool *apart,
                                              size_t pair[2], long max_bits,
                                              attest_error *error)
{
    bool *wanted ATTEST_FREED = attest_memory_alloc(points->count, sizeof *wanted);
    uint32_t *lowest ATTEST_FREED = attest_memory_alloc(points->count, sizeof *lowest);

    *apart = false;
    if (!wanted || !lowest || !points->count)
        return attest_memory_fail(error);
    for (long bits = points->bits;;) {
        project(points);
        if (!sort(points))
            return attest_memory_fail(error);
        memset(wanted, 0, points->count * sizeof *wanted);
        *apart = mark_overlaps(wanted, pair, points, lowest) == 0;
        if (*apart || bits > max_bits / 2)
            return ATTEST_OK;
        bits *= 2;
        ATTEST_TRY(evaluate(points, wanted, bits, error));
    }
}

void attest_memorize_points_gap(arf_t low, arf_t high, const attest_memorize_points *points,
                                size_t j)
{
    size_t begin = j > 1 ? points->border[j - 2] : 0, middle = points->border[j - 1];
    size_t end = j < points->pieces - 1 ? points->border[j] : points->count;
    ARF(next);

    /* Separate points: the piece below reaches highest of the earlier ones. */
    for (size_t i = begin; i < middle; i++) {
        get_high(next, points->along + points->order[i]);
        if (i == begin || arf_cmp(next, low) > 0)
            arf_set(low, next);
    }
    for (size_t i = middle; i < end; i++) {
        get_low(next, points->along + points->order[i]);
        if (i == middle || arf_cmp(next, high) < 0)
            arf_set(high, next);
    }
}

/* A projection on which the classes are far apart, searched in double.
 *
 * This search is not rigorous: attest_memorize_points_separate decides its result exactly. */

enum { LEAST_TRIALS = 8, MOST_TRIALS = 64 };
#define BUDGET 8e6        /* points sorted */
#define SMALL_WORK 1e6    /* of them: one process */
#define INVISIBLE 0x1p-44 /* of the range: smaller gaps are invisible to doubles */

typedef struct chooser {
    const attest_memorize_points *points;
    double *z;               /* count * dim */
    attest_radix_item *line; /* the contexts in the order of p.z */
    double *along;           /* p.z by context */
    /* The trials and their results, in shared memory. */
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

/* Returns whether p.w != 0. */
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
