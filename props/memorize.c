/* memorize.c -- Corollary 1: memorisation. */
#include "props/memorization.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"consistent", "equal vocabulary and equal token imply equal label"},
    {"no-duplicates", "no token occurs twice in a sequence (strategies theorem and gap)"},
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
    .machine =
        "that such a network exists, with its count of parameters: proofs-notes/coq/"
        "corollary1.v, corollary1; the ramps of the code: memorize.v, memorize_label, "
        "ramp_inside. Not the network that the program builds, which is proved each time",
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    return attest_props_memorization_gen(instance, t, setting, false);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    return attest_props_memorization_decide(trial, instance, setting, false, error);
}

static const attest_droppable droppable[] = {
    {"consistent", true},
    {"r-min", true},
    {"no-duplicates", false},
    {0},
};

const attest_property attest_property_memorize = {
    .name = "memorize",
    .title = "the memorizing network maps every token to its label, within the promised size",
    .statement = "memorize",
    .definition = "memorization",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .trials = 500,
    .few = "each builds a network, proves its output at every token and runs it in 2048 bits",
    .chunk = 8,
};
