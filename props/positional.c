/* positional.c -- Corollary 2: memorisation with positional encodings. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"consistent", "equal sequences have equal labels"},
    {0},
};

static const attest_constant constants[] = {
    {"step", "2 r_max + eps"},
    {0},
};

const attest_statement attest_statement_positional = {
    .name = "positional",
    .title = "Corollary 2: memorisation with positional encodings",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Corollary 2",
    .text =
        "An encoding that makes every sequence free of repetitions and different sequences "
        "different sets reduces sequence-to-sequence memorisation to Corollary 1. A step of 2 "
        "r_max + eps along one axis keeps eps.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "as Corollary 1",
    .note = "proofs-notes/positional.md",
};
