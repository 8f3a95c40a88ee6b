/* softmax_jacobian.c -- the Jacobian of softmax is at most one half. */
#include "props/statement.h"

const attest_statement attest_statement_softmax_jacobian = {
    .name = "softmax_jacobian",
    .title = "The Jacobian of softmax is at most one half",
    .source = "our own",
    .text = "The largest eigenvalue of diag(p) - p p^T is at most 1/2 for every probability "
            "vector p.",
    .decided_by = "exact arithmetic for rational p",
};
