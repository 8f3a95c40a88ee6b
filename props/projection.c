/* projection.c -- the projection lemma. */
#include "props/statement.h"

static const attest_constant constants[] = {
    {"sqrt(8/(pi d))/M^2", "the share of every distance that is kept"},
    {0},
};

const attest_statement attest_statement_projection = {
    .name = "projection",
    .title = "The projection lemma",
    .source = "Park et al. 2021",
    .text =
        "For M points of R^d some unit vector u has sqrt(8/(pi d)) |x - x'| / M^2 <= |u.(x - "
        "x')| for all pairs.",
    .constants = constants,
    .decided_by = "exact arithmetic on squares, with an enclosure of pi",
    .note = "proofs-notes/theorem2.md",
};
