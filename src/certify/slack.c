/* slack.c -- what a finding says of the layer that is meant, where weights have a slack. */
#include "certify/slack.h"

#include <stdio.h>

#include "number/scope.h"

enum { BITS = 256 };

/* ball = all within count * slack of it. A midpoint that is far below the radius becomes 0: a
 * certificate is read with the exact ends of its balls, which have as many bits as midpoint and
 * radius are apart. */
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

/* Is everything in the ball above x (1), everything below it (-1), or neither for certain? */
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
             "%s to within what square roots, angles of positions and softcaps leave open",
             what);
}

void attest_slack_apply(attest_finding *finding, const attest_claim *claim)
{
    const fmpq *slack = claim->weights->slack;
    int separation = 1, norm = -1;

    if (fmpq_is_zero(slack))
        return;
    if (finding->has_pair)
        widen(finding->min_separation, slack, 2);
    widen(finding->max_norm, slack, 1);
    if (finding->verdict == ATTEST_UNDECIDED) {
        if (!finding->reason[0]) /* it was resolved as far as the slack makes sense of */
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
