/* masked.c -- Remark 1: the same with a causal mask. */
#include "props/construction.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_constant constants[] = {
    {"r", "r_max + eps/4"},
    {"delta'",
     "|w| (log n)^2 exp(-2 kappa r_max^2) / (kappa r_max), w = W_O u_3 and kappa the stored "
     "ones, n the length of the longest sequence: as in theorem2"},
    {0},
};

static const attest_hypothesis hypotheses[] = {
    {"r-min", "r_min > 0: no token is zero"},
    {"eps", "different tokens are more than eps > 0 apart"},
    {"no-duplicates", "no token occurs twice in a sequence"},
    {"length", "the longest sequence has n >= 2 tokens"},
    {0},
};

const attest_statement attest_statement_masked = {
    .name = "masked",
    .title = "Remark 1: the same with a causal mask",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Remark 1",
    .text =
        "The construction of Theorem 2, with the same weights, is an (r, delta')-contextual "
        "mapping under a causal mask, too: vocabularies are then those of prefixes, of any "
        "lengths, and Lemma F takes the place of Lemma 1. The first token sees only itself.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "first differences (Lemma F), balls",
    .note = "proofs-notes/theorem2.md",
    .machine = "whole: proofs-notes/coq/theorem2_exists.v, theorem2 (mask included); for given "
               "weights: theorem2.v, theorem2_promise; gap.v, gap_contextual",
};

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    return attest_props_construction_decide(trial, instance, setting, ATTEST_MASK_CAUSAL,
                                            error);
}

static const attest_droppable droppable[] = {
    {"r-min", true}, {"eps", true}, {"no-duplicates", true}, {"length", false}, {0},
};

const attest_property attest_property_masked = {
    .name = "masked",
    .title = "what the construction promises under a causal mask holds",
    .statement = "masked",
    .definition = "contextual-mapping",
    .gen = attest_props_construction_gen,
    .decide = decide,
    .droppable = droppable,
    .targeted = true,
    .trials = 1000,
};
