/* lemma_f.c -- the threshold and the bound of Lemma F (proofs-notes/lemma_f.md). */
#include <assert.h>

#include "theory/lemma_f.h"

#include "number/depth.h"

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
    arb_t value;
    int side;

    arb_init(value);
    threshold_function(value, x, bits);
    side = arb_is_positive(value) - arb_is_negative(value);
    arb_clear(value);
    return side;
}

/* Steps g <- 1 + g/(e^g - 1) - ..., by the secant slope 1 + 0.69...: Newton's method with the
 * derivative F'(g) = 1 - (e^g - 1 - g e^g)/(e^g - 1)^2. Not rigorous: the caller encloses. */
static void newton_step(arb_t g, long bits)
{
    arb_t value, e, slope, square;

    arb_init(value);
    arb_init(e);
    arb_init(slope);
    arb_init(square);
    threshold_function(value, g, bits);
    arb_expm1(e, g, bits);
    arb_mul(square, e, e, bits);
    arb_add_ui(slope, e, 1, bits);
    arb_mul(slope, slope, g, bits);
    arb_sub(slope, slope, e, bits);
    arb_div(slope, slope, square, bits);
    arb_add_ui(slope, slope, 1, bits);
    arb_div(value, value, slope, bits);
    arb_sub(g, g, value, bits);
    mag_zero(arb_radref(g));
    arb_clear(value);
    arb_clear(e);
    arb_clear(slope);
    arb_clear(square);
}

void attest_lemma_f_threshold(arb_t g, long bits)
{
    long work = bits + 32;
    arb_t end, radius;

    assert(bits >= 2);
    arb_init(end);
    arb_init(radius);
    arb_set_d(g, 1.4455749111515481);
    for (long good = 48; good < work; good *= 2)
        newton_step(g, work);
    newton_step(g, work);
    /* A sign change of an increasing function between the ends is the proof. */
    arb_set_si(radius, 1);
    arb_mul_2exp_si(radius, radius, -(bits + 1));
    arb_sub(end, g, radius, ARF_PREC_EXACT);
    assert(threshold_side(end, work) == -1);
    arb_add(end, g, radius, ARF_PREC_EXACT);
    assert(threshold_side(end, work) == 1);
    arb_add_error(g, radius);
    arb_clear(end);
    arb_clear(radius);
}

bool attest_lemma_f_check_gap(const fmpq_t gap)
{
    arb_t x;
    int side = 0;

    if (fmpq_cmp_si(gap, 1) <= 0)
        return false;
    arb_init(x);
    for (long bits = 64; side == 0; bits *= 2) {
        arb_set_fmpq(x, gap, bits);
        side = threshold_side(x, bits);
    }
    arb_clear(x);
    return side > 0;
}

/* bracket = (t - mu)(1 - 2q) - mu, with mu = g/(e^g - 1) = g q/(1-q); for differing maxima
 * g - mu. */
static void set_bracket(arb_t bracket, const arb_t gap, bool first_at_maximum, const arb_t t,
                        long bits)
{
    arb_t mu, q;

    arb_init(mu);
    arb_init(q);
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
    arb_clear(mu);
    arb_clear(q);
}

attest_status attest_lemma_f_bound(arb_t value, arb_t log2, const arb_t gap,
                                   bool first_at_maximum, const arb_t t, long bits,
                                   attest_error *error)
{
    arb_t bracket;
    bool usable;

    if (threshold_side(gap, bits) <= 0)
        return attest_error_set(error, ATTEST_DOMAIN, "Lemma F: the gap is not above g*");
    if (!first_at_maximum && !arb_ge(t, gap) && !arb_overlaps(t, gap))
        return attest_error_set(error, ATTEST_DOMAIN, "Lemma F: t is smaller than the gap");
    arb_init(bracket);
    set_bracket(bracket, gap, first_at_maximum, t, bits);
    usable = attest_depth_scale(value, log2, bracket, first_at_maximum ? NULL : t, bits);
    arb_clear(bracket);
    if (!usable)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "Lemma F: the gap or t is too wide a ball");
    return ATTEST_OK;
}
