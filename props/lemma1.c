/* lemma1.c -- Lemma 1: the Boltzmann operator keeps distances. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"gap", "delta > 2 log n + 3"},
    {"no-duplicates", "no vector repeats an entry"},
    {"equal-length", "every vector has exactly n entries"},
    {0},
};

static const attest_constant constants[] = {
    {"(log n)^2 e^{-2r}", "the least separation"},
    {0},
};

const attest_statement attest_statement_lemma1 = {
    .name = "lemma1",
    .title = "Lemma 1: the Boltzmann operator keeps distances",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Lemma 1",
    .text =
        "If the entries of a^(1..m) lie in (-r, r), different entries differ by more than "
        "delta and no vector repeats an entry, then |boltz(a^(i))| <= r, and |boltz(a^(i)) - "
        "boltz(a^(j))| > (log n)^2 e^{-2r} whenever the sets of entries differ.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "balls",
    .note = "proofs-notes/lemma1.md",
    .machine = "whole: proofs-notes/coq/lemma1.v, lemma1; at any sizes: lemma1_sizes",
};
