/* lemma1.c -- the bound and the gap of Lemma 1 (proofs-notes/lemma1.md). */
#include "theory/lemma1.h"

#include "number/ball_exp.h"
#include "number/scope.h"

void attest_lemma1_bound(arb_t value, arb_t log2, size_t n, const arb_t r, long bits)
{
    ARB(log_n, ln2, twice);

    arb_log_ui(log_n, n, bits);
    arb_const_log2(ln2, bits);
    arb_mul_2exp_si(twice, r, 1);
    attest_huge_exp(value, twice, bits);
    arb_mul(value, value, log_n, bits);
    arb_mul(value, value, log_n, bits);
    if (n == 1) {
        arb_indeterminate(log2);
    } else {
        arb_log(log_n, log_n, bits);
        arb_mul_2exp_si(log_n, log_n, 1);
        arb_sub(log_n, log_n, twice, ARF_PREC_EXACT);
        arb_div(log2, log_n, ln2, bits);
    }
}

bool attest_lemma1_check_gap(const fmpq_t gap, size_t n)
{
    bool above = false, decided = false;
    ARB(need, have);

    if (n == 1)
        return fmpq_cmp_si(gap, 3) > 0;
    for (long bits = 64; !decided; bits *= 2) {
        arb_log_ui(need, n, bits);
        arb_mul_2exp_si(need, need, 1);
        arb_add_ui(need, need, 3, bits);
        arb_set_fmpq(have, gap, bits);
        above = arb_gt(have, need);
        decided = above || arb_lt(have, need);
    }
    return above;
}
