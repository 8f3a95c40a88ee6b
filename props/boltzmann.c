/* boltzmann.c -- the Boltzmann operator: bounds and identities. */
#include "props/statement.h"

const attest_statement attest_statement_boltzmann = {
    .name = "boltzmann",
    .title = "The Boltzmann operator: bounds and identities",
    .source =
        "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), section 3; the identities (M) and "
        "(L) are our own",
    .text = "boltz(a) = sum a_i e^{a_i} / sum e^{a_i} = LSE(a) - H(softmax(a)), hence max(a) - "
            "log n <= boltz(a) <= max(a).",
    .decided_by = "balls",
    .note = "proofs-notes/boltzmann.md",
    .machine = "whole: proofs-notes/coq/boltzmann.v, boltz_lse_entropy, boltz_bounds, "
               "identity_L, identity_M",
};
