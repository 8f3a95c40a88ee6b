/* construction.c -- whether what Theorem 2 builds keeps what it promises. */
#include <attest/certify.h>
#include "number/scope.h"
#include "theory/theorem2.h"

#include "props/construction.h"
#include "props/vectors.h"

static void set_bound(attest_given_bound *bound, const attest_instance *instance,
                      const char *name)
{
    const fmpq *value = attest_instance_get(instance, name);

    bound->given = value != NULL;
    if (value)
        fmpq_set(bound->value, value);
}

/* 0 is theorem, 1 is gap; false: neither. */
static bool set_strategy(attest_construction *construction, const attest_instance *instance)
{
    const fmpq *value = attest_instance_get(instance, "strategy");
    bool gap = value && fmpq_is_one(value);

    construction->strategy = gap ? ATTEST_STRATEGY_GAP : ATTEST_STRATEGY_THEOREM;
    return gap || !value || fmpq_is_zero(value);
}

/* log2 of a positive ball; indeterminate where it is not known to be positive. */
static void ball_log2(arb_t log2, const arb_t value)
{
    if (arb_is_positive(value))
        arb_log_base_ui(log2, value, 2, 128);
    else
        arb_indeterminate(log2);
}

static void judge(attest_trial *trial, const attest_construction *construction,
                  const attest_finding *finding)
{
    int sign;

    if (finding->verdict == ATTEST_UNDECIDED) {
        attest_trial_open(trial, "%s", finding->reason);
        return;
    }
    trial->has_pair = finding->has_pair;
    trial->pair[0] = finding->pair[0];
    trial->pair[1] = finding->pair[1];
    if (finding->verdict == ATTEST_REFUTED) {
        attest_trial_violated(trial, "contextual-mapping", "%s",
                              finding->part == ATTEST_CLAIM_NORM ? "an output is not below r"
                                                                 : "two outputs are equal");
        return;
    }
    if (!finding->has_pair || !construction->promise)
        return; /* proved, and nothing more is promised */
    ARB(log2);
    ball_log2(log2, finding->min_separation);
    sign = attest_vectors_compare(trial, log2, construction->delta_log2);
    if (sign < 0)
        attest_trial_violated(trial, "contextual-mapping",
                              "the least separation is 2^%.6f of the promised delta",
                              trial->margin);
    else if (sign == 0)
        attest_trial_open(trial, "separation and promise cannot be told apart");
}

static attest_status certify(attest_trial *trial, const attest_construction *construction,
                             const attest_dataset *dataset, attest_error *error)
{
    ATTEST_SCOPED(attest_claim, claim);
    ATTEST_SCOPED(attest_finding, finding);

    claim.dataset = dataset;
    claim.weights = &construction->weights;
    claim.has_r = true;
    fmpq_set(claim.r, construction->r);
    ATTEST_TRY(attest_certify(&finding, &claim, error));
    judge(trial, construction, &finding);
    return ATTEST_OK;
}

attest_status attest_props_construction_decide(attest_trial *trial,
                                               const attest_instance *instance,
                                               const attest_setting *setting, attest_mask mask,
                                               attest_error *error)
{
    attest_status status = ATTEST_DOMAIN;
    ATTEST_SCOPED(attest_construction, construction);

    construction.mask = mask;
    construction.without = setting->without;
    set_bound(&construction.r_min, instance, "r_min");
    set_bound(&construction.r_max, instance, "r_max");
    set_bound(&construction.eps, instance, "eps");
    if (set_strategy(&construction, instance) && instance->dataset.count > 0)
        status = attest_construction_build(&construction, &instance->dataset, error);
    if (status == ATTEST_DOMAIN || (status == ATTEST_OK && construction.hypothesis)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    if (status == ATTEST_UNABLE) {
        attest_trial_open(trial, "%s", error->text);
        return ATTEST_OK;
    }
    ATTEST_TRY(status);
    attest_trial_label(trial, attest_strategy_name(construction.strategy));
    return certify(trial, &construction, &instance->dataset, error);
}
