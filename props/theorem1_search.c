/* theorem1_search.c -- hardmax attention is defeated by random data: Theorem 1, found by
 * search.
 *
 * Nothing of the universal pair is built in: tokens, weights and sizes are drawn, and the
 * search must come across sequences that the layer confuses, and shrink them. */
#include <string.h>

#include <attest/certify.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "props/brute.h"
#include "props/properties.h"

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 3, .count_max = 8},
    .sequences = {.count_min = 2,
                  .count_max = 3,
                  .length_min = 2,
                  .length_max = 6,
                  .equal_lengths = true},
    .heads = {.heads_max = 4, .size_max = 3, .nonzero = true, .plain = true},
    .activation = ATTEST_GEN_HARDMAX,
    .simple = true,
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    (void)setting;
    return attest_gen_data_and_weights(instance, t, &kind);
}

static bool is_asked(const attest_instance *instance)
{
    return attest_instance_fits(instance) && instance->weights.activation == ATTEST_HARDMAX;
}

/* Certify and the oracle must both see the collision. */
static attest_status confirm(attest_trial *trial, const attest_instance *instance,
                             const attest_finding *finding)
{
    attest_brute brute;
    attest_status status;

    attest_brute_init(&brute);
    status = attest_brute_get(&brute, &instance->dataset, &instance->weights);
    if (status == ATTEST_OK && brute.collision != (finding->verdict == ATTEST_REFUTED))
        attest_trial_open(trial, "certify says %s, looking at all pairs does not",
                          attest_verdict_name(finding->verdict));
    else if (status == ATTEST_OK && brute.collision) {
        attest_trial_violated(trial, "contextual-mapping",
                              "equal outputs where vocabularies or tokens differ");
        trial->has_pair = true;
        memcpy(trial->pair, finding->pair, sizeof trial->pair);
    }
    attest_brute_clear(&brute);
    return status;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_finding finding;
    attest_claim claim;
    attest_status status;

    (void)setting;
    if (!is_asked(instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_claim_init(&claim);
    claim.dataset = &instance->dataset;
    claim.weights = &instance->weights;
    attest_finding_init(&finding);
    status = attest_certify(&finding, &claim, error);
    if (status == ATTEST_OK && finding.verdict == ATTEST_UNDECIDED)
        attest_trial_open(trial, "%s", finding.reason);
    else if (status == ATTEST_OK)
        status = confirm(trial, instance, &finding);
    attest_trial_label_weights(trial, &instance->weights);
    attest_trial_label_dataset(trial, &instance->dataset);
    attest_finding_clear(&finding);
    attest_claim_clear(&claim);
    return status;
}

const attest_property attest_property_theorem1_search = {
    .name = "theorem1-search",
    .title = "random hardmax layers confuse random contexts",
    .statement = "theorem1",
    .gen = gen,
    .decide = decide,
    .expect_violation = true,
    .trials = 64,
};
