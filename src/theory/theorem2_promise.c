/* theorem2_promise.c -- what the stored weights promise, and the paper's closed formula. */
#include "theory/lemma1.h"
#include "theory/sharp_gap.h"

#include "number/scope.h"
#include "theory/theorem2_parts.h"

enum { BITS = 192 };

/* norm = |w|. */
static void output_norm(arb_t norm, const attest_construction *construction)
{
    ARB(entry);

    arb_zero(norm);
    for (size_t c = 0; c < construction->dim; c++) {
        arb_set_fmpq(entry, construction->output + c, BITS);
        arb_addmul(norm, entry, entry, BITS);
    }
    arb_sqrt(norm, norm, BITS);
}

/* value, log2 = |w| / (kappa r_max) times bound, whose log2 is given as well. */
static void scale_bound(attest_construction *construction, const arb_t bound, const arb_t log2)
{
    ARB(factor, divisor);

    output_norm(factor, construction);
    arb_set_fmpq(divisor, construction->kappa, BITS);
    arb_div(factor, factor, divisor, BITS);
    arb_set_fmpq(divisor, construction->r_max.value, BITS);
    arb_div(factor, factor, divisor, BITS);
    arb_mul(construction->delta, bound, factor, BITS);
    arb_log_base_ui(factor, factor, 2, BITS);
    arb_add(construction->delta_log2, log2, factor, BITS);
}

/* bound, log2 = the less of it and the bound of the sharp gap at depth t; false where that says
 * nothing. */
static bool lessen(arb_t bound, arb_t log2, const arb_t gap, const arb_t t)
{
    bool known;
    ARB(other, other_log2);

    known = attest_sharp_gap_bound(other, other_log2, gap, false, t, BITS, NULL) == ATTEST_OK;
    if (known && !arb_lt(bound, other)) {
        arb_set(bound, other);
        arb_set(log2, other_log2);
    }
    return known;
}

/* The sharp gap for depths t in [gap, most): on both sides of 2 gap, where it jumps, e^{-t}
 * [...] first rises, then falls, so its least value is at an end of these; differing maxima
 * give more (proofs-notes/theorem2.md). */
static void bound_by_gap(arb_t bound, arb_t log2, const arb_t gap, const arb_t most)
{
    ARB(twice);

    arb_mul_2exp_si(twice, gap, 1);
    arb_pos_inf(bound);
    if (!lessen(bound, log2, gap, most) || !lessen(bound, log2, gap, gap) ||
        !lessen(bound, log2, gap, twice)) {
        arb_zero(bound); /* one value only: nothing is promised */
        arb_indeterminate(log2);
    }
}

/* most = kappa r_max^2: |scores| = kappa |v.x| |v.x_j| is less. */
static void set_most(arb_t most, const attest_construction *construction)
{
    ARB(kappa);

    arb_set_fmpq(most, construction->r_max.value, BITS);
    arb_mul(most, most, most, BITS);
    arb_set_fmpq(kappa, construction->kappa, BITS);
    arb_mul(most, most, kappa, BITS);
}

void attest_theorem2_promise(attest_construction *construction, size_t n)
{
    ARB(r, bound, log2);

    set_most(r, construction);
    attest_lemma1_bound(bound, log2, n, r, BITS);
    scale_bound(construction, bound, log2);
    construction->promise = arb_is_positive(construction->delta);
}

void attest_theorem2_promise_gap(attest_construction *construction, const fmpq_t gap)
{
    ARB(g, most, bound, log2);

    arb_set_fmpq(g, gap, BITS);
    set_most(most, construction);
    arb_mul_2exp_si(most, most, 1);
    bound_by_gap(bound, log2, g, most);
    scale_bound(construction, bound, log2);
    construction->promise = arb_is_positive(construction->delta);
}

/* factor = (|V|+1)^4 (2 log n + 3) pi d. */
static void common_factor(arb_t factor, size_t n, size_t tokens, size_t dim)
{
    ARB(x);

    arb_log_ui(factor, n, BITS);
    arb_mul_2exp_si(factor, factor, 1);
    arb_add_ui(factor, factor, 3, BITS);
    arb_const_pi(x, BITS);
    arb_mul(factor, factor, x, BITS);
    arb_mul_ui(factor, factor, dim, BITS);
    arb_set_ui(x, tokens + 1);
    arb_pow_ui(x, x, 4, BITS);
    arb_mul(factor, factor, x, BITS);
}

/* delta = 2 (log n)^2 eps^2 r_min / (r_max^2 factor) exp(-factor r_max^2 / (4 eps r_min)). */
void attest_theorem2_formula(attest_construction *construction, size_t n, size_t tokens)
{
    ARB(factor, ratio, eps, r_min, square, ln2);

    if (n < 2)
        return;
    common_factor(factor, n, tokens, construction->dim);
    arb_set_fmpq(eps, construction->eps.value, BITS);
    arb_set_fmpq(r_min, construction->r_min.value, BITS);
    arb_set_fmpq(square, construction->r_max.value, BITS);
    arb_mul(square, square, square, BITS);
    arb_log_ui(ratio, n, BITS);
    arb_mul(ratio, ratio, eps, BITS);
    arb_mul(ratio, ratio, ratio, BITS);
    arb_mul(ratio, ratio, r_min, BITS);
    arb_mul_2exp_si(ratio, ratio, 1);
    arb_div(ratio, ratio, square, BITS);
    arb_div(ratio, ratio, factor, BITS);
    arb_mul(factor, factor, square, BITS);
    arb_div(factor, factor, eps, BITS);
    arb_div(factor, factor, r_min, BITS);
    arb_mul_2exp_si(factor, factor, -2);
    arb_neg(construction->delta_formula, factor);
    arb_exp(construction->delta_formula, construction->delta_formula, BITS);
    arb_mul(construction->delta_formula, construction->delta_formula, ratio, BITS);
    arb_const_log2(ln2, BITS);
    arb_log(ratio, ratio, BITS);
    arb_sub(ratio, ratio, factor, BITS);
    arb_div(construction->delta_formula_log2, ratio, ln2, BITS);
    construction->formula = true;
}
