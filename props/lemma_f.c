/* lemma_f.c -- Lemma F: separation by the first difference. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"gap", "all distinct values of the union are at least g >= g* apart"},
    {"no-duplicates", "A and B are sets: no value counts twice"},
    {0},
};

static const attest_constant constants[] = {
    {"g*", "1.445574911151548..., the solution of g = 1 + g e^{-g}/(1 - e^{-g})"},
    {0},
};

const attest_statement attest_statement_lemma_f = {
    .name = "lemma_f",
    .title = "Lemma F: separation by the first difference",
    .source = "our own",
    .text =
        "Let A and B be different finite nonempty sets of reals whose distinct values are at "
        "least g >= g* apart; q = e^{-g}, mu = g q/(1-q). If the maxima differ, |boltz(A) - "
        "boltz(B)| >= g - mu. If they agree, c is the largest element of the symmetric "
        "difference and t = max - c, then |boltz(A) - boltz(B)| >= e^{-t} [(t - mu)(1 - 2q) - "
        "g q/(1-q)] > 0.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "balls",
    .note = "proofs-notes/lemma_f.md",
    .machine = "whole: proofs-notes/coq/lemma_f.v, lemma_f; over a family: family.v, "
               "family_bound; g*: gstar.v, gstar_digits.v",
};
