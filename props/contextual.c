/* contextual.c -- Definition 2: contextual mapping. */
#include "props/statement.h"

const attest_statement attest_statement_contextual = {
    .name = "contextual",
    .title = "Definition 2: contextual mapping",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Definition 2",
    .text =
        "q is an (r, delta)-contextual mapping for X^(1..N) when |q(X^(i))_k| < r for all i, "
        "k, and |q(X^(i))_k - q(X^(j))_l| > delta for every required pair: one whose "
        "vocabularies differ, or whose tokens differ. Under a causal mask the vocabulary of a "
        "position is the set of the tokens up to it.",
    .decided_by =
        "hardmax: exact arithmetic; softmax: balls, and the zero test where they overlap",
    .note = "proofs-notes/contextual.md",
    .machine = "a definition; by squares and by norms equivalent: proofs-notes/coq/theorem1.v, "
               "contextual_normE",
};
