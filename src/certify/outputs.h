/* outputs.h -- the outputs of attention at contexts, evaluated sequence by sequence. */
#ifndef ATTEST_CERTIFY_OUTPUTS_H
#define ATTEST_CERTIFY_OUTPUTS_H

#include "theory/contextual.h"
#include <attest/progress.h>
#include <attest/weights.h>

#include "geometry/closest_pair.h"

/* Values are kept after they are computed. Contexts are numbered in order of first
 * appearance, so those of one sequence are consecutive, and one evaluation of the sequence
 * serves them all. */
typedef struct attest_outputs {
    const attest_weights *weights;
    const attest_dataset *dataset;
    const attest_contexts *contexts;
    fmpq **exact;  /* by context: dim rationals, or NULL */
    arb_ptr *ball; /* by context: dim balls, or NULL */
    long *bits;    /* by context: the precision of its balls */
    long most_bits;
    double work_left;         /* attention/head_plan.h; init: no limit */
    attest_progress progress; /* of the evaluation of all contexts; init: none */
} attest_outputs;

/* Status: NOMEM. */
attest_status attest_outputs_init(attest_outputs *outputs, const attest_weights *weights,
                                  const attest_dataset *dataset,
                                  const attest_contexts *contexts,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_outputs_clear(attest_outputs *outputs);

/* All get functions: status UNABLE if the remaining work does not suffice.
 *
 * cloud, finished = all outputs, coloured by class; for hardmax they are evaluated exactly, for
 * softmax in balls of ATTEST_CERTIFY_BITS. Nothing else is kept. */
attest_status attest_outputs_get_cloud(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* cloud = all outputs without the tokens that the skip connection adds. It is not finished, so
 * that each point keeps its own exponent. */
attest_status attest_outputs_get_heads(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* *value = the output at context p: dim rationals, or balls of at least this precision. They
 * belong to outputs; a later call for more bits replaces them. Beyond ATTEST_CERTIFY_BITS only
 * that one query is evaluated, else its whole sequence. */
attest_status attest_outputs_get_exact(const fmpq **value, attest_outputs *outputs, size_t p,
                                       attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_outputs_get_ball(arb_srcptr *value, attest_outputs *outputs, size_t p,
                                      long bits, attest_error *error) ATTEST_WARN_UNUSED;

#endif
