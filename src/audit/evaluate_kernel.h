/* evaluate_kernel.h -- attention outputs of datasets and recorded heads by a simulated kernel.
 */
#ifndef ATTEST_AUDIT_EVALUATE_KERNEL_H
#define ATTEST_AUDIT_EVALUATE_KERNEL_H

#include <attest/judge.h>

#include "audit/evaluate.h"
#include "judge/problem.h"
#include "judge/quantise.h"

/* outputs = those of the layer whose attention is the first schedule of the model: q, k and v
 * are the exact projections rounded once to the model's input formats, scores are not scaled,
 * and the sum of the heads' projections, and of the token where it is added, is rounded once to
 * the output format. Each sequence is a tensor of its own where a scheme has one scale for a
 * tensor. Status: USAGE (hardmax, or a model without a schedule), FORMAT (a projection beyond
 * the input format), NOMEM, IO. */
attest_status attest_audit_evaluate_kernel(attest_audit_outputs *outputs,
                                           const attest_audit_request *request,
                                           const attest_judge_model *model,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* Heads of recorded queries, keys and values in a simulated kernel.
 * Inputs are rounded to nearest in the kernel's formats and quantised by its model, the
 * whole layer at once. The kernel is the first schedule of its model, bit for bit
 * (judge/simulate.h). */

typedef struct attest_audit_head_kernel {
    const attest_judge_model *model;
    const attest_judge_problem *problem;
    double *rounded[3]; /* q, k and v */
    attest_judge_quantised inputs;
    double *out; /* the outputs of a head: queries * value_dim */
} attest_audit_head_kernel;

/* Both must outlive it. Status: USAGE (the model has no schedule), FORMAT (a number is beyond a
 * format of the inputs, or not finite), NOMEM. Clear it in either case. */
attest_status attest_audit_head_kernel_init(attest_audit_head_kernel *kernel,
                                            const attest_judge_model *model,
                                            const attest_judge_problem *problem,
                                            attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_head_kernel_clear(attest_audit_head_kernel *kernel);

/* kernel->out = the outputs of all rows of a head. Status: USAGE (no such kernel), FORMAT,
 * NOMEM. */
attest_status attest_audit_head_kernel_load(attest_audit_head_kernel *kernel, size_t batch,
                                            size_t head,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
