/* lemma_f.c -- the threshold and the bound of Lemma F (proofs-notes/lemma_f.md). */
#include "theory/lemma_f.h"

#include "number/depth.h"
#include "number/scope.h"

/* value = g - 1 - g/(e^g - 1), which increases with g > 0 and vanishes at g*. */
static void threshold_function(arb_t value, const arb_t g, long bits)
{
    arb_expm1(value, g, bits);
    arb_div(value, g, value, bits);
    arb_sub(value, g, value, bits);
    arb_sub_ui(value, value, 1, bits);
}

/* Which side of g* the number x lies on: -1 below, 1 above, 0 unknown at this precision. */
static int threshold_side(const arb_t x, long bits)
{
    ARB(value);

    threshold_function(value, x, bits);
    return arb_is_positive(value) - arb_is_negative(value);
}

bool attest_lemma_f_check_gap(const fmpq_t gap)
{
    int side = 0;
    ARB(x);

    if (fmpq_cmp_si(gap, 1) <= 0)
        return false;
    for (long bits = 64; side == 0; bits *= 2) {
        arb_set_fmpq(x, gap, bits);
        side = threshold_side(x, bits);
    }
    return side > 0;
}

/* bracket = (t - mu)(1 - 2q) - mu, with mu = g/(e^g - 1) = g q/(1-q); for differing maxima
 * g - mu. */
static void set_bracket(arb_t bracket, const arb_t gap, bool first_at_maximum, const arb_t t,
                        long bits)
{
    ARB(mu, q);

    arb_expm1(q, gap, bits);
    arb_div(mu, gap, q, bits);
    if (first_at_maximum) {
        arb_sub(bracket, gap, mu, bits);
    } else {
        arb_neg(q, gap);
        arb_exp(q, q, bits);
        arb_mul_si(q, q, -2, bits);
        arb_add_ui(q, q, 1, bits);
        arb_sub(bracket, t, mu, bits);
        arb_mul(bracket, bracket, q, bits);
        arb_sub(bracket, bracket, mu, bits);
    }
}

attest_status attest_lemma_f_bound(arb_t value, arb_t log2, const arb_t gap,
                                   bool first_at_maximum, const arb_t t, long bits,
                                   attest_error *error)
{
    bool usable;
    ARB(bracket);

    if (threshold_side(gap, bits) <= 0)
        return attest_error_set(error, ATTEST_DOMAIN, "Lemma F: the gap is not above g*");
    if (!first_at_maximum && !arb_ge(t, gap) && !arb_overlaps(t, gap))
        return attest_error_set(error, ATTEST_DOMAIN, "Lemma F: t is smaller than the gap");
    set_bracket(bracket, gap, first_at_maximum, t, bits);
    usable = attest_depth_scale(value, log2, bracket, first_at_maximum ? NULL : t, bits);
    if (!usable)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "Lemma F: the gap or t is too wide a ball");
    return ATTEST_OK;
}
