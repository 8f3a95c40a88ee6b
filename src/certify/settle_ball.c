/* settle_ball.c -- softmax: balls and the zero test decide. */
#include "certify/settle.h"

#include <string.h>

#include "certify/recentre.h"
#include "certify/rivals.h"
#include "number/scope.h"

static void rival_clear(attest_rival *rival)
{
    arb_clear(&rival->square);
}

/* Encloses a candidate and enters it; one that contains 0 is looked at more closely. *zero: no
 * other can be less, as far as that is asked for. */
static attest_status enter(attest_rivals *rivals, size_t first, size_t second, bool *zero,
                           attest_error *error)
{
    attest_rival rival ATTEST_CLEARED_BY(rival_clear) = {.first = (uint32_t)first,
                                                         .second = (uint32_t)second};

    arb_init(&rival.square);
    ATTEST_TRY(attest_rival_enclose(&rival, rivals->outputs, ATTEST_CERTIFY_BITS,
                                    &rivals->limits, error));
    if (!arb_is_positive(&rival.square))
        ATTEST_TRY(attest_rival_enclose(&rival, rivals->outputs, 2 * ATTEST_CERTIFY_BITS,
                                        &rivals->limits, error));
    *zero = rival.zero ||
            (!arb_is_positive(&rival.square) && attest_rivals_resolve(rivals, &rival.square));
    return attest_rivals_add(rivals, &rival, error);
}

/* All candidates for the closest pair, up to the first whose outputs are equal. */
static attest_status gather_pairs(attest_rivals *rivals, attest_candidates *candidates,
                                  attest_error *error)
{
    size_t first, second;
    bool found = true, zero = false;

    while (!zero) {
        ATTEST_TRY(attest_candidates_next(&found, &first, &second, candidates, error));
        if (!found)
            break;
        ATTEST_TRY(enter(rivals, first, second, &zero, error));
    }
    if (zero)
        attest_rivals_keep_last(rivals);
    else
        attest_rivals_sift(rivals);
    return ATTEST_OK;
}

/* All outputs that may be largest. */
static attest_status gather_norms(attest_rivals *rivals, const attest_cloud *cloud,
                                  attest_error *error)
{
    double known = 0, lower, upper;
    bool zero;

    for (size_t p = 0; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        known = lower > known ? lower : known;
    }
    for (size_t p = 0; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        if (!(upper < known))
            ATTEST_TRY(enter(rivals, p, p, &zero, error));
    }
    attest_rivals_sift(rivals);
    return ATTEST_OK;
}

static attest_place place_of(const attest_outputs *outputs, size_t p)
{
    return attest_context_place(&outputs->contexts->context[p], outputs->dataset);
}

/* The root of an enclosed square; a lower end below 0 is cut off. */
static void root(arb_t ball, const arb_t square)
{
    if (arb_is_exact(square) && arb_is_zero(square))
        arb_zero(ball);
    else
        arb_sqrtpos(ball, square, ATTEST_CERTIFY_BITS);
}

/* Notes what decided the pairs, and how many are open. */
static void count_pairs(attest_finding *finding, const attest_rivals *rivals)
{
    ulong exact = 0, open = 0;

    for (size_t i = 0; i < rivals->count; i++) {
        const attest_rival *rival = &rivals->rival[i];
        if (rival->zero || rival->told || (rival->nonzero && !rival->cap))
            exact++;
        else
            open += rival->cap || !arb_is_positive(&rival->square);
    }
    fmpz_set_ui(finding->by_exact, exact);
    fmpz_set_ui(finding->undecided_pairs, open);
    fmpz_sub_ui(finding->by_ball, finding->required_pairs, exact);
    fmpz_sub_ui(finding->by_ball, finding->by_ball, open);
    if (fmpz_sgn(finding->by_ball) < 0)
        fmpz_zero(finding->by_ball);
}

static attest_status settle_pairs(attest_comparison *outcome, attest_finding *finding,
                                  const attest_claim *claim, attest_outputs *outputs,
                                  attest_candidates *candidates, attest_error *error)
{
    ATTEST_SCOPED(attest_rivals, rivals, outputs, false, claim);
    FMPQ(bound);
    ARB(hull);

    fmpq_mul(bound, claim->delta, claim->delta);
    ATTEST_TRY(gather_pairs(&rivals, candidates, error));
    ATTEST_TRY(attest_rivals_settle(hull, outcome, finding->reason, &rivals, bound, error));
    root(finding->min_separation, hull);
    finding->pair[0] = place_of(outputs, rivals.rival[rivals.named].first);
    finding->pair[1] = place_of(outputs, rivals.rival[rivals.named].second);
    count_pairs(finding, &rivals);
    return ATTEST_OK;
}

static attest_status settle_norms(attest_comparison *outcome, attest_finding *finding,
                                  const attest_claim *claim, attest_outputs *outputs,
                                  const attest_cloud *cloud, attest_error *error)
{
    char reason[ATTEST_ERROR_SIZE] = "";
    ATTEST_SCOPED(attest_rivals, rivals, outputs, true, claim);
    FMPQ(bound);
    ARB(hull);

    fmpq_mul(bound, claim->r, claim->r);
    ATTEST_TRY(gather_norms(&rivals, cloud, error));
    ATTEST_TRY(attest_rivals_settle(hull, outcome, reason, &rivals, claim->has_r ? bound : NULL,
                                    error));
    root(finding->max_norm, hull);
    finding->largest = place_of(outputs, rivals.rival[rivals.named].first);
    if (claim->has_r && *outcome == ATTEST_COMPARISON_UNKNOWN && !finding->reason[0])
        memcpy(finding->reason, reason, sizeof reason);
    return ATTEST_OK;
}

/* A claim is refuted as soon as one part is, and proved when all are. */
static void judge(attest_finding *finding, attest_comparison pairs, attest_comparison norms)
{
    finding->verdict = ATTEST_REFUTED;
    finding->part = ATTEST_CLAIM_NOTHING;
    if (pairs == ATTEST_COMPARISON_BELOW || pairs == ATTEST_COMPARISON_MET)
        finding->part = ATTEST_CLAIM_SEPARATION;
    else if (norms == ATTEST_COMPARISON_ABOVE || norms == ATTEST_COMPARISON_MET)
        finding->part = ATTEST_CLAIM_NORM;
    if (finding->part != ATTEST_CLAIM_NOTHING) {
        finding->reason[0] = '\0';
        return;
    }
    finding->verdict = ATTEST_PROVED;
    if (pairs == ATTEST_COMPARISON_UNKNOWN)
        finding->part = ATTEST_CLAIM_SEPARATION;
    else if (norms == ATTEST_COMPARISON_UNKNOWN)
        finding->part = ATTEST_CLAIM_NORM;
    if (finding->part != ATTEST_CLAIM_NOTHING)
        finding->verdict = ATTEST_UNDECIDED;
}

attest_status attest_settle_ball(attest_finding *finding, const attest_claim *claim,
                                 attest_search *search, attest_error *error)
{
    attest_comparison pairs = ATTEST_COMPARISON_ABOVE, norms = ATTEST_COMPARISON_BELOW, outcome;
    attest_outputs *outputs = &search->outputs;

    ATTEST_TRY(attest_recentre_candidates(&search->candidates, outputs, error));
    if (finding->has_pair)
        ATTEST_TRY(settle_pairs(&pairs, finding, claim, outputs, &search->candidates, error));
    ATTEST_TRY(settle_norms(&outcome, finding, claim, outputs, &search->cloud, error));
    if (claim->has_r)
        norms = outcome;
    judge(finding, pairs, norms);
    finding->precision_bits =
        outputs->most_bits > ATTEST_CERTIFY_BITS ? outputs->most_bits : ATTEST_CERTIFY_BITS;
    return ATTEST_OK;
}
