/* directed.c -- softmax attention by directed roundings of MPFR, and a closed form. */
#include <stdlib.h>

#include "tests/ref/attention.h"
#include "tests/ref/matrices.h"

static void set_rational(mpfr_t x, const fmpq_t value, mpfr_rnd_t rounding)
{
    mpq_t q;

    mpq_init(q);
    fmpq_get_mpq(q, value);
    mpfr_set_q(x, q, rounding);
    mpq_clear(q);
}

/* power[j] = e^score_j and total = their sum, all rounded in one direction. */
static void directed_powers(mpfr_ptr power, mpfr_t total, const fmpq_mat_t scores, slong k,
                            slong visible, mpfr_rnd_t rounding)
{
    mpfr_prec_t precision = mpfr_get_prec(total);

    mpfr_set_zero(total, 1);
    for (slong j = 0; j < visible; j++) {
        mpfr_init2(power + j, precision);
        set_rational(power + j, fmpq_mat_entry(scores, j, k), rounding);
        mpfr_exp(power + j, power + j, rounding);
        mpfr_add(total, total, power + j, rounding);
    }
}

/* Adds to out[c], in the direction rounding, the sum of weight_j value_j. own are the powers
 * rounded in that direction, other those rounded in the opposite one. */
static void add_directed(mpfr_t out, const fmpq_mat_t values, slong c, slong visible,
                         mpfr_srcptr own, mpfr_srcptr other, const mpfr_t own_total,
                         const mpfr_t other_total, mpfr_rnd_t rounding)
{
    mpfr_rnd_t opposite = rounding == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    mpfr_t weight, value;

    mpfr_init2(weight, mpfr_get_prec(out));
    mpfr_init2(value, mpfr_get_prec(out));
    for (slong j = 0; j < visible; j++) {
        set_rational(value, fmpq_mat_entry(values, c, j), rounding);
        /* For a negative value the bound on its product comes from the opposite bound on the
         * weight. */
        if (mpfr_sgn(value) >= 0)
            mpfr_div(weight, own + j, other_total, rounding);
        else
            mpfr_div(weight, other + j, own_total, opposite);
        mpfr_mul(value, value, weight, rounding);
        mpfr_add(out, out, value, rounding);
    }
    mpfr_clear(weight);
    mpfr_clear(value);
}

/* Adds one head's bounds at query k. */
static void add_bounds(mpfr_ptr low, mpfr_ptr high, const fmpq_mat_t scores,
                       const fmpq_mat_t values, slong k, slong visible)
{
    __mpfr_struct *below = malloc((size_t)visible * sizeof *below);
    __mpfr_struct *above = malloc((size_t)visible * sizeof *above);
    mpfr_t low_total, high_total;

    mpfr_init2(low_total, mpfr_get_prec(low));
    mpfr_init2(high_total, mpfr_get_prec(low));
    directed_powers(below, low_total, scores, k, visible, MPFR_RNDD);
    directed_powers(above, high_total, scores, k, visible, MPFR_RNDU);
    for (slong c = 0; c < fmpq_mat_nrows(values); c++) {
        add_directed(low + c, values, c, visible, below, above, low_total, high_total,
                     MPFR_RNDD);
        add_directed(high + c, values, c, visible, above, below, high_total, low_total,
                     MPFR_RNDU);
    }
    for (slong j = 0; j < visible; j++) {
        mpfr_clear(below + j);
        mpfr_clear(above + j);
    }
    mpfr_clear(low_total);
    mpfr_clear(high_total);
    free(below);
    free(above);
}

void ref_softmax_bounds(mpfr_ptr low, mpfr_ptr high, const attest_weights *weights,
                        const attest_sequence *sequence)
{
    slong d = (slong)sequence->dim, n = (slong)sequence->length;
    fmpq_mat_t z, scores, values;

    ref_tokens(z, sequence);
    for (slong i = 0; i < n * d; i++) {
        mpfr_set_zero(low + i, 1);
        mpfr_set_zero(high + i, 1);
        if (weights->skip) {
            set_rational(low + i, fmpq_mat_entry(z, i % d, i / d), MPFR_RNDD);
            set_rational(high + i, fmpq_mat_entry(z, i % d, i / d), MPFR_RNDU);
        }
    }
    for (size_t h = 0; h < weights->heads; h++) {
        ref_head_matrices(scores, values, &weights->head[h], z);
        for (slong k = 0; k < n; k++)
            add_bounds(low + k * d, high + k * d, scores, values, k,
                       weights->mask == ATTEST_MASK_CAUSAL ? k + 1 : n);
        fmpq_mat_clear(scores);
        fmpq_mat_clear(values);
    }
    fmpq_mat_clear(z);
}

void ref_softmax_two_tokens(mpfr_ptr out, const attest_weights *weights,
                            const attest_sequence *sequence)
{
    slong d = (slong)sequence->dim;
    fmpq_mat_t z, scores, values;
    fmpq_t t;
    mpfr_t part;

    fmpq_init(t);
    mpfr_init2(part, mpfr_get_prec(out));
    ref_tokens(z, sequence);
    ref_head_matrices(scores, values, &weights->head[0], z);
    for (slong k = 0; k < 2; k++)
        for (slong c = 0; c < d; c++) {
            mpfr_ptr y = out + k * d + c;
            fmpq_sub(t, fmpq_mat_entry(scores, 1, k), fmpq_mat_entry(scores, 0, k));
            fmpq_div_2exp(t, t, 1);
            set_rational(y, t, MPFR_RNDN);
            mpfr_tanh(y, y, MPFR_RNDN);
            mpfr_add_ui(y, y, 1, MPFR_RNDN);
            mpfr_div_2ui(y, y, 1, MPFR_RNDN);
            fmpq_sub(t, fmpq_mat_entry(values, c, 1), fmpq_mat_entry(values, c, 0));
            set_rational(part, t, MPFR_RNDN);
            mpfr_mul(y, y, part, MPFR_RNDN);
            set_rational(part, fmpq_mat_entry(values, c, 0), MPFR_RNDN);
            mpfr_add(y, y, part, MPFR_RNDN);
            set_rational(part, fmpq_mat_entry(z, c, k), MPFR_RNDN);
            if (weights->skip)
                mpfr_add(y, y, part, MPFR_RNDN);
        }
    fmpq_mat_clear(scores);
    fmpq_mat_clear(values);
    fmpq_mat_clear(z);
    fmpq_clear(t);
    mpfr_clear(part);
}
