/* separated.c -- Definition 1: tokenwise separatedness. */
#include "props/statement.h"

const attest_statement attest_statement_separated = {
    .name = "separated",
    .title = "Definition 1: tokenwise separatedness",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Definition 1",
    .text =
        "The sequences X^(1..N) are tokenwise (r_min, r_max, eps)-separated when every token "
        "has r_min < |x| < r_max, and any two different tokens, of the same or of different "
        "sequences, are more than eps apart. All inequalities are strict; norms are "
        "Euclidean.",
    .decided_by = "exact arithmetic: squares of rationals against squares of the bounds",
    .note = "proofs-notes/separated.md",
};
