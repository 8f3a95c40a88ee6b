/* tolerance.h -- the tolerance that tests of kernels use, |y - o| <= atol + rtol |o|, and
 * kernels that exceed it.
 *
 * y and o are known up to errors; results hold for every y and o within them. */
#ifndef ATTEST_JUDGE_TOLERANCE_H
#define ATTEST_JUDGE_TOLERANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/flint.h>
#include <attest/judge.h>

/* Bounds on atol and rtol in doubles. */
typedef struct attest_judge_allclose {
    double atol_low, atol_high, rtol_low, rtol_high;
} attest_judge_allclose;

/* Domain: atol, rtol >= 0. */
void attest_judge_allclose_set(attest_judge_allclose *tolerance, const fmpq_t atol,
                               const fmpq_t rtol);

typedef enum attest_judge_closeness {
    ATTEST_JUDGE_CLOSE = 0, /* every element is within the tolerance */
    ATTEST_JUDGE_FAR,       /* some element is not */
    ATTEST_JUDGE_OPEN       /* the errors are too large to decide */
} attest_judge_closeness;

/* Whether every output is within the tolerance of the exact values, where |y[i] - output| <=
 * y_error[i] and |o[i] - exact| <= o_error[i] (NULL: 0). *at is the element that is farthest
 * outside, as far as doubles can decide, or that is undecided. NaN is within the tolerance of
 * NaN only. */
attest_judge_closeness attest_judge_allclose_check(size_t *at,
                                                   const attest_judge_allclose *tolerance,
                                                   const double *y, const double *y_error,
                                                   const double *o, const double *o_error,
                                                   size_t count);

/* Returns whether every output within bound[i] of the exact value is within the tolerance.
 * False: *at is the element where the bound exceeds it by the most. A bound of NaN belongs to a
 * row that must be NaN; it is within. */
bool attest_judge_allclose_holds(size_t *at, const attest_judge_allclose *tolerance,
                                 const double *bound, const double *o, const double *o_error,
                                 size_t count);

/* The distance of two outputs, compared with the largest distance of two kernels of the model:
 * both return numbers in [lo, hi]. */
typedef struct attest_judge_difference {
    size_t differ; /* elements that differ */
    size_t beyond; /* ... by more than hi - lo: at least one output is wrong there */
    double ratio;  /* the largest |y - z| / (hi - lo) */
    bool has_at;
    size_t at; /* the element with this ratio; has_at false: the outputs are equal */
    double y, z, allowed;
} attest_judge_difference;

void attest_judge_difference_get(attest_judge_difference *difference, const double *y,
                                 const double *z, const attest_judge_bounds *bounds,
                                 size_t count);

/* ---- correct kernels that exceed a tolerance. Kernels of a model are drawn and run on one
 * row, bit for bit: one that exceeds the tolerance proves that a correct kernel can ---- */

typedef struct attest_judge_tolerance_search {
    bool found;
    size_t variant; /* of the model */
    uint64_t seed;  /* of attest_judge_recipe_draw */
    size_t column;
    double output;
} attest_judge_tolerance_search;

/* Runs up to 256 kernels, fewer on long rows, on the row of the element at this place of the
 * output; their errors push it away from the exact value. exact and error are those of all
 * elements. Kernels that cannot be simulated are skipped. Status: FORMAT, NOMEM. */
attest_status attest_judge_tolerance_search_find(attest_judge_tolerance_search *search,
                                                 const attest_qkv *qkv,
                                                 const attest_judge_model *model,
                                                 const attest_judge_allclose *tolerance,
                                                 const double *exact, const double *exact_error,
                                                 size_t place,
                                                 attest_error *error) ATTEST_WARN_UNUSED;

#endif
