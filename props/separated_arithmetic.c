/* separated_arithmetic.c -- bounds of Definition 1 that an arithmetic misjudges.
 *
 * The data are exactly (r_max, eps)-separated, by the least margin that the format has: eps is
 * the largest of its numbers below the least distance, r_max the least above the largest norm.
 * The arithmetic computes squares of norms and distances, every operation rounded, and compares
 * them with the rounded squares of the bounds. */
#include <math.h>

#include "campaign/label.h"
#include "number/scope.h"
#include "props/arithmetic.h"
#include "props/oracle.h"

enum { WORK_BITS = 4096 };

/* bound = the format's number next to sqrt(square), strictly below or above it. */
static void get_bound(fmpq_t bound, const fmpq_t square, long precision, bool above)
{
    mpq_t q;

    mpq_init(q);
    MPFR(WORK_BITS, root);
    fmpq_get_mpq(q, square);
    mpfr_set_q(root, q, above ? MPFR_RNDU : MPFR_RNDD);
    mpfr_sqrt(root, root, above ? MPFR_RNDU : MPFR_RNDD);
    mpfr_prec_round(root, precision, above ? MPFR_RNDU : MPFR_RNDD);
    mpfr_get_q(q, root);
    fmpq_set_mpq(bound, q);
    FMPQ(again);
    fmpq_mul(again, bound, bound);
    if (fmpq_equal(again, square)) {
        if (above)
            mpfr_nextabove(root);
        else
            mpfr_nextbelow(root);
        mpfr_get_q(q, root);
        fmpq_set_mpq(bound, q);
    }
    mpq_clear(q);
}

attest_status attest_props_separated_gen(attest_instance *instance, struct theft *t,
                                         const attest_setting *setting)
{
    static const attest_gen_sequences sequences = {
        .count_min = 1, .count_max = 2, .length_min = 2, .length_max = 4};
    attest_format format = attest_props_arithmetic_format(setting);
    ATTEST_SCOPED(attest_vocabulary, vocabulary);
    ATTEST_SCOPED(attest_separated, extremes);

    ATTEST_TRY(attest_props_arithmetic_gen_tokens(&vocabulary, t, &format));
    ATTEST_TRY(attest_gen_dataset(&instance->dataset, t, &vocabulary, &sequences));
    ATTEST_TRY(attest_separated_get(&extremes, &instance->dataset, NULL));
    get_bound(attest_instance_set(instance, "eps"), extremes.eps_square, format.precision,
              false);
    get_bound(attest_instance_set(instance, "r_max"), extremes.r_max_square, format.precision,
              true);
    return ATTEST_OK;
}

/* Rounds one operation to the format; the caller has set the exponent range. */
static void finish(mpfr_t z, int inexact, const attest_format *format, mpfr_rnd_t round)
{
    if (format->bounded)
        mpfr_subnormalize(z, mpfr_check_range(z, inexact, round), round);
}

static void set_rational(mpfr_t z, const fmpq_t x)
{
    mpq_t q;

    mpq_init(q);
    fmpq_get_mpq(q, x);
    mpfr_set_q(z, q, MPFR_RNDN); /* exact: x is a number of the format */
    mpq_clear(q);
}

/* sum = fl(|x - y|^2), or fl(|x|^2) for b = a, from the first entry to the last. */
static void get_square(mpfr_t sum, const attest_tokens *tokens, size_t a, size_t b,
                       const attest_format *format, mpfr_rnd_t round)
{
    mpfr_t x, y;

    mpfr_inits2(format->precision, x, y, (mpfr_ptr)0);
    FMPQ(q);
    for (size_t c = 0; c < tokens->dim; c++) {
        attest_tokens_get_entry(q, tokens, a, c);
        set_rational(x, q);
        attest_tokens_get_entry(q, tokens, b, c);
        set_rational(y, q);
        if (a != b)
            finish(x, mpfr_sub(x, x, y, round), format, round);
        finish(x, mpfr_mul(x, x, x, round), format, round);
        if (c == 0)
            mpfr_set(sum, x, round);
        else
            finish(sum, mpfr_add(sum, sum, x, round), format, round);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* Returns whether one norm (b = a) or distance is within the bound in the arithmetic. */
static bool keeps(double *margin, const attest_tokens *tokens, size_t a, size_t b,
                  const fmpq *bound, const attest_format *format, mpfr_rnd_t round)
{
    mpfr_t square, limit;
    bool kept;

    mpfr_inits2(format->precision, square, limit, (mpfr_ptr)0);
    get_square(square, tokens, a, b, format, round);
    set_rational(limit, bound);
    finish(limit, mpfr_mul(limit, limit, limit, round), format, round);
    kept = a == b ? mpfr_less_p(square, limit) : mpfr_greater_p(square, limit);
    double ratio = log2(mpfr_get_d(square, MPFR_RNDN) / mpfr_get_d(limit, MPFR_RNDN)) / 2;
    ratio = a == b ? -ratio : ratio;
    if (!(*margin <= ratio))
        *margin = ratio;
    mpfr_clears(square, limit, (mpfr_ptr)0);
    return kept;
}

/* log2 of the exact |norm - bound| / bound, to first order in it. */
static double get_slack(const attest_tokens *tokens, size_t a, size_t b, const fmpq *bound)
{
    FMPQ(x, y, square);

    for (size_t c = 0; c < tokens->dim; c++) {
        attest_tokens_get_entry(x, tokens, a, c);
        attest_tokens_get_entry(y, tokens, b, c);
        if (a != b)
            fmpq_sub(x, x, y);
        fmpq_addmul(square, x, x);
    }
    fmpq_mul(y, bound, bound);
    fmpq_sub(x, square, y);
    if (!fmpq_is_zero(y))
        fmpq_div(x, x, y);
    return log2(fabs(fmpq_get_d(x))) - 1;
}

static attest_place find(const attest_dataset *d, size_t token)
{
    attest_place place = {0, 0};

    while (attest_dataset_token(d, place.sequence, place.position) != token)
        if (!attest_oracle_next(&place, d))
            break;
    return place;
}

/* Compares all tokens and pairs in the exponent range of the format. */
static void look(attest_trial *trial, const attest_instance *instance,
                 const attest_format *format, mpfr_rnd_t round)
{
    const attest_dataset *d = &instance->dataset;
    const fmpq *eps = attest_instance_get(instance, "eps");
    const fmpq *r_max = attest_instance_get(instance, "r_max");

    for (size_t a = 0; a < d->tokens.count && trial->outcome == ATTEST_HELD; a++)
        for (size_t b = 0; b <= a && trial->outcome == ATTEST_HELD; b++) {
            if (keeps(&trial->margin, &d->tokens, a, b, a == b ? r_max : eps, format, round))
                continue;
            attest_trial_violated(
                trial, "separated", "in %s %s; exactly it is, by 2^%.4g of the bound",
                format->name,
                a == b ? "a norm is not below r_max" : "a distance is not above eps",
                get_slack(&d->tokens, a, b, a == b ? r_max : eps));
            trial->has_pair = true;
            trial->pair[0] = find(d, b), trial->pair[1] = find(d, a);
        }
    if (trial->outcome == ATTEST_VIOLATED && !(trial->margin < 0))
        trial->margin = NAN; /* computed values that are equal have no margin */
}

static bool has_form(const attest_instance *instance, const attest_format *format)
{
    const fmpq *eps = attest_instance_get(instance, "eps");
    const fmpq *r_max = attest_instance_get(instance, "r_max");

    return instance->dataset.count > 0 && eps && r_max && fmpq_sgn(eps) >= 0 &&
           fmpq_sgn(r_max) >= 0 && attest_props_arithmetic_represents(format, eps) &&
           attest_props_arithmetic_represents(format, r_max) &&
           attest_props_arithmetic_represents_instance(format, instance);
}

attest_status attest_props_separated_decide(attest_trial *trial,
                                            const attest_instance *instance,
                                            const attest_setting *setting, attest_error *error)
{
    attest_format format = attest_props_arithmetic_format(setting);
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    ATTEST_SCOPED(attest_separated, extremes);

    trial->outcome = ATTEST_DISCARDED;
    if (!has_form(instance, &format))
        return ATTEST_OK;
    ATTEST_TRY(attest_separated_get(&extremes, &instance->dataset, error));
    if (attest_separated_check(&extremes, NULL, attest_instance_get(instance, "r_max"),
                               attest_instance_get(instance, "eps")) != ATTEST_SEPARATED_HOLDS)
        return ATTEST_OK;
    trial->outcome = ATTEST_HELD;
    if (format.bounded) { /* MPFR's exponents are one above those of IEEE 754 */
        mpfr_set_emin(format.emin - format.precision + 2);
        mpfr_set_emax(format.emax + 1);
    }
    look(trial, instance, &format, setting->round);
    mpfr_set_emin(emin), mpfr_set_emax(emax);
    attest_trial_label_dataset(trial, &instance->dataset);
    return ATTEST_OK;
}
