/* approximate.c -- universal approximation of equivariant functions. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"continuous", "the function is continuous on a compact domain"},
    {"equivariant", "permuting the tokens permutes the outputs"},
    {0},
};

static const attest_constant constants[] = {
    {"error", "(d n)^{1/p} (omega(cell) + range measure^{1/p})"},
    {0},
};

const attest_statement attest_statement_approximate = {
    .name = "approximate",
    .title = "Universal approximation of equivariant functions",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Theorem 3 (universal "
              "approximation)",
    .text = "Feed-forward, attention, feed-forward: such networks approximate continuous "
            "permutation-equivariant functions on a compact domain in L^p, 1 <= p < infinity.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "balls and exact rationals, with a quadrature whose own error is known",
    .note = "proofs-notes/approximate.md",
};
