/* certify.c -- decides Definition 2 by a chain of steps; each step leaves the pairs that it
 * cannot decide to the next.
 *
 * - contexts: positions whose outputs are equal for all weights count once;
 * - first differences, for softmax of rank 1: of the contexts of one token only neighbours in
 *   the order of Lemma F can be closest;
 * - doubles: outputs enclosed with error bounds, most of them without exact arithmetic;
 * - candidates: pairs whose enclosures are farther apart than some required pair can be are not
 *   closest;
 * - exact or ball: the candidates decide, in rational arithmetic for hardmax, by balls and the
 *   zero test for softmax.
 *
 * A method restricts the chain: "first-difference" to the lemma, "filter" to the steps after
 * it, "exact" and "ball" to the last two steps, on outputs that are all evaluated. */
#include <string.h>

#include <attest/certify.h>

#include "attention/head_plan.h"
#include "base/scope.h"
#include "certify/decide.h"
#include "certify/double_enclosure.h"
#include "certify/first_difference.h"

static const char *for_hardmax(const attest_weights *weights)
{
    return weights->activation == ATTEST_HARDMAX ? NULL : "softmax is not rational; use ball";
}

static const char *for_softmax(const attest_weights *weights)
{
    return weights->activation == ATTEST_SOFTMAX ? NULL : "hardmax is rational; use exact";
}

static const char *for_all(const attest_weights *weights)
{
    (void)weights;
    return NULL;
}

enum { FIRST_DIFFERENCE, FILTER, EXACT, BALL, AUTO };

/* The methods: the whole chain ("auto") or a part of it. */
static const struct method {
    const char *name;
    const char *(*objection)(
        const attest_weights *weights); /* NULL, or the reason why it does not apply */
} methods[] = {
    [FIRST_DIFFERENCE] = {"first-difference", attest_first_difference_objection},
    [FILTER] = {"filter", for_all},
    [EXACT] = {"exact", for_hardmax},
    [BALL] = {"ball", for_softmax},
    [AUTO] = {"auto", for_all},
};

const char *attest_certify_method_name(size_t i)
{
    return i < AUTO ? methods[i].name : NULL;
}

static attest_status check_claim(const attest_claim *claim, attest_error *error)
{
    ATTEST_TRY(attest_head_plan_check_plain(claim->weights, error));
    if (claim->weights->dim != claim->dataset->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                claim->dataset->dim, claim->weights->dim);
    if (fmpq_sgn(claim->delta) < 0 || (claim->has_r && fmpq_sgn(claim->r) < 0))
        return attest_error_set(error, ATTEST_DOMAIN, "a bound must not be negative");
    if (claim->max_bits < ATTEST_CERTIFY_BITS)
        return attest_error_set(error, ATTEST_USAGE, "the precision must be at least %d bits",
                                ATTEST_CERTIFY_BITS);
    if (claim->max_terms < 1)
        return attest_error_set(error, ATTEST_USAGE, "the number of terms must be at least 1");
    return attest_weights_check_shapes(claim->weights, error);
}

static attest_status find_method(int *method, const attest_claim *claim, attest_error *error)
{
    const char *objection;

    *method = 0;
    while (*method < AUTO && strcmp(claim->method, methods[*method].name) != 0)
        ++*method;
    if (strcmp(claim->method, methods[*method].name) != 0)
        return attest_error_set(error, ATTEST_USAGE, "there is no method '%s'", claim->method);
    objection = methods[*method].objection(claim->weights);
    if (!objection && *method == FIRST_DIFFERENCE && claim->dataset->identity)
        objection = "it needs weights without positions";
    if (objection)
        return attest_error_set(error, ATTEST_USAGE, "method %s: %s", claim->method, objection);
    return ATTEST_OK;
}

/* Encloses all outputs and finds the candidates; with doubles, a second time if wide
 * enclosures left too many. */
static attest_status find_candidates(attest_search *search, attest_double_enclosure *doubles,
                                     attest_error *error)
{
    for (bool again = doubles != NULL;; again = false) {
        ATTEST_TRY(doubles ? attest_double_enclosure_enclose(search, doubles, error)
                           : attest_search_evaluate(search, error));
        ATTEST_TRY(attest_search_find_candidates(search, error));
        if (!again || !attest_double_enclosure_refine(doubles, search))
            return ATTEST_OK;
        attest_search_restart(search);
    }
}

/* The rest of the chain: doubles (unless the method excludes them), candidates, exact or
 * ball. *open = the verdict needs more than doubles. */
static attest_status settle(attest_finding *finding, bool *open, const attest_claim *claim,
                            int method, const attest_contexts *contexts, attest_error *error)
{
    bool with_doubles = method != EXACT && method != BALL;
    attest_double_enclosure doubles ATTEST_CLEARED_BY(attest_double_enclosure_clear) = {
        .evaluated = NULL};
    attest_search search ATTEST_CLEARED_BY(attest_search_clear);

    ATTEST_TRY(attest_search_init(&search, claim, contexts, error));
    finding->reason[0] = '\0';
    /* This step drops no pair: every output has a centre and a radius. */
    if (with_doubles)
        ATTEST_TRY(attest_double_enclosure_init(&doubles, claim, contexts, error));
    /* This step drops pairs whose enclosures prove that some required pair is closer
     * (closest_pair.h). */
    ATTEST_TRY(find_candidates(&search, with_doubles ? &doubles : NULL, error));
    /* Compares every candidate. The dropped pairs are farther apart than the closest one. */
    if (claim->weights->activation == ATTEST_HARDMAX)
        ATTEST_TRY(attest_decide_hardmax(finding, claim, &search, error));
    else
        ATTEST_TRY(attest_decide_softmax(finding, claim, &search, error));
    return with_doubles
               ? attest_double_enclosure_count(finding, open, claim, &search, &doubles, error)
               : ATTEST_OK;
}

/* Names the method: the one of the claim, or under "auto" the one that the verdict needs. */
static attest_status settle_and_name(attest_finding *finding, const attest_claim *claim,
                                     int method, const attest_contexts *contexts,
                                     attest_error *error)
{
    bool open = false;
    attest_status status = settle(finding, &open, claim, method, contexts, error);

    if (method == AUTO && open)
        method = claim->weights->activation == ATTEST_HARDMAX ? EXACT : BALL;
    else if (method == AUTO)
        method = FILTER;
    finding->method = methods[method].name;
    return status;
}

/* With at most SMALL_POSITIONS positions, a wide enclosure (because of different tokens) is
 * narrowed: separations are printed with ten digits, which takes ENOUGH_BITS. */
enum { SMALL_POSITIONS = 100000, ENOUGH_BITS = 40 };

static bool is_wide(const attest_finding *finding)
{
    return arb_is_zero(finding->min_separation) || !arb_is_finite(finding->min_separation) ||
           arb_rel_accuracy_bits(finding->min_separation) < ENOUGH_BITS;
}

/* True if the rest of the chain should run after first differences decided: there is no
 * pair, or different tokens leave the enclosure wide or have equal outputs (then the first
 * such pair must be named). */
static bool should_narrow(const attest_finding *finding, const attest_claim *claim)
{
    return !finding->has_pair ||
           (claim->dataset->total <= SMALL_POSITIONS && is_wide(finding) &&
            arb_is_finite(finding->max_norm)); /* the lemma was applied */
}

/* Replaces the finding by that of the rest of the chain if the latter is narrower. The
 * method of the claim keeps its name. */
static attest_status narrow(attest_finding *finding, const attest_claim *claim, int method,
                            const attest_contexts *contexts, attest_error *error)
{
    attest_status status;
    ATTEST_SCOPED(attest_finding, fine);

    fine.has_pair = finding->has_pair;
    fmpz_set(fine.required_pairs, finding->required_pairs);
    status = settle_and_name(&fine, claim, method, contexts, error);
    if (status == ATTEST_UNABLE)
        return ATTEST_OK;
    ATTEST_TRY(status);
    if (fine.verdict != ATTEST_UNDECIDED &&
        (finding->verdict == ATTEST_UNDECIDED || arb_is_zero(fine.min_separation) ||
         !is_wide(&fine))) {
        attest_finding coarse = *finding;
        *finding = fine;
        fine = coarse;
    }
    return ATTEST_OK;
}

/* The chain after the contexts. First differences only compare neighbours: Boltzmann values are
 * monotone in the order of Lemma F, so neighbours have the least difference
 * (proofs-notes/first_difference.md). They come first because they enclose a separation of any
 * magnitude at 128 bits, whereas balls need more bits the smaller it is. The rest of the chain
 * decides the open pairs, unless the claim names this method. */
static attest_status run_chain(attest_finding *finding, const attest_claim *claim, int method,
                               const attest_contexts *contexts, attest_error *error)
{
    if (method == FIRST_DIFFERENCE || (method == AUTO && !claim->dataset->identity &&
                                       !attest_first_difference_objection(claim->weights))) {
        finding->method = methods[FIRST_DIFFERENCE].name;
        ATTEST_TRY(attest_first_difference_decide(finding, claim, contexts, error));
        if (method != AUTO || finding->verdict != ATTEST_UNDECIDED)
            return should_narrow(finding, claim)
                       ? narrow(finding, claim, method, contexts, error)
                       : ATTEST_OK;
    }
    return settle_and_name(finding, claim, method, contexts, error);
}

attest_status attest_certify(attest_finding *finding, const attest_claim *claim,
                             attest_error *error)
{
    const attest_weights *weights = claim->weights;
    attest_ties ties =
        weights->activation == ATTEST_HARDMAX ? weights->ties : ATTEST_TIES_UNIFORM;
    int method;
    ATTEST_SCOPED(attest_contexts, contexts);

    ATTEST_TRY(check_claim(claim, error));
    ATTEST_TRY(find_method(&method, claim, error));
    /* Positions with the same context have the same output and class, so no pair of them is
     * required: from here on a context stands for all its positions
     * (proofs-notes/contextual.md). */
    ATTEST_TRY(attest_contexts_get(&contexts, claim->dataset, weights->mask, ties, error));
    fmpz_set(finding->required_pairs, contexts.required_pairs);
    finding->has_pair = contexts.classes > 1;
    ATTEST_TRY(run_chain(finding, claim, method, &contexts, error));
    /* The weights may be an approximation of the layer, whose norms have square roots. */
    attest_finding_widen(finding, claim);
    return ATTEST_OK;
}

void attest_claim_init(attest_claim *claim)
{
    memset(claim, 0, sizeof *claim);
    fmpq_init(claim->r);
    fmpq_init(claim->delta);
    claim->method = "auto";
    claim->max_bits = ATTEST_CERTIFY_MAX_BITS;
    claim->max_terms = ATTEST_CERTIFY_MAX_TERMS;
    claim->max_work = ATTEST_CERTIFY_MAX_WORK;
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
    fmpz_init(finding->undecided_pairs);
    attest_certificate_witness_init(&finding->witness);
}

void attest_finding_clear(attest_finding *finding)
{
    arb_clear(finding->min_separation);
    arb_clear(finding->max_norm);
    fmpz_clear(finding->required_pairs);
    fmpz_clear(finding->by_filter);
    fmpz_clear(finding->by_ball);
    fmpz_clear(finding->by_exact);
    fmpz_clear(finding->undecided_pairs);
    attest_certificate_witness_clear(&finding->witness);
}
