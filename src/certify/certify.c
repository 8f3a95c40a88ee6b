/* certify.c -- deciding Definition 2 by one method, or by the first that succeeds. */
#include <attest/certify.h>

#include <string.h>

#include "certify/method.h"

const attest_method *const attest_methods[] = {
    &attest_method_first_difference,
    &attest_method_filter,
    &attest_method_exact,
    &attest_method_ball,
    NULL,
};

const char *attest_certify_method_name(size_t i)
{
    for (size_t m = 0; attest_methods[m]; m++)
        if (m == i)
            return attest_methods[m]->name;
    return NULL;
}

void attest_claim_init(attest_claim *claim)
{
    memset(claim, 0, sizeof *claim);
    fmpq_init(claim->r);
    fmpq_init(claim->delta);
    claim->method = "auto";
    claim->max_bits = ATTEST_CERTIFY_MAX_BITS;
}

void attest_claim_clear(attest_claim *claim)
{
    fmpq_clear(claim->r);
    fmpq_clear(claim->delta);
}

void attest_finding_init(attest_finding *finding)
{
    memset(finding, 0, sizeof *finding);
    finding->verdict = ATTEST_UNDECIDED;
    arb_init(finding->min_separation);
    arb_init(finding->max_norm);
    arb_indeterminate(finding->min_separation);
    arb_indeterminate(finding->max_norm);
    fmpz_init(finding->required_pairs);
    fmpz_init(finding->by_filter);
    fmpz_init(finding->by_ball);
    fmpz_init(finding->by_exact);
    fmpz_init(finding->by_nobody);
}

void attest_finding_clear(attest_finding *finding)
{
    arb_clear(finding->min_separation);
    arb_clear(finding->max_norm);
    fmpz_clear(finding->required_pairs);
    fmpz_clear(finding->by_filter);
    fmpz_clear(finding->by_ball);
    fmpz_clear(finding->by_exact);
    fmpz_clear(finding->by_nobody);
}

static attest_status check_claim(const attest_claim *claim, attest_error *error)
{
    if (claim->weights->dim != claim->dataset->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                claim->dataset->dim, claim->weights->dim);
    if (fmpq_sgn(claim->delta) < 0 || (claim->has_r && fmpq_sgn(claim->r) < 0))
        return attest_error_set(error, ATTEST_DOMAIN, "a bound must not be negative");
    if (claim->max_bits < ATTEST_CERTIFY_BITS)
        return attest_error_set(error, ATTEST_USAGE, "the precision must be at least %d bits",
                                ATTEST_CERTIFY_BITS);
    return attest_weights_check_shapes(claim->weights, error);
}

/* Runs all methods that apply until one decides; with a name, that one only. */
static attest_status run_methods(attest_finding *finding, const attest_claim *claim,
                                 const attest_contexts *contexts, attest_error *error)
{
    bool automatic = strcmp(claim->method, "auto") == 0, met = false;

    for (size_t m = 0; attest_methods[m]; m++) {
        const attest_method *method = attest_methods[m];
        const char *objection = method->objection(claim->weights);
        attest_status status;
        if (!automatic && strcmp(claim->method, method->name) != 0)
            continue;
        met = true;
        if (objection && !automatic)
            return attest_error_set(error, ATTEST_USAGE, "method %s: %s", method->name,
                                    objection);
        if (objection)
            continue;
        finding->method = method->name;
        finding->reason[0] = '\0';
        status = method->decide(finding, claim, contexts, error);
        if (status != ATTEST_OK || finding->verdict != ATTEST_UNDECIDED || method->complete)
            return status;
    }
    if (!met)
        return attest_error_set(error, ATTEST_USAGE, "there is no method '%s'", claim->method);
    return ATTEST_OK;
}

attest_status attest_certify(attest_finding *finding, const attest_claim *claim,
                             attest_error *error)
{
    const attest_weights *weights = claim->weights;
    attest_ties ties =
        weights->activation == ATTEST_HARDMAX ? weights->ties : ATTEST_TIES_UNIFORM;
    attest_status status = check_claim(claim, error);
    attest_contexts contexts;

    if (status != ATTEST_OK)
        return status;
    attest_contexts_init(&contexts);
    status = attest_contexts_get(&contexts, claim->dataset, weights->mask, ties, error);
    if (status == ATTEST_OK) {
        fmpz_set(finding->required_pairs, contexts.required_pairs);
        finding->has_pair = contexts.classes > 1;
        status = run_methods(finding, claim, &contexts, error);
    }
    attest_contexts_clear(&contexts);
    return status;
}
