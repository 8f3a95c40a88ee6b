/* bounded_points.h -- the outputs of attention at all contexts of a dataset, in doubles with
 * error bounds. */
#ifndef ATTEST_CERTIFY_BOUNDED_POINTS_H
#define ATTEST_CERTIFY_BOUNDED_POINTS_H

#include <attest/progress.h>

#include "theory/contextual.h"

#include "certify/bounded_layer.h"

/* layer = the weights, rounded where they are no doubles. Status: NOMEM. */
attest_status attest_bounded_layer_init(attest_bounded_layer *layer,
                                        const attest_weights *weights,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_bounded_layer_clear(attest_bounded_layer *layer);

/* The distinct tokens of a dataset as doubles, and their relative error. */
typedef struct attest_bounded_tokens {
    const double *value; /* count * dim */
    double *own;         /* value, unless it belongs to the dataset */
    double error;        /* 0 or ATTEST_BOUNDED_ROUNDED */
} attest_bounded_tokens;

/* Refers to tokens of doubles. Status: NOMEM. */
attest_status attest_bounded_tokens_init(attest_bounded_tokens *table,
                                         const attest_tokens *tokens,
                                         attest_error *error) ATTEST_WARN_UNUSED;
void attest_bounded_tokens_clear(attest_bounded_tokens *table);

/* The output at context p lies within radius[p] of centre[p*dim ...]; +infinity: no bound. */
typedef struct attest_bounded_points {
    double *centre; /* contexts * dim */
    double *radius; /* contexts */
    size_t contexts, dim, jobs;
} attest_bounded_points;

/* Evaluates every sequence that has a context, those of equal length together, in jobs
 * processes (0: one) where there are many; progress is told. Status: NOMEM, IO (a worker died).
 */
attest_status attest_bounded_points_init(attest_bounded_points *points,
                                         const attest_weights *weights,
                                         const attest_dataset *dataset,
                                         const attest_contexts *contexts,
                                         const attest_progress *progress, size_t jobs,
                                         attest_error *error) ATTEST_WARN_UNUSED;
void attest_bounded_points_clear(attest_bounded_points *points);

#endif
