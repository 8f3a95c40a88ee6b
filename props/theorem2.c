/* theorem2.c -- Theorem 2: one softmax head of rank 1 can tell contexts apart. */
#include "props/construction.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"r-min", "r_min > 0: no token is zero"},
    {"eps", "different tokens are more than eps > 0 apart"},
    {"no-duplicates", "no token occurs twice in a sequence"},
    {"length", "the longest sequence has n >= 2 tokens; lengths may differ"},
    {0},
};

static const attest_constant constants[] = {
    {"r", "r_max + eps/4"},
    {"delta'",
     "what is promised of stored weights, which are rational: |w| (log n)^2 exp(-2 kappa "
     "r_max^2) / (kappa r_max), w = W_O u_3 with |w| <= eps/(4 r_max), kappa at least "
     "(|V|+1)^4 "
     "pi d (2 log n + 3)/(8 eps r_min) and at most 1 + 2^-40 times that; enclosed from below"},
    {"delta",
     "the paper's, to which delta' is equal at the exact values of kappa and |w|: 2 (log n)^2 "
     "eps^2 r_min / (r_max^2 (|V|+1)^4 (2 log n + 3) pi d) exp(-(|V|+1)^4 (2 "
     "log n + 3) pi d r_max^2 / (4 eps r_min))"},
    {"score gap",
     "more than log(2 + sqrt 3) = 1.31695... is enough (attest show sharp_gap), where the "
     "paper's kappa asks for 2 log n + 3; the strategy gap takes 1.317, or up to 1.5 where "
     "that "
     "promises more"},
    {0},
};

const attest_statement attest_statement_theorem2 = {
    .name = "theorem2",
    .title = "Theorem 2: one softmax head of rank 1 can tell contexts apart",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Theorem 2",
    .text =
        "For tokenwise (r_min, r_max, eps)-separated sequences there are W_O and rank-1 W_V, "
        "W_K, W_Q for which single-head softmax attention with skip is an (r, "
        "delta)-contextual mapping; and rational ones for which it is an (r, "
        "delta')-contextual mapping.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "first differences (the sharp gap), balls",
    .note = "proofs-notes/theorem2.md",
    .machine = "whole: proofs-notes/coq/theorem2_exists.v, theorem2; for given weights: "
               "theorem2.v, theorem2_promise; strategy gap: gap.v, gap_contextual; the "
               "constants of the code: constants.v. Not the choice of the weights by the "
               "program, which tests them exactly",
};

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    return attest_props_construction_decide(trial, instance, setting, ATTEST_MASK_NONE, error);
}

static const attest_droppable droppable[] = {
    {"r-min", true}, {"eps", true}, {"no-duplicates", true}, {"length", false}, {0},
};

const attest_property attest_property_theorem2 = {
    .name = "theorem2",
    .title =
        "what the construction promises holds: separations exceed delta, outputs are below r",
    .statement = "theorem2",
    .definition = "contextual-mapping",
    .gen = attest_props_construction_gen,
    .decide = decide,
    .droppable = droppable,
    .targeted = true,
    .trials = 1000,
};
