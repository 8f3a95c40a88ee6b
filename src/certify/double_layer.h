/* double_layer.h -- an attention layer in doubles whose outputs carry rigorous error bounds.
 *
 * Weights and tokens are doubles that may stand for rationals nearby; the bounds include the
 * rounding of these (proofs-notes/filter.md). */
#ifndef ATTEST_CERTIFY_DOUBLE_LAYER_H
#define ATTEST_CERTIFY_DOUBLE_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/weights.h>

/* With more heads, or matrices of more entries, all radii are infinite. */
#define ATTEST_DOUBLE_SIZE_MAX ((size_t)1 << 26)

/* The relative error of a rational that was rounded to the nearest double: 2^-53. */
#define ATTEST_DOUBLE_ROUNDED 0x1p-53

/* rows x cols doubles, row-major, each within a relative error (that of the layer) of the true
 * weight; norm is at least their Frobenius norm plus 2^-481. */
typedef struct attest_double_matrix {
    size_t rows, cols;
    const double *entry;
    double norm;
} attest_double_matrix;

typedef struct attest_double_head {
    attest_double_matrix q, k, v, o;
} attest_double_head;

typedef struct attest_double_layer {
    attest_activation activation;
    attest_mask mask;
    bool skip;
    size_t dim, heads;
    attest_double_head *head;
    double error;                 /* of the weights: 0 or ATTEST_DOUBLE_ROUNDED */
    size_t skip_from, output_dim; /* as in weights.h */
} attest_double_layer;

/* Returns an upper bound of the norm of count doubles that exceeds the norm by at least
 * 2^-481: (1) of the note. +infinity or NaN if an entry is not finite. */
double attest_double_layer_bound_norm(const double *x, size_t count);

/* Returns p of (2): |y' - y| <= p B X for y = W x of this many columns, if the entries of W
 * and x have these relative errors. */
double attest_double_layer_projection_error(size_t cols, double weights, double tokens);

/* Sets the matrix to the doubles at entry, which must outlive it. */
void attest_double_layer_set_matrix(attest_double_matrix *matrix, const double *entry,
                                    size_t rows, size_t cols);

/* One sequence to be evaluated. Output k lies within radius[k] (Euclidean) of centre[k*dim
 * .. k*dim+dim-1]; the radius is +infinity if there is no bound. */
typedef struct attest_double_task {
    const attest_double_layer *layer;
    const double *token; /* length * dim */
    /* Equal numbers: equal tokens. NULL: tokens are equal iff their doubles are. */
    const uint32_t *name;
    double error;   /* of the tokens, relative: 0 or ATTEST_DOUBLE_ROUNDED */
    double *centre; /* length * dim */
    double *radius; /* length */
    /* Hardmax, or NULL: winner[h*length + k] is the first position whose token attains the
     * largest score of head h for query k. Meaningful where radius[k] is finite. */
    uint32_t *winner;
} attest_double_task;

/* Memory that is kept between calls; zero before the first. */
typedef struct attest_double_scratch {
    double *memory;
    size_t room;
} attest_double_scratch;

void attest_double_layer_clear_scratch(attest_double_scratch *scratch);

/* Evaluates count tasks of this length, whose layers have one activation, mask and shape.
 * Domain: count, length >= 1; entries may be anything, NaN included. Status: NOMEM. */
attest_status attest_double_layer_attend(const attest_double_task *task, size_t count,
                                         size_t length, attest_double_scratch *scratch,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Products of one row with several at once: rows packed side by side, so that the compiler can
 * use vectors without changing the order of any sum. */
enum { ATTEST_DOUBLE_LANES = 8 };

/* packed[first * size + c * LANES + lane] = entry c of row first + lane, first a multiple of
 * LANES; rows after the last are 0. */
void attest_double_layer_pack(double *packed, const double *row, size_t size, size_t rows);

#endif
