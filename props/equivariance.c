/* equivariance.c -- permutation equivariance and shift invariance. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"no-mask", "no causal mask"},
    {"uniform-ties", "ties are shared, or there are none"},
    {0},
};

const attest_statement attest_statement_equivariance = {
    .name = "equivariance",
    .title = "Permutation equivariance and shift invariance",
    .source = "folklore",
    .text = "Permuting the tokens permutes the outputs of attention without a mask; adding a "
            "constant to all scores of a query changes nothing; streaming softmax is softmax.",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic for hardmax, balls for softmax",
};
