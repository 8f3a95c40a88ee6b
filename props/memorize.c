/* memorize.c -- Corollary 1: memorisation. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"consistent", "equal vocabulary and equal token imply equal label"},
    {"no-duplicates", "no token stands twice in a sequence (strategies theorem and gap)"},
    {"r-min", "no token is zero"},
    {0},
};

static const attest_constant constants[] = {
    {"parameters", "4(s + d) + d(2 n N + d), as the paper counts"},
    {0},
};

const attest_statement attest_statement_memorize = {
    .name = "memorize",
    .title = "Corollary 1: memorisation",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Corollary 1",
    .text =
        "Consistently labelled data (equal vocabulary and equal token imply equal label) are "
        "memorised exactly by one attention layer of rank 1 and one feed-forward layer.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by =
        "balls: an enclosure of the projection inside the constant part of the ramps; "
        "then exact rationals",
    .note = "proofs-notes/memorize.md",
};
