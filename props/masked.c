/* masked.c -- Remark 1: the same with a causal mask. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"r-min", "r_min > 0: no token is zero"},
    {"eps", "different tokens are more than eps > 0 apart"},
    {"no-duplicates", "no token stands twice in a sequence"},
    {0},
};

const attest_statement attest_statement_masked = {
    .name = "masked",
    .title = "Remark 1: the same with a causal mask",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Remark 1",
    .text =
        "The construction of Theorem 2 with prefix vocabularies and Lemma F in place of Lemma "
        "1. The first token sees only itself.",
    .hypotheses = hypotheses,
    .decided_by = "first differences (Lemma F), balls",
    .note = "proofs-notes/theorem2.md",
    .machine = "for a given direction v: proofs-notes/coq/theorem2.v, theorem2_promise (mask "
               "included)",
};
