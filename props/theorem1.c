/* theorem1.c -- Theorem 1: one layer of hardmax attention cannot tell contexts apart. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"no-mask", "every query sees every key (under a causal mask the pair works at 6u only)"},
    {"uniform-ties", "keys that attain the maximum share the weight"},
    {"collinear", "the tokens lie on one line through the origin"},
    {0},
};

const attest_statement attest_statement_theorem1 = {
    .name = "theorem1",
    .title = "Theorem 1: one layer of hardmax attention cannot tell contexts apart",
    .source =
        "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Theorem 1; the universal pair is "
        "our own",
    .text =
        "On the sequences u(1, 3, 4, 6) and u(1, 2, 5, 6), u any non-zero vector, every one- "
        "layer hardmax attention with skip has equal outputs at the token u, and at the token "
        "6u, although the vocabularies differ. So none is an (r, delta)-contextual mapping, "
        "whatever its weights, sizes, number of heads, r and delta >= 0.",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic: hardmax attention of rational data is rational",
    .note = "proofs-notes/theorem1.md",
    .machine = "whole, without axioms: proofs-notes/coq/theorem1.v, theorem1 and its variants "
               "(both tie rules, causal mask, different lengths, norms)",
};
