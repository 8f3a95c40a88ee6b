/* memorize_points.c -- classes on a line, and the proof that they are apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/attention.h>

#include "attention/work.h"
#include "base/memory.h"
#include "base/progress.h"
#include "number/scope.h"
#include "theory/memorize_parts.h"

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
    attest_status status = ATTEST_OK;

    attest_progress_report(&points->progress, "contexts", 0, points->count, NULL);
    for (size_t from = 0, to; from < points->count && status == ATTEST_OK; from = to) {
        bool any = false;

        for (to = from; to < points->count && context[to].sequence == context[from].sequence;
             to++)
            any = any || !wanted || wanted[to];
        if (any && wanted) /* all of them were charged before the first */
            status = attest_work_charge_sequences(
                &points->work_left, points->weights, points->dataset,
                (const size_t[]){context[from].sequence}, 1, bits, NULL, error);
        if (any && status == ATTEST_OK)
            status = evaluate_sequence(points, from, to, bits, error);
        attest_progress_report(&points->progress, "contexts", to, points->count, NULL);
    }
    attest_progress_end(&points->progress);
    if (bits > points->bits)
        points->bits = bits;
    return status;
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
