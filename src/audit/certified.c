/* certified.c -- the certified separation of the exact outputs, and the bounds of Theorem 2. */
#include "audit/audit.h"

#include <math.h>

#include "base/memory.h"
#include "base/workers.h"
#include "number/scope.h"
#include "theory/theorem2.h"

#define SECONDS 20.0 /* above this estimate, doubles with a bound replace balls */

static attest_status certify_by_balls(attest_audit *audit, attest_error *error)
{
    attest_audit_certified *certified = &audit->certified;
    ATTEST_SCOPED(attest_finding, finding);
    ATTEST_SCOPED(attest_claim, claim);

    claim.dataset = audit->dataset;
    claim.weights = audit->weights;
    claim.has_r = audit->has_r;
    fmpq_set(claim.r, audit->r);
    fmpq_set(claim.delta, audit->delta);
    claim.max_work = audit->max_work;
    claim.progress = audit->progress;
    ATTEST_TRY(attest_certify(&finding, &claim, error));
    certified->known = true;
    certified->method = finding.method;
    certified->verdict = finding.verdict;
    certified->has_pair = finding.has_pair;
    certified->pair[0] = finding.pair[0];
    certified->pair[1] = finding.pair[1];
    arb_set(certified->min_separation, finding.min_separation);
    arb_set(certified->max_norm, finding.max_norm);
    return ATTEST_OK;
}

/* Decides the claim from the enclosed separation and norm. */
static attest_verdict decide(const attest_audit *audit)
{
    const attest_audit_certified *c = &audit->certified;
    bool proved = true, refuted = false;
    ARB(bound);

    if (c->has_pair) {
        arb_set_fmpq(bound, audit->delta, 128);
        proved = arb_gt(c->min_separation, bound);
        refuted = arb_lt(c->min_separation, bound);
    }
    if (audit->has_r) {
        arb_set_fmpq(bound, audit->r, 128);
        proved = proved && arb_lt(c->max_norm, bound);
        refuted = refuted || arb_gt(c->max_norm, bound);
    }
    return refuted ? ATTEST_REFUTED : proved ? ATTEST_PROVED : ATTEST_UNDECIDED;
}

/* Encloses separation and norm from binary64 outputs, each within error_norm of the exact
 * one. */
static attest_status enclose(attest_audit *audit, const attest_audit_outputs *outputs,
                             double error_norm, attest_error *error)
{
    attest_audit_certified *certified = &audit->certified;
    size_t pair[2];
    ARF(square, radius);

    ATTEST_TRY(attest_audit_separation_get(square, pair, &certified->has_pair, outputs,
                                           &audit->classes, error));
    arf_set_d(radius, 2 * error_norm);
    if (certified->has_pair) {
        certified->pair[0] = attest_place_get(audit->dataset, pair[0]);
        certified->pair[1] = attest_place_get(audit->dataset, pair[1]);
        arb_set_arf(certified->min_separation, square);
        arb_sqrt(certified->min_separation, certified->min_separation, 128);
        arb_add_error_arf(certified->min_separation, radius);
    }
    attest_audit_norm_get(square, outputs);
    arb_set_arf(certified->max_norm, square);
    arb_sqrt(certified->max_norm, certified->max_norm, 128);
    arb_add_error_arf(certified->max_norm, radius);
    certified->known = true;
    certified->method = "binary64";
    certified->verdict = decide(audit);
    return ATTEST_OK;
}

static attest_status certify_by_doubles(attest_audit *audit, attest_error *error)
{
    size_t count = audit->dataset->total;
    ATTEST_SHARED(double, norm, count);
    double most = 0;
    attest_audit_request request;
    attest_simulated_arithmetic arithmetic;
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_model model;
    attest_format binary64;

    if (!norm)
        return attest_memory_fail(error);
    attest_audit_request_init(&request, audit->dataset, audit->weights);
    request.jobs = audit->jobs;
    ATTEST_TRY(attest_format_parse(&binary64, "binary64", error));
    attest_simulated_arithmetic_init(&arithmetic, &binary64);
    attest_audit_model_init(&model, &arithmetic);
    ATTEST_TRY(attest_audit_bound(norm, NULL, &request, &model, error));
    for (size_t p = 0; p < count; p++)
        most = fmax(most, norm[p] * model.u);
    if (!isfinite(most))
        return ATTEST_OK;
    ATTEST_TRY(attest_audit_evaluate(&outputs, &request, &arithmetic, error));
    return enclose(audit, &outputs, most, error);
}

attest_status attest_audit_certify(attest_audit *audit, attest_error *error)
{
    attest_audit_request request;
    double cost;

    attest_audit_request_init(&request, audit->dataset, audit->weights);
    cost =
        attest_audit_ball_cost(&request, ATTEST_CERTIFY_BITS) * (double)audit->dataset->count;
    if (audit->weights->activation == ATTEST_SOFTMAX && cost > SECONDS)
        return certify_by_doubles(audit, error);
    return certify_by_balls(audit, error);
}

/* The bounds r and delta of Theorem 2 for a dataset. */

/* The largest number of products of entries formed to find the closest pair of tokens. */
#define MOST_PRODUCTS 2e9

/* bound = the square root to 192 bits. A strict bound of the definition may be arbitrarily
 * close to it. */
static void set_root(fmpq_t bound, const fmpq_t square)
{
    ARB(root);

    arb_set_fmpq(root, square, 256);
    arb_sqrt(root, root, 192);
    arf_get_fmpq(bound, arb_midref(root));
}

/* Returns why Theorem 2 does not apply to the dataset, or NULL. */
static const char *find_objection(const attest_dataset *dataset,
                                  const attest_separated *extremes)
{
    if (fmpq_is_zero(extremes->r_min_square))
        return "there is a zero token";
    if (!extremes->has_pair)
        return "all tokens are equal";
    if (!extremes->no_duplicates)
        return "a sequence has a token twice";
    if (dataset->longest < 2)
        return "no sequence has two tokens";
    return NULL;
}

/* Evaluates the closed formula for these extremes. */
static void evaluate_formula(attest_audit_theory *theory, const attest_dataset *dataset,
                             const attest_separated *extremes)
{
    ATTEST_SCOPED(attest_construction, c);

    c.dim = dataset->dim;
    set_root(c.r_min.value, extremes->r_min_square);
    set_root(c.r_max.value, extremes->r_max_square);
    set_root(c.eps.value, extremes->eps_square);
    attest_theorem2_formula(&c, dataset->longest, dataset->tokens.count);
    theory->known = c.formula;
    arb_set(theory->delta, c.delta_formula);
    arb_set(theory->delta_log2, c.delta_formula_log2);
    fmpq_div_2exp(c.eps.value, c.eps.value, 2);
    fmpq_add(c.r_max.value, c.r_max.value, c.eps.value);
    arb_set_fmpq(theory->r, c.r_max.value, 192);
    c.dim = 0; /* nothing was built */
}

attest_status attest_audit_theory_get(attest_audit *audit, attest_error *error)
{
    const attest_dataset *dataset = audit->dataset;
    double tokens = (double)dataset->tokens.count;
    ATTEST_SCOPED(attest_separated, extremes);

    if (dataset->identity) {
        audit->theory.reason = "tokens depend on their positions";
        return ATTEST_OK;
    }
    if (dataset->dim > 8 && tokens * tokens * (double)dataset->dim > MOST_PRODUCTS) {
        audit->theory.reason = "there are too many tokens to compare all pairs";
        return ATTEST_OK;
    }
    ATTEST_TRY(attest_separated_get(&extremes, dataset, error));
    audit->theory.reason = find_objection(dataset, &extremes);
    if (!audit->theory.reason)
        evaluate_formula(&audit->theory, dataset, &extremes);
    return ATTEST_OK;
}
