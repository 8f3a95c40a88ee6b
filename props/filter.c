/* filter.c -- verdicts from doubles with error bounds are those of arithmetic without any. */
#include <string.h>

#include <attest/filter.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "props/arithmetic.h"
#include "props/doubles.h"
#include "props/properties.h"

static const attest_setting doubles = {.number = ATTEST_ARITHMETIC_DOUBLE};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    attest_status status = attest_contextual_arithmetic_gen(instance, t, &doubles);

    (void)setting;
    if (status == ATTEST_OK) {
        attest_gen_activation(&instance->weights, t);
        attest_gen_ties_and_mask(&instance->weights, t);
    }
    return status;
}

/* Asks both about the claim of the filter; finding is that of exact arithmetic or balls. */
static attest_status ask(attest_trial *trial, attest_finding *finding, attest_filter *filter,
                         const attest_instance *instance, const attest_doubles *d,
                         attest_error *error)
{
    bool hardmax = d->shape->activation == ATTEST_HARDMAX;
    attest_claim claim = filter->claim;
    attest_filter_answer answer;
    attest_status status = attest_filter_check(&answer, filter, d->instance, 1, error);

    claim.dataset = &instance->dataset;
    claim.weights = &instance->weights;
    claim.method = hardmax ? "exact" : "ball";
    if (status == ATTEST_OK)
        status = attest_certify(finding, &claim, error);
    if (status != ATTEST_OK)
        return status;
    if (strcmp(answer.method, "filter") == 0)
        attest_trial_label(trial, "decided by doubles");
    if (finding->verdict == answer.verdict)
        return ATTEST_OK;
    if (finding->verdict == ATTEST_UNDECIDED)
        attest_trial_open(trial, "%s", finding->reason);
    else
        attest_trial_violated(trial, "contextual-mapping", "%s says %s, but it is %s",
                              answer.method, attest_verdict_name(answer.verdict),
                              attest_verdict_name(finding->verdict));
    return ATTEST_OK;
}

/* delta = 0, and a delta that no double tells from the least separation. */
static attest_status compare(attest_trial *trial, const attest_instance *instance,
                             const attest_doubles *d, attest_error *error)
{
    attest_finding finding;
    attest_filter filter;
    attest_status status = attest_filter_init(&filter, d->shape, error);

    attest_finding_init(&finding);
    if (status == ATTEST_OK)
        status = ask(trial, &finding, &filter, instance, d, error);
    if (status == ATTEST_OK && trial->outcome == ATTEST_HELD && finding.has_pair &&
        arb_is_positive(finding.min_separation)) {
        arf_get_fmpq(filter.claim.delta, arb_midref(finding.min_separation));
        attest_finding_clear(&finding);
        attest_finding_init(&finding);
        status = ask(trial, &finding, &filter, instance, d, error);
    }
    attest_finding_clear(&finding);
    attest_filter_clear(&filter);
    return status;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_doubles d;
    attest_status status;

    (void)setting;
    attest_doubles_init(&d);
    status = attest_doubles_set(&d, instance, 1);
    if (status == ATTEST_OK && !*d.fits)
        trial->outcome = ATTEST_DISCARDED;
    else if (status == ATTEST_OK) {
        status = compare(trial, instance, &d, error);
        attest_trial_label_weights(trial, &instance->weights);
        attest_trial_label_dataset(trial, &instance->dataset);
    }
    attest_doubles_clear(&d);
    return status;
}

const attest_property attest_property_filter = {
    .name = "filter",
    .title = "verdicts from doubles with error bounds are those of arithmetic without any",
    .statement = "contextual",
    .gen = gen,
    .decide = decide,
    .trials = 2000,
};
