/* bounded_layer.h -- an attention layer in doubles whose outputs carry rigorous error bounds.
 *
 * Weights and tokens are doubles that may stand for rationals nearby; what that adds is counted
 * with everything else (proofs-notes/filter.md). */
#ifndef ATTEST_CERTIFY_BOUNDED_LAYER_H
#define ATTEST_CERTIFY_BOUNDED_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/weights.h>

/* More heads, or matrices of more entries, are not bounded: all radii are infinite then. */
#define ATTEST_BOUNDED_SIZE_MAX ((size_t)1 << 26)

/* The relative error of a rational that was rounded to the nearest double: 2^-53. */
#define ATTEST_BOUNDED_ROUNDED 0x1p-53

/* rows x cols doubles, row-major, each within a relative error (that of the layer) of the true
 * weight; norm is at least their Frobenius norm plus 2^-481. */
typedef struct attest_bounded_matrix {
    size_t rows, cols;
    const double *entry;
    double norm;
} attest_bounded_matrix;

typedef struct attest_bounded_head {
    attest_bounded_matrix q, k, v, o;
} attest_bounded_head;

typedef struct attest_bounded_layer {
    attest_activation activation;
    attest_mask mask;
    bool skip;
    size_t dim, heads;
    attest_bounded_head *head;
    double error;                 /* of the weights: 0 or ATTEST_BOUNDED_ROUNDED */
    size_t skip_from, output_dim; /* as in weights.h */
} attest_bounded_layer;

/* An upper bound on the norm of count doubles, and at least 2^-481 more: (1) of the note.
 * +infinity or NaN where an entry is not finite. */
double attest_bounded_norm(const double *x, size_t count);

/* p of (2): |y' - y| <= p B X for y = W x of this many columns, where the entries of W and x
 * have these relative errors. */
double attest_bounded_projection_error(size_t cols, double weights, double tokens);

/* matrix = the doubles at entry, which it refers to. */
void attest_bounded_matrix_set(attest_bounded_matrix *matrix, const double *entry, size_t rows,
                               size_t cols);

/* One sequence to be evaluated. Output k lies within radius[k] (Euclidean) of
 * centre[k*dim .. k*dim+dim-1]; where no bound can be given the radius is +infinity. */
typedef struct attest_bounded_task {
    const attest_bounded_layer *layer;
    const double *token; /* length * dim */
    /* Equal numbers: equal tokens. NULL: tokens are equal iff their doubles are. */
    const uint32_t *name;
    double error;   /* of the tokens, relative: 0 or ATTEST_BOUNDED_ROUNDED */
    double *centre; /* length * dim */
    double *radius; /* length */
    /* Hardmax, or NULL: winner[h*length + k] is the first position whose token attains the
     * largest score of head h for query k. Meaningful where radius[k] is finite. */
    uint32_t *winner;
} attest_bounded_task;

/* Memory that is kept between calls; zero before the first. */
typedef struct attest_bounded_scratch {
    double *memory;
    size_t room;
} attest_bounded_scratch;

void attest_bounded_scratch_clear(attest_bounded_scratch *scratch);

/* Evaluates count tasks of this length, whose layers have one activation, mask and shape.
 * Domain: count, length >= 1; entries may be anything, NaN included. Status: NOMEM. */
attest_status attest_bounded_attend(const attest_bounded_task *task, size_t count,
                                    size_t length, attest_bounded_scratch *scratch,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* The part of one head in one sequence, for bounded_layer.c and bounded_hardmax.c. */
typedef struct attest_bounded_part {
    const attest_bounded_task *task;
    const attest_bounded_head *head;
    size_t length, which; /* head number */
    const double *norm;   /* of the tokens: at least |x_j| + 2^-481 */
    double most;          /* the largest of them */
    double projection;    /* relative error of a projection: |y' - y| <= projection B X */
    double score; /* times norm[k]: what inexact projections add to a score of query k */
} attest_bounded_part;

/* Hardmax: out row k = the value row of the winner of query k, error[k] = 0, or +infinity where
 * rounding leaves the winner open. keys is scratch of size * (length rounded up to a
 * multiple of ATTEST_BOUNDED_LANES) doubles. */
void attest_bounded_hardmax(double *out, double *error, const attest_bounded_part *part,
                            const double *query, const double *key, const double *value,
                            double *keys);

#endif
