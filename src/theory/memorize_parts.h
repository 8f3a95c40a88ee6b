/* memorize_parts.h -- the points on the line from which Corollary 1 builds its ramps. */
#ifndef ATTEST_THEORY_MEMORIZE_PARTS_H
#define ATTEST_THEORY_MEMORIZE_PARTS_H

#include "theory/memorize.h"

/* The precision at which balls start. */
enum { ATTEST_MEMORIZE_BITS = 128 };

/* What attention makes of every context, and where the projection p puts it. */
typedef struct attest_memorize_points {
    const attest_dataset *dataset; /* encoded */
    const attest_weights *weights;
    const attest_contexts *contexts;
    bool by_contexts;
    size_t dim, count; /* count = contexts->count */
    arb_ptr z;         /* count * dim: what attention gives */
    fmpz *projection;  /* p, dim whole numbers */
    arb_ptr along;     /* count: p.z */
    uint32_t *order;   /* contexts in ascending order of p.z */
    size_t *border;    /* pieces - 1 places in the order at which a new piece begins */
    size_t pieces;
    long bits;                /* the largest precision used */
    attest_progress progress; /* told about contexts; init: nobody */
    size_t jobs;              /* processes that try projections; init: 0, one */
    double work_left;         /* attention/work.h; init: any */
} attest_memorize_points;

/* Status: NOMEM. Always to be cleared. */
attest_status attest_memorize_points_init(attest_memorize_points *points,
                                          const attest_dataset *dataset,
                                          const attest_weights *weights,
                                          const attest_contexts *contexts, bool by_contexts,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_memorize_points_clear(attest_memorize_points *points);

/* The class of a context: contexts of one class have one label. */
static inline uint32_t attest_memorize_class(const attest_memorize_points *points,
                                             size_t context)
{
    return points->by_contexts ? (uint32_t)context : points->contexts->context[context].group;
}

/* Encloses z for all contexts. Status: UNABLE (work), NOMEM. */
attest_status attest_memorize_points_evaluate(attest_memorize_points *points, long bits,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the projection: of a few random ones with p.w != 0 the one whose least gap between
 * classes, in doubles, is largest in proportion to |p|. Nothing here is rigorous. w has dim
 * entries. Status: NOMEM. */
attest_status attest_memorize_points_choose(attest_memorize_points *points, const fmpq *w,
                                            uint64_t seed,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* Sorts the contexts along the projection and proves that points of different classes lie in
 * different pieces with gaps between them, raising the precision of those that overlap. *apart:
 * whether that succeeded within max_bits; else pair are two contexts that overlap. Status:
 * UNABLE (work), NOMEM. */
attest_status attest_memorize_points_separate(attest_memorize_points *points, bool *apart,
                                              size_t pair[2], long max_bits,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* The ends of the gap below piece j >= 1, exactly: all earlier points are <= low, all later
 * ones
 * >= high, and low < high once the points are separate. */
void attest_memorize_points_gap(arf_t low, arf_t high, const attest_memorize_points *points,
                                size_t j);

#endif
