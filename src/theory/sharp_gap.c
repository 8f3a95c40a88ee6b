/* sharp_gap.c -- the threshold and the bound of proofs-notes/sharp_gap.md. */
#include "theory/sharp_gap.h"

#include "number/ball_exp.h"
#include "number/scope.h"

static void set_limit(arb_t g, long bits)
{
    arb_sqrt_ui(g, 3, bits);
    arb_add_ui(g, g, 2, bits);
    arb_log(g, g, bits);
}

/* log(2 + sqrt 3) = 1.316957896924816..., and a double safely above it. */
static const double limit_above = 1.3169578969249;

/* Which side of the limit: -1 below, 1 above, 0 unknown at this precision. Most gaps are well
 * above, which needs no logarithm. */
static int side(const arb_t gap, long bits)
{
    int result;
    ARB(limit);

    arb_set_d(limit, limit_above);
    result = arb_gt(gap, limit);
    if (!result) {
        set_limit(limit, bits);
        result = arb_gt(gap, limit) - arb_lt(gap, limit);
    }
    return result;
}

bool attest_sharp_gap_check(const fmpq_t gap)
{
    int result = 0;
    ARB(x);

    for (long bits = 64; result == 0; bits *= 2) {
        arb_set_fmpq(x, gap, bits);
        result = side(x, bits);
    }
    return result > 0;
}

/* mean = g q/(1+q) where t < 2g, else nu = g q/(1-q)^2, which is more and so gives less: it
 * serves where t may be on either side. */
static void set_mean(arb_t mean, const arb_t gap, const arb_t q, bool shallow, long bits)
{
    ARB(divisor);

    arb_mul(mean, gap, q, bits);
    if (shallow) {
        arb_add_ui(divisor, q, 1, bits);
    } else {
        arb_sub_ui(divisor, q, 1, bits);
        arb_mul(divisor, divisor, divisor, bits);
    }
    arb_div(mean, mean, divisor, bits);
}

/* bracket = (t - mean)(1 - 2q) - mu with mu = g q/(1-q), q = e^-g; for differing maxima
 * g - nu. */
static void set_bracket(arb_t bracket, const arb_t gap, bool first_at_maximum, const arb_t t,
                        long bits)
{
    ARB(mu, q, mean);

    arb_neg(q, gap);
    arb_exp(q, q, bits);
    arb_mul_2exp_si(mean, gap, 1);
    set_mean(mean, gap, q, !first_at_maximum && arb_lt(t, mean), bits);
    arb_sub(bracket, first_at_maximum ? gap : t, mean, bits);
    if (!first_at_maximum) {
        arb_sub_ui(mu, q, 1, bits);
        arb_neg(mu, mu);
        arb_div(mu, q, mu, bits);
        arb_mul(mu, mu, gap, bits);
        arb_mul_si(q, q, -2, bits);
        arb_add_ui(q, q, 1, bits);
        arb_mul(bracket, bracket, q, bits);
        arb_sub(bracket, bracket, mu, bits);
    }
}

attest_status attest_sharp_gap_bound(arb_t value, arb_t log2, const arb_t gap,
                                     bool first_at_maximum, const arb_t t, long bits,
                                     attest_error *error)
{
    bool usable;
    ARB(bracket);

    if (side(gap, bits) <= 0)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "the sharp gap: the gap is not above log(2 + sqrt 3)");
    if (!first_at_maximum && !arb_ge(t, gap) && !arb_overlaps(t, gap))
        return attest_error_set(error, ATTEST_DOMAIN, "the sharp gap: t is below the gap");
    set_bracket(bracket, gap, first_at_maximum, t, bits);
    usable = attest_huge_exp_scale(value, log2, bracket, first_at_maximum ? NULL : t, bits);
    if (!usable)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "the sharp gap: the gap or t is too wide a ball");
    return ATTEST_OK;
}
