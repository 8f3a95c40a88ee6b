/* evaluate_kernel.h -- attention outputs of a whole dataset by a simulated kernel. */
#ifndef ATTEST_AUDIT_EVALUATE_KERNEL_H
#define ATTEST_AUDIT_EVALUATE_KERNEL_H

#include <attest/judge.h>

#include "audit/evaluate.h"

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

#endif
