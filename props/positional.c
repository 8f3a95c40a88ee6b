/* positional.c -- Corollary 2: memorisation with positional encodings. */
#include "props/memorization.h"
#include "props/properties.h"
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
    .machine = "that the step keeps eps: proofs-notes/coq/memorize.v, positional_distance, "
               "positional_nonzero",
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    return attest_props_memorization_gen(instance, t, setting, true);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    return attest_props_memorization_decide(trial, instance, setting, true, error);
}

static const attest_droppable droppable[] = {
    {"consistent", true},
    {0},
};

const attest_property attest_property_positional = {
    .name = "positional",
    .title = "with positional encodings, the memorizing network maps every token to its label",
    .statement = "positional",
    .definition = "memorization",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .trials = 500,
    .few = "each builds a network, proves its output at every token and runs it in 2048 bits",
    .chunk = 8,
};
