/* arithmetic.c -- the properties contextual and separated against the arithmetic of --number,
 * and numbers of its format. */
#include "props/arithmetic.h"

#include <math.h>
#include <stdio.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/doubles.h"
#include "props/oracle.h"

attest_format attest_props_arithmetic_format(const attest_setting *setting)
{
    attest_format format = {.precision = setting->bits};

    if (setting->number == ATTEST_ARITHMETIC_BINARY32)
        format = (attest_format){
            .name = "binary32", .precision = 24, .bounded = true, .emin = -126, .emax = 127};
    else if (setting->number == ATTEST_ARITHMETIC_DOUBLE)
        format = (attest_format){
            .name = "binary64", .precision = 53, .bounded = true, .emin = -1022, .emax = 1023};
    else
        snprintf(format.name, sizeof format.name, "p=%ld", setting->bits);
    return format;
}

/* Returns whether x is a number of the format. */
static bool represents(const attest_format *format, const fmpq_t x)
{
    const fmpz *p = fmpq_numref(x), *q = fmpq_denref(x);
    slong low, exponent;

    if (fmpz_is_zero(p))
        return true;
    if (!fmpz_is_one(q) && (slong)fmpz_val2(q) + 1 != (slong)fmpz_bits(q))
        return false; /* the denominator is no power of two */
    /* x = odd * 2^low, 2^exponent <= |x| < 2^(exponent + 1) */
    low = (slong)fmpz_val2(p) - (slong)fmpz_val2(q);
    exponent = (slong)fmpz_bits(p) - 1 - (slong)fmpz_val2(q);
    if (exponent - low >= format->precision)
        return false;
    return !format->bounded ||
           (exponent <= format->emax && low >= format->emin - format->precision + 1);
}

static bool represents_fractions(const attest_format *format, const fmpz *numerator,
                                 const fmpz_t denominator, size_t count)
{
    bool all = true;
    FMPQ(x);

    for (size_t i = 0; all && i < count; i++) {
        fmpq_set_fmpz_frac(x, numerator + i, denominator);
        all = represents(format, x);
    }
    return all;
}

static bool represents_matrix(const attest_format *format, const attest_matrix *m)
{
    if (!m->factored)
        return represents_fractions(format, m->entry, m->denominator, m->rows * m->cols);
    return represents_fractions(format, m->u, m->u_denominator, m->rows) &&
           represents_fractions(format, m->v, m->v_denominator, m->cols);
}

static bool represents_tokens(const attest_format *format, const attest_tokens *tokens)
{
    bool all = true;
    FMPQ(x);

    for (size_t i = 0; all && i < tokens->count * tokens->dim; i++) {
        attest_tokens_get_entry(x, tokens, i / tokens->dim, i % tokens->dim);
        all = represents(format, x);
    }
    return all;
}

/* Returns whether all entries of tokens and matrices (or of their factors) are numbers of the
 * format. */
static bool represents_instance(const attest_format *format, const attest_instance *instance)
{
    const attest_weights *weights = &instance->weights;
    bool all = represents_tokens(format, &instance->dataset.tokens);

    for (size_t h = 0; all && h < weights->heads; h++) {
        const attest_head *head = weights->head + h;
        all = represents_matrix(format, &head->wq) && represents_matrix(format, &head->wk) &&
              represents_matrix(format, &head->wv) && represents_matrix(format, &head->wo);
    }
    return all;
}

static attest_status evaluate(mpfr_t *out, const attest_weights *weights,
                              const attest_sequence *sequence, const attest_setting *setting,
                              attest_error *error)
{
    size_t count = sequence->length * sequence->dim;
    attest_format format = attest_props_arithmetic_format(setting);

    if (setting->number != ATTEST_ARITHMETIC_DOUBLE)
        return attest_attention_mpfr(out, weights, sequence, &format, setting->round, error);
    double *values ATTEST_FREED = attest_memory_alloc(count, sizeof *values);
    if (!values)
        return ATTEST_NOMEM;
    ATTEST_TRY(attest_attention_double(values, weights, sequence, error));
    for (size_t i = 0; i < count; i++)
        mpfr_set_d(out[i], values[i], MPFR_RNDN);
    return ATTEST_OK;
}

static void free_outputs(mpfr_t *out, const attest_dataset *dataset)
{
    for (size_t i = 0; out && i < dataset->total * dataset->dim; i++)
        mpfr_clear(out[i]);
    free(out);
}

/* Returns the outputs of all sequences in the arithmetic: out[(start_i + k) * dim + c], numbers
 * that are initialised. NULL: out of memory. */
static mpfr_t *get_outputs(const attest_instance *instance, const attest_setting *setting,
                           attest_error *error)
{
    const attest_dataset *d = &instance->dataset;
    attest_format format = attest_props_arithmetic_format(setting);
    mpfr_t *out = attest_memory_alloc(d->total * d->dim, sizeof *out);
    ATTEST_SCOPED(attest_sequence, sequence);

    if (!out)
        return NULL;
    for (size_t i = 0; i < d->total * d->dim; i++)
        mpfr_init2(out[i], format.precision);
    for (size_t i = 0; i < d->count; i++)
        if (attest_dataset_get_sequence(&sequence, d, i, NULL, error) != ATTEST_OK ||
            evaluate(out + d->start[i] * d->dim, &instance->weights, &sequence, setting,
                     error) != ATTEST_OK) {
            free_outputs(out, d);
            return NULL;
        }
    return out;
}

enum { MOST_TOKENS = 5, MOST_DIM = 2 };

void attest_props_arithmetic_gen_number(fmpq_t x, struct theft *t, const attest_format *format,
                                        unsigned most)
{
    long p = format->precision;
    unsigned kind = (unsigned)theft_random_choice(t, 8);
    slong limit = p < 4 && (1L << p) - 1 < (long)most ? (1L << p) - 1 : (slong)most;

    fmpq_set_si(x, 1 + (slong)theft_random_choice(t, (uint64_t)limit), 1);
    if (kind == 7 && p >= 4) { /* 1 + k 2^(1-p) */
        fmpq_div_2exp(x, x, (flint_bitcnt_t)(p - 1));
        fmpq_add_si(x, x, 1);
    } else if (kind >= 5) {
        slong e = (slong)theft_random_choice(t, 9) - 4;
        if (e >= 0)
            fmpq_mul_2exp(x, x, (flint_bitcnt_t)e);
        else
            fmpq_div_2exp(x, x, (flint_bitcnt_t)-e);
    }
    if (theft_random_bits(t, 1))
        fmpq_neg(x, x);
    if (!represents(format, x))
        fmpq_one(x);
}

static bool is_taken(const attest_vocabulary *v, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        bool equal = true;
        for (size_t c = 0; c < v->dim; c++)
            equal = equal && fmpq_equal(v->entry + i * v->dim + c, v->entry + j * v->dim + c);
        if (equal)
            return true;
    }
    return false;
}

/* Draws three to five distinct tokens without a zero entry; one that occurred before gets a
 * power of two, a number of every format, as its first entry. */
static attest_status gen_tokens(attest_vocabulary *v, struct theft *t,
                                const attest_format *format)
{
    v->dim = attest_gen_size(t, 1, MOST_DIM);
    v->count = attest_gen_size(t, 3, MOST_TOKENS);
    v->entry = attest_rationals_alloc(v->count * v->dim);
    if (!v->entry)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < v->count; i++) {
        for (size_t c = 0; c < v->dim; c++)
            attest_props_arithmetic_gen_number(v->entry + i * v->dim + c, t, format, 12);
        for (ulong power = 0; is_taken(v, i); power++)
            fmpq_set_si(v->entry + i * v->dim, 1L << power, 1);
    }
    return ATTEST_OK;
}

/* ---- Inputs that an arithmetic cannot tell apart, though they differ.
 *
 * Tokens and weights are numbers of the arithmetic. It violates Definition 2 where two outputs
 * of a required pair are equal in it, or one is not finite; that the exact outputs differ is
 * certified. */

enum { BITS = 128, MOST_BITS = 1 << 16 };

static void gen_matrix(attest_matrix *matrix, struct theft *t, const attest_format *format,
                       size_t rows, size_t cols)
{
    FMPQ_VEC(entry, (slong)(rows * cols));

    for (size_t i = 0; i < rows * cols; i++)
        attest_props_arithmetic_gen_number(entry + i, t, format, 3);
    attest_gen_set_matrix(matrix, entry, rows, cols);
}

attest_status attest_contextual_arithmetic_gen(attest_instance *instance, struct theft *t,
                                               const attest_setting *setting)
{
    static const attest_gen_sequences sequences = {
        .count_min = 2, .count_max = 3, .length_min = 2, .length_max = 4};
    attest_format format = attest_props_arithmetic_format(setting);
    attest_weights *weights = &instance->weights;
    ATTEST_SCOPED(attest_vocabulary, vocabulary);

    ATTEST_TRY(gen_tokens(&vocabulary, t, &format));
    ATTEST_TRY(attest_weights_resize(weights, 1 + attest_gen_rarely(t, 4)));
    weights->dim = vocabulary.dim;
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head *head = weights->head + h;
        size_t size = attest_gen_size(t, 1, 2);
        gen_matrix(&head->wk, t, &format, size, weights->dim);
        gen_matrix(&head->wq, t, &format, size, weights->dim);
        gen_matrix(&head->wv, t, &format, size, weights->dim);
        gen_matrix(&head->wo, t, &format, weights->dim, size);
        /* Large enough that a key is lost in rounding errors, and small enough to be certified
         * quickly. Powers of two keep the numbers representable. */
        attest_gen_limit_scores(head, &vocabulary, 8 + 2 * (unsigned)format.precision);
    }
    return attest_gen_dataset(&instance->dataset, t, &vocabulary, &sequences);
}

/* The result of comparing the outputs in the arithmetic. */
typedef struct comparison {
    bool finite;          /* all outputs are finite */
    bool collides;        /* a required pair has equal outputs, or an output not finite */
    attest_place pair[2]; /* the first such pair */
    double separation;    /* the least distance of a required pair */
    double scale;         /* the largest absolute value of an entry of an output */
} comparison;

static const mpfr_t *output(const mpfr_t *out, const attest_dataset *d, attest_place a)
{
    return out + (d->start[a.sequence] + a.position) * d->dim;
}

/* Returns the largest difference of entries; 0 if one is not finite: that collides with
 * everything. */
static double distance(const mpfr_t *x, const mpfr_t *y, size_t dim)
{
    double most = 0;
    MPFR(64, z);

    for (size_t c = 0; c < dim; c++) {
        if (!mpfr_number_p(x[c]) || !mpfr_number_p(y[c])) {
            most = 0;
            break;
        }
        mpfr_sub(z, x[c], y[c], MPFR_RNDA); /* 0 only for equal numbers */
        most = fmax(most, fabs(mpfr_get_d(z, MPFR_RNDA)));
    }
    return most;
}

static void compare_outputs(comparison *v, const mpfr_t *out, const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    attest_place a = {0, 0};

    *v = (comparison){.finite = true, .separation = INFINITY};
    for (size_t i = 0; i < d->total * d->dim; i++) {
        v->finite = v->finite && mpfr_number_p(out[i]);
        v->scale = fmax(v->scale, fabs(mpfr_get_d(out[i], MPFR_RNDN)));
    }
    do
        for (attest_place b = a; attest_oracle_next(&b, d);) {
            if (!attest_oracle_required(oracle, a, b))
                continue;
            double s = distance(output(out, d, a), output(out, d, b), d->dim);
            if (s == 0 && !v->collides) {
                v->collides = true;
                v->pair[0] = a, v->pair[1] = b;
            }
            v->separation = fmin(v->separation, s);
        }
    while (attest_oracle_next(&a, d));
}

/* log2 of the exact distance at the pair and of the larger norm there, each to a few digits. */
static bool get_exact(double *log2_distance, double *log2_norm, const attest_oracle *oracle,
                      const attest_place pair[2])
{
    size_t dim = oracle->dataset->dim;
    ARB_VEC(x, (slong)dim);
    ARB_VEC(y, (slong)dim);
    bool found = false;
    ARB(square, norm, z);

    for (long bits = BITS; !found && bits <= MOST_BITS; bits *= 2) {
        attest_oracle_softmax(x, oracle, pair[0], bits);
        attest_oracle_softmax(y, oracle, pair[1], bits);
        arb_zero(square), arb_zero(norm);
        for (size_t c = 0; c < dim; c++) {
            arb_addmul(norm, x + c, x + c, bits);
            arb_sub(z, x + c, y + c, bits);
            arb_addmul(square, z, z, bits);
        }
        found = arb_rel_accuracy_bits(square) > 20 && arb_rel_accuracy_bits(norm) > 20;
    }
    if (found) {
        arb_log_base_ui(z, square, 2, BITS);
        *log2_distance = arf_get_d(arb_midref(z), ARF_RND_NEAR) / 2;
        arb_log_base_ui(z, norm, 2, BITS);
        *log2_norm = arf_get_d(arb_midref(z), ARF_RND_NEAR) / 2;
    }
    return found;
}

/* Decides by exact attention whether the pair that collides is a violation. */
static attest_status judge(attest_trial *trial, const attest_instance *instance,
                           const attest_oracle *oracle, const comparison *v,
                           const attest_setting *setting, attest_error *error)
{
    attest_format format = attest_props_arithmetic_format(setting);
    double distance_bits = 0, norm_bits = 0;
    attest_filter_answer answer;

    ATTEST_TRY(attest_verdicts_get_one(&answer, instance, error));
    if (answer.verdict == ATTEST_REFUTED)
        trial->outcome = ATTEST_DISCARDED; /* the exact outputs collide as well */
    else if (answer.verdict == ATTEST_UNDECIDED ||
             !get_exact(&distance_bits, &norm_bits, oracle, v->pair))
        attest_trial_open(trial, "the exact separation is not known: %s leaves it open",
                          answer.method);
    else {
        trial->margin = fmin(distance_bits - norm_bits, -0x1p-20);
        attest_trial_violated(trial, "contextual-mapping",
                              "in %s %s; exactly they are 2^%.4g apart, 2^%.4g of their size",
                              format.name,
                              v->finite ? "the outputs are equal" : "an output is not finite",
                              distance_bits, distance_bits - norm_bits);
        trial->has_pair = true;
        trial->pair[0] = v->pair[0], trial->pair[1] = v->pair[1];
    }
    return ATTEST_OK;
}

attest_status attest_contextual_arithmetic_decide(attest_trial *trial,
                                                  const attest_instance *instance,
                                                  const attest_setting *setting,
                                                  attest_error *error)
{
    attest_format format = attest_props_arithmetic_format(setting);
    mpfr_t *out;
    comparison v;

    if (!attest_instance_fits(instance) || instance->weights.activation != ATTEST_SOFTMAX ||
        !represents_instance(&format, instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    out = get_outputs(instance, setting, error);
    if (!out)
        return ATTEST_NOMEM;
    compare_outputs(&v, out, &oracle);
    free_outputs(out, &instance->dataset);
    attest_trial_label(trial, v.collides ? "collision" : "no collision");
    attest_trial_label_layer(trial, instance);
    if (v.collides)
        return judge(trial, instance, &oracle, &v, setting, error);
    if (v.separation < INFINITY && v.scale > 0) /* in units in the last place */
        trial->margin = fmax(log2(v.separation / v.scale) + (double)format.precision, 0x1p-20);
    return ATTEST_OK;
}

/* ---- Bounds of Definition 1 that an arithmetic misjudges.
 *
 * The data are exactly (r_max, eps)-separated, by the least margin that the format has: eps is
 * the largest of its numbers below the least distance, r_max the least above the largest norm.
 * The arithmetic computes squares of norms and distances, every operation rounded, and compares
 * them with the rounded squares of the bounds. */

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

    ATTEST_TRY(gen_tokens(&vocabulary, t, &format));
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

/* Returns whether in the arithmetic the norm of token a (b = a) is below the bound, or the
 * distance of tokens a and b above it. Lowers *margin (NAN: none yet) to log2(bound / norm) or
 * log2(distance / bound), of the computed values, if that is less. */
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

/* Returns log2(|x - bound| / bound), to first order in that quotient, for the exact norm (b =
 * a) or distance x. */
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
static void compare_tokens(attest_trial *trial, const attest_instance *instance,
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
           fmpq_sgn(r_max) >= 0 && represents(format, eps) && represents(format, r_max) &&
           represents_instance(format, instance);
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
    compare_tokens(trial, instance, &format, setting->round);
    mpfr_set_emin(emin), mpfr_set_emax(emax);
    attest_trial_label_dataset(trial, &instance->dataset);
    return ATTEST_OK;
}
