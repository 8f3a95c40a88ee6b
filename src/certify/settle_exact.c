/* settle_exact.c -- hardmax: outputs are rational, so rational arithmetic decides. */
#include "certify/settle.h"

#include "certify/recentre.h"
#include "number/ball_root.h"
#include "number/scope.h"

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

static attest_place place_of(const attest_outputs *outputs, size_t p)
{
    return attest_context_place(&outputs->contexts->context[p], outputs->dataset);
}

/* The first of the closest required pairs; best < 0 when there is none. */
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
    double known = 0, lower, upper;
    const fmpq *x = NULL;
    FMPQ(square);

    for (size_t p = 0; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        known = lower > known ? lower : known;
    }
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
static void judge(attest_finding *finding, const attest_claim *claim, const fmpq_t closest,
                  const fmpq_t largest)
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

attest_status attest_settle_exact(attest_finding *finding, const attest_claim *claim,
                                  attest_search *search, attest_error *error)
{
    FMPQ(closest, largest);

    ATTEST_TRY(attest_recentre_candidates(&search->candidates, &search->outputs, error));
    ATTEST_TRY(find_closest(closest, finding, &search->outputs, &search->candidates, error));
    ATTEST_TRY(find_largest(largest, finding, &search->outputs, &search->cloud, error));
    if (finding->has_pair)
        attest_ball_root(finding->min_separation, closest);
    attest_ball_root(finding->max_norm, largest);
    judge(finding, claim, closest, largest);
    fmpz_set(finding->by_exact, finding->required_pairs);
    return ATTEST_OK;
}
