/* exp_huge.c -- e^{-depth} for depths of any size. */
#include "number/exp_huge.h"

#include "number/scope.h"

/* For depths where arb_exp gives up. With k an integer near depth / log 2, e^{-depth} = 2^{-k}
 * e^{k log 2 - depth}. The bits of k are added to the precision of log 2, so the exponent left
 * has an absolute error near 2^-bits. Any integer k is right. */
static void reduce_and_exp(arb_t weight, const arb_t depth, long bits)
{
    long long_bits = bits + arf_abs_bound_lt_2exp_si(arb_midref(depth));
    ARB(quotient, rest);
    FMPZ(k);

    arb_const_log2(rest, long_bits);
    arb_div(quotient, depth, rest, long_bits);
    arf_get_fmpz(k, arb_midref(quotient), ARF_RND_NEAR);
    arb_mul_fmpz(rest, rest, k, long_bits);
    arb_sub(rest, rest, depth, long_bits);
    arb_exp(weight, rest, bits);
    fmpz_neg(k, k);
    arb_mul_2exp_fmpz(weight, weight, k);
}

void attest_huge_exp(arb_t weight, const arb_t depth, long bits)
{
    if (arf_cmpabs_2exp_si(arb_midref(depth), 62) >= 0) {
        reduce_and_exp(weight, depth, bits);
    } else {
        arb_neg(weight, depth);
        arb_exp(weight, weight, bits);
    }
}

bool attest_huge_exp_scale(arb_t value, arb_t log2, const arb_t factor, const arb_t depth,
                           long bits)
{
    ARB(ln2);

    if (!arb_is_positive(factor))
        return false;
    arb_one(value);
    if (depth)
        attest_huge_exp(value, depth, bits);
    arb_mul(value, value, factor, bits);
    arb_const_log2(ln2, bits);
    arb_log(log2, factor, bits);
    if (depth)
        arb_sub(log2, log2, depth, ARF_PREC_EXACT);
    arb_div(log2, log2, ln2, bits);
    return true;
}
