/* The terms of the enclosure from which the sign of an exponential sum is taken
 * (proofs-notes/zero_test.md, "The sign"), each with an instance that needs it. */
#include "certify/softmax_sign.c"
#include "tests/bounds/exact.h"
#include "tests/bounds/table.h"

/* The error of the midpoint divided by the radius, of 1 + coefficient w^first truncated after
 * w^depth, at 64 bits; w = e^-unit. */
static double sign_ratio(double unit, slong depth, slong first, slong coefficient)
{
    attest_softmax_sum sum;
    series s;
    frame f;
    const attest_softmax_limits limits = {1000, 1000, NULL};
    fmpz_t zero, exponent;
    fmpz *exponents[1] = {exponent};
    arb_t value, exact, w;
    double ratio;
    mag_t tail;

    attest_softmax_sum_init(&sum, 1);
    fmpq_set_si(sum.unit, (slong)(unit * 0x1p30), 1 << 30);
    frame_init(&f, &sum, &limits);
    fmpz_set_si(f.depth, depth);
    series_init(&s, &f);
    fmpz_init(zero), fmpz_init(exponent), mag_init(tail);
    arb_init(value), arb_init(exact), arb_init(w);
    for (slong i = 2; i > 0; i--) { /* descending: the far term, and 1 */
        fmpz_set_si(exponent, i == 2 ? first : 0);
        fmpz_set_si(zero, i == 2 ? coefficient : 1);
        if (i == 1 || first <= depth)
            fmpz_mpoly_push_term_fmpz_fmpz(s.poly, zero, exponents, f.context);
        else
            fmpz_abs(s.rest, zero);
    }
    fmpz_zero(zero);
    evaluate(value, tail, &s, zero, 64, &f);
    arb_set_fmpq(w, sum.unit, EXACT_BITS);
    arb_mul_si(w, w, -first, EXACT_BITS);
    arb_exp(w, w, EXACT_BITS);
    arb_mul_si(w, w, coefficient, EXACT_BITS);
    arb_add_ui(exact, w, 1, EXACT_BITS);
    arb_sub_arf(exact, exact, arb_midref(value), EXACT_BITS);
    arb_get_rad_arb(w, value);
    arb_div(exact, exact, w, EXACT_BITS);
    ratio = arb_is_finite(exact) ? fabs(arf_get_d(arb_midref(exact), ARF_RND_UP)) : INFINITY;
    arb_clear(value), arb_clear(exact), arb_clear(w);
    fmpz_clear(zero), fmpz_clear(exponent), mag_clear(tail);
    series_clear(&s, &f);
    frame_clear(&f);
    attest_softmax_sum_clear(&sum);
    return ratio;
}

/* 1 + 7 w^4, truncated after w^3. */
static double sign_tail(void)
{
    return sign_ratio(0x1p-30, 3, 4, 7);
}

/* 1 + 2^62 w^129, w = e^-1: not multiplied out at 64 bits. */
static double sign_far(void)
{
    return sign_ratio(1, 200, 129, WORD_MAX);
}

static const table_row rows[] = {
    {"sign_tail", sign_tail, 0.98, NULL},
    {"sign_far", sign_far, 0,
     "for x > 2 bits >= 128, e^-x is at most (2/e)^128 = 2^-56.6 times its bound 2^-x"},
};

int main(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    flint_cleanup();
    return table_done();
}
