/* lemma_f.c -- Lemma F: separation by the first difference. */
#include "theory/lemma_f.h"

#include "props/gap_lemma.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"gap", "all distinct values of the union are at least g >= g* apart"},
    {"no-duplicates", "A and B are sets: no value counts twice"},
    {0},
};

static const attest_constant constants[] = {
    {"g*", "1.445574911151548..., the solution of g = 1 + g e^{-g}/(1 - e^{-g}); the sharp "
           "form begins at log(2 + sqrt 3): attest show sharp_gap"},
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
        "g q/(1-q)] > 0. The set with the larger maximum has the larger boltz; at equal maxima "
        "the set that owns c has the smaller one.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "balls",
    .note = "proofs-notes/lemma_f.md",
    .machine = "whole: proofs-notes/coq/lemma_f.v, lemma_f; over a family: family.v, "
               "family_bound; g*: gstar.v, gstar_digits.v",
};

static bool check_gap(const fmpq_t gap, size_t n)
{
    (void)n;
    return attest_lemma_f_check_gap(gap);
}

static const attest_gap_lemma lemma = {.name = "lemma_f",
                                       .threshold = 1.4455749,
                                       .check = check_gap,
                                       .bound = attest_lemma_f_bound};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    return attest_gap_lemma_gen(instance, t, setting, &lemma);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    return attest_gap_lemma_decide(trial, instance, setting, &lemma, error);
}

static const attest_droppable droppable[] = {
    {"gap", true},
    {"no-duplicates", true},
    {0},
};

const attest_property attest_property_lemma_f = {
    .name = "lemma_f",
    .title = "boltz of sets with a gap differ by Lemma F's bound, in its order",
    .statement = "lemma_f",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .targeted = true,
    .trials = 2000,
};
