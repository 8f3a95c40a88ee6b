/* decide.c -- the last step of certify: the candidates decide the claim. Softmax by balls and
 * the zero test, hardmax by rational arithmetic; and the claim about the original layer, where
 * weights stand for it only up to an error. */
#include "certify/decide.h"

#include <stdio.h>
#include <string.h>

#include "certify/extreme_candidates.h"
#include "certify/outputs.h"
#include "number/rationals.h"
#include "number/scope.h"

static attest_place place_of(const attest_outputs *outputs, size_t p)
{
    return attest_context_place(&outputs->contexts->context[p], outputs->dataset);
}

/* The largest lower end of a norm: outputs whose upper end is below it are not the largest. */
static double largest_lower_end(const attest_cloud *cloud)
{
    double known = 0, lower, upper;

    for (size_t p = 0; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        known = lower > known ? lower : known;
    }
    return known;
}

static void candidate_clear(attest_extreme_candidate *candidate)
{
    arb_clear(&candidate->square);
}

/* Encloses a candidate and adds it, with more bits if the square contains 0. *zero = no
 * other candidate can be less, to the precision that is wanted. */
static attest_status enter(attest_extreme *extreme, size_t first, size_t second, bool *zero,
                           attest_error *error)
{
    attest_extreme_candidate candidate ATTEST_CLEARED_BY(candidate_clear) = {
        .first = (uint32_t)first, .second = (uint32_t)second};

    arb_init(&candidate.square);
    ATTEST_TRY(attest_extreme_enclose(&candidate, extreme->outputs, ATTEST_CERTIFY_BITS,
                                      &extreme->limits, error));
    if (!arb_is_positive(&candidate.square))
        ATTEST_TRY(attest_extreme_enclose(&candidate, extreme->outputs, 2 * ATTEST_CERTIFY_BITS,
                                          &extreme->limits, error));
    *zero = candidate.zero || (!arb_is_positive(&candidate.square) &&
                               attest_extreme_is_resolved(extreme, &candidate.square));
    return attest_extreme_add(extreme, &candidate, error);
}

/* All candidates for the closest pair, up to the first whose outputs are equal. */
static attest_status gather_pairs(attest_extreme *extreme, attest_candidates *candidates,
                                  attest_error *error)
{
    size_t first, second;
    bool found = true, zero = false;

    while (!zero) {
        ATTEST_TRY(attest_candidates_next(&found, &first, &second, candidates, error));
        if (!found)
            break;
        ATTEST_TRY(enter(extreme, first, second, &zero, error));
    }
    if (zero)
        attest_extreme_keep_last(extreme);
    else
        attest_extreme_sift(extreme);
    return ATTEST_OK;
}

/* All outputs that may be largest. */
static attest_status gather_norms(attest_extreme *extreme, const attest_cloud *cloud,
                                  attest_error *error)
{
    double known = largest_lower_end(cloud), lower, upper;
    bool zero;

    for (size_t p = 0; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        if (!(upper < known))
            ATTEST_TRY(enter(extreme, p, p, &zero, error));
    }
    attest_extreme_sift(extreme);
    return ATTEST_OK;
}

/* The root of an enclosed square; a lower end below 0 is cut off. */
static void root(arb_t ball, const arb_t square)
{
    if (arb_is_exact(square) && arb_is_zero(square))
        arb_zero(ball);
    else
        arb_sqrtpos(ball, square, ATTEST_CERTIFY_BITS);
}

/* Counts the pairs that each arithmetic decided, and the open ones. */
static void count_pairs(attest_finding *finding, const attest_extreme *extreme)
{
    ulong exact = 0, open = 0;

    for (size_t i = 0; i < extreme->count; i++) {
        const attest_extreme_candidate *candidate = &extreme->candidate[i];
        if (candidate->zero || candidate->decided || (candidate->nonzero && !candidate->cap))
            exact++;
        else
            open += candidate->cap || !arb_is_positive(&candidate->square);
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
    ATTEST_SCOPED(attest_extreme, extreme, outputs, false, claim);
    FMPQ(bound);
    ARB(hull);

    fmpq_mul(bound, claim->delta, claim->delta);
    ATTEST_TRY(gather_pairs(&extreme, candidates, error));
    ATTEST_TRY(attest_extreme_decide(hull, outcome, finding->reason, &extreme, bound, error));
    root(finding->min_separation, hull);
    finding->pair[0] = place_of(outputs, extreme.candidate[extreme.named].first);
    finding->pair[1] = place_of(outputs, extreme.candidate[extreme.named].second);
    count_pairs(finding, &extreme);
    return ATTEST_OK;
}

static attest_status settle_norms(attest_comparison *outcome, attest_finding *finding,
                                  const attest_claim *claim, attest_outputs *outputs,
                                  const attest_cloud *cloud, attest_error *error)
{
    char reason[ATTEST_ERROR_SIZE] = "";
    ATTEST_SCOPED(attest_extreme, extreme, outputs, true, claim);
    FMPQ(bound);
    ARB(hull);

    fmpq_mul(bound, claim->r, claim->r);
    ATTEST_TRY(gather_norms(&extreme, cloud, error));
    ATTEST_TRY(attest_extreme_decide(hull, outcome, reason, &extreme,
                                     claim->has_r ? bound : NULL, error));
    root(finding->max_norm, hull);
    finding->largest = place_of(outputs, extreme.candidate[extreme.named].first);
    if (claim->has_r && *outcome == ATTEST_COMPARISON_UNKNOWN && !finding->reason[0])
        memcpy(finding->reason, reason, sizeof reason);
    return ATTEST_OK;
}

/* A claim is refuted as soon as one part is, and proved when all are. */
static void conclude_softmax(attest_finding *finding, attest_comparison pairs,
                             attest_comparison norms)
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

attest_status attest_decide_softmax(attest_finding *finding, const attest_claim *claim,
                                    attest_search *search, attest_error *error)
{
    attest_comparison pairs = ATTEST_COMPARISON_ABOVE, norms = ATTEST_COMPARISON_BELOW, outcome;
    attest_outputs *outputs = &search->outputs;

    ATTEST_TRY(attest_search_split_by_token(&search->candidates, outputs, error));
    if (finding->has_pair)
        ATTEST_TRY(settle_pairs(&pairs, finding, claim, outputs, &search->candidates, error));
    ATTEST_TRY(settle_norms(&outcome, finding, claim, outputs, &search->cloud, error));
    if (claim->has_r)
        norms = outcome;
    conclude_softmax(finding, pairs, norms);
    finding->precision_bits =
        outputs->most_bits > ATTEST_CERTIFY_BITS ? outputs->most_bits : ATTEST_CERTIFY_BITS;
    return ATTEST_OK;
}

/* square = |x - y|^2, or |x|^2 for y = NULL. */
static void distance_square(fmpq_t square, const fmpq *x, const fmpq *y, size_t dim)
{
    FMPQ(difference);

    fmpq_zero(square);
    for (size_t c = 0; c < dim; c++) {
        fmpq_set(difference, x + c);
        if (y)
            fmpq_sub(difference, difference, y + c);
        fmpq_addmul(square, difference, difference);
    }
}

/* Finds the first of the closest required pairs; best < 0 if there is no required pair. */
static attest_status find_closest(fmpq_t best, attest_finding *finding, attest_outputs *outputs,
                                  attest_candidates *candidates, attest_error *error)
{
    size_t first, second, dim = outputs->dataset->dim;
    const fmpq *x = NULL, *y = NULL;
    bool found;
    FMPQ(square);

    fmpq_set_si(best, -1, 1);
    for (;;) {
        ATTEST_TRY(attest_candidates_next(&found, &first, &second, candidates, error));
        if (!found)
            break;
        ATTEST_TRY(attest_outputs_get_exact(&x, outputs, first, error));
        ATTEST_TRY(attest_outputs_get_exact(&y, outputs, second, error));
        distance_square(square, x, y, dim);
        /* In lexicographic order: only a smaller distance replaces an earlier pair. */
        if (fmpq_sgn(best) < 0 || fmpq_cmp(square, best) < 0) {
            fmpq_set(best, square);
            finding->pair[0] = place_of(outputs, first);
            finding->pair[1] = place_of(outputs, second);
            if (fmpq_is_zero(best))
                break;
        }
    }
    return ATTEST_OK;
}

/* The first output of largest norm. */
static attest_status find_largest(fmpq_t best, attest_finding *finding, attest_outputs *outputs,
                                  const attest_cloud *cloud, attest_error *error)
{
    double known = largest_lower_end(cloud), lower, upper;
    const fmpq *x = NULL;
    FMPQ(square);

    fmpq_set_si(best, -1, 1);
    for (size_t p = 0; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        if (upper < known)
            continue;
        ATTEST_TRY(attest_outputs_get_exact(&x, outputs, p, error));
        distance_square(square, x, NULL, cloud->dim);
        if (fmpq_cmp(square, best) > 0) {
            fmpq_set(best, square);
            finding->largest = place_of(outputs, p);
        }
    }
    return ATTEST_OK;
}

/* Both inequalities are strict. */
static void conclude_hardmax(attest_finding *finding, const attest_claim *claim,
                             const fmpq_t closest, const fmpq_t largest)
{
    FMPQ(bound);

    finding->verdict = ATTEST_PROVED;
    finding->part = ATTEST_CLAIM_NOTHING;
    fmpq_mul(bound, claim->r, claim->r);
    if (claim->has_r && fmpq_cmp(largest, bound) >= 0)
        finding->part = ATTEST_CLAIM_NORM;
    fmpq_mul(bound, claim->delta, claim->delta);
    if (finding->has_pair && fmpq_cmp(closest, bound) <= 0)
        finding->part = ATTEST_CLAIM_SEPARATION;
    if (finding->part != ATTEST_CLAIM_NOTHING)
        finding->verdict = ATTEST_REFUTED;
}

attest_status attest_decide_hardmax(attest_finding *finding, const attest_claim *claim,
                                    attest_search *search, attest_error *error)
{
    FMPQ(closest, largest);

    ATTEST_TRY(attest_search_split_by_token(&search->candidates, &search->outputs, error));
    ATTEST_TRY(find_closest(closest, finding, &search->outputs, &search->candidates, error));
    ATTEST_TRY(find_largest(largest, finding, &search->outputs, &search->cloud, error));
    if (finding->has_pair)
        attest_ball_root(finding->min_separation, closest);
    attest_ball_root(finding->max_norm, largest);
    conclude_hardmax(finding, claim, closest, largest);
    fmpz_set(finding->by_exact, finding->required_pairs);
    return ATTEST_OK;
}

enum { BITS = 256 };

/* Adds count * slack to the radius of the ball. A midpoint that is far below the radius
 * becomes 0: certificates are read with the exact ends of their balls, which have as many
 * bits as midpoint and radius are apart. */
static void widen(arb_t ball, const fmpq_t slack, ulong count)
{
    ARB(more);
    MAG(radius);

    arb_set_fmpq(more, slack, 64);
    arb_mul_ui(more, more, count, 64);
    arb_get_mag(radius, more);
    arb_add_error_mag(ball, radius);
    mag_mul_2exp_si(radius, arb_radref(ball), -MAG_BITS);
    if (arf_cmpabs_mag(arb_midref(ball), radius) < 0) {
        arf_get_mag(radius, arb_midref(ball));
        arf_zero(arb_midref(ball));
        arb_add_error_mag(ball, radius);
    }
}

/* Returns 1 if all of the ball is above x, -1 if all of it is below x, else 0. */
static int side(const arb_t ball, const fmpq_t x)
{
    int found = 0;
    ARB(bound);

    arb_set_fmpq(bound, x, BITS);
    if (arb_gt(ball, bound))
        found = 1;
    else if (arb_lt(ball, bound))
        found = -1;
    return found;
}

static void leave_open(attest_finding *finding, attest_claim_part part, const char *what)
{
    finding->verdict = ATTEST_UNDECIDED;
    finding->part = part;
    snprintf(finding->reason, sizeof finding->reason,
             "%s to within the error of square roots, angles of positions and softcaps", what);
}

void attest_finding_widen(attest_finding *finding, const attest_claim *claim)
{
    const fmpq *slack = claim->weights->output_error;
    int separation = 1, norm = -1;

    if (fmpq_is_zero(slack))
        return;
    if (finding->has_pair)
        widen(finding->min_separation, slack, 2);
    widen(finding->max_norm, slack, 1);
    if (finding->verdict == ATTEST_UNDECIDED) {
        if (!finding
                 ->reason[0]) /* its enclosure is much narrower than the error of the weights */
            leave_open(finding, finding->part,
                       finding->part == ATTEST_CLAIM_NORM ? "the largest norm is r"
                                                          : "the least separation is delta");
        return;
    }
    if (finding->has_pair)
        separation = side(finding->min_separation, claim->delta);
    if (claim->has_r)
        norm = side(finding->max_norm, claim->r);
    if (separation < 0 || norm > 0) {
        finding->verdict = ATTEST_REFUTED;
        finding->part = separation < 0 ? ATTEST_CLAIM_SEPARATION : ATTEST_CLAIM_NORM;
    } else if (separation == 0) {
        leave_open(finding, ATTEST_CLAIM_SEPARATION, "the least separation is delta");
    } else if (norm == 0) {
        leave_open(finding, ATTEST_CLAIM_NORM, "the largest norm is r");
    } else {
        finding->verdict = ATTEST_PROVED;
        finding->part = ATTEST_CLAIM_NOTHING;
    }
}
