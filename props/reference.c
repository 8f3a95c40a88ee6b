/* reference.c -- the number systems agree: exact, balls, MPFR and doubles. */
#include <math.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/interval_attention.h"
#include "props/oracle.h"
#include "props/registry.h"
#include "props/sample.h"

const attest_statement attest_statement_reference = {
    .name = "reference",
    .title = "The number systems agree on one layer",
    .source = "our own",
    .text =
        "For every sequence and all weights the exact output lies in the ball; and intervals "
        "of "
        "p-bit MPFR numbers, every operation rounded outward in the order of "
        "doc/arithmetic.md, "
        "contain the exact output, the output of p-bit arithmetic in each rounding mode and, "
        "for "
        "p = 53 and an exp within one ulp, that of hardware doubles which neither overflow nor "
        "underflow. (Hardmax: where rounding cannot change who wins.)",
    .decided_by = "exact arithmetic for hardmax, balls of another precision for softmax",
    .note = "proofs-notes/reference.md",
};

/* Weights of e^-2000 count at DEEP_BITS. */
enum { BALL_BITS = 64, WIDE_BITS = 320, DEEP_BITS = 4096, DOUBLE_BITS = 53, MOST_BITS = 120 };

/* Which checks are made; decide makes all. */
typedef struct scope {
    bool deep;        /* balls of DEEP_BITS */
    int first, modes; /* the first rounding mode, and how many */
} scope;

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 4, .count_min = 2, .count_max = 6, .zero = true, .decades = 40},
    .sequences = {.count_min = 1,
                  .count_max = 2,
                  .length_min = 1,
                  .length_max = 6,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 3,
              .size_max = 3,
              .decades = 40,
              .score_limit = 100,
              .gaps = ATTEST_GEN_HUGE},
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    (void)setting;
    fmpq_set_si(attest_instance_set(instance, "bits"), (slong)attest_gen_size(t, 2, MOST_BITS),
                1);
    return attest_gen_data_and_weights(instance, t, &kind);
}

/* One sequence that is checked. */
typedef struct examination {
    const attest_instance *instance;
    const attest_oracle *oracle;
    size_t index; /* of the sequence */
    const attest_sequence *sequence;
    size_t count;  /* length * dim */
    arb_ptr truth; /* the oracle's outputs, */
    fmpq *exact;   /* and for hardmax as rationals */
    arb_ptr ball;
    scope scope;
    attest_trial *trial;
    attest_error *error;
} examination;

static bool fail(examination *x, size_t i, const char *what)
{
    x->trial->has_pair = true;
    x->trial->pair[0] = x->trial->pair[1] = (attest_place){x->index, i / x->sequence->dim};
    attest_trial_violated(x->trial, "reference", "entry %zu of token %zu of sequence %zu: %s",
                          i % x->sequence->dim, i / x->sequence->dim, x->index, what);
    return false;
}

/* Handles a failed evaluation: the trial is open if memory ran out, else violated. */
static bool fail_status(examination *x, attest_status status, const char *what)
{
    if (status != ATTEST_NOMEM)
        return fail(x, 0, what);
    attest_trial_open(x->trial, "out of memory");
    return false;
}

/* Hardmax: checks that the rationals of the library are those of the oracle. */
static bool check_exact(examination *x)
{
    size_t dim = x->sequence->dim;
    FMPQ_VEC(out, (slong)x->count);
    attest_status status =
        attest_attention_exact(out, &x->instance->weights, x->sequence, x->error);

    for (size_t k = 0; k < x->sequence->length; k++)
        attest_oracle_hardmax(x->exact + k * dim, x->oracle, (attest_place){x->index, k});
    if (status != ATTEST_OK)
        return fail_status(x, status, "exact evaluation fails");
    for (size_t i = 0; i < x->count; i++) {
        arb_set_fmpq(x->truth + i, x->exact + i, WIDE_BITS);
        if (!fmpq_equal(out + i, x->exact + i))
            return fail(x, i, "exact evaluation differs from the definition");
    }
    return true;
}

/* Checks that the balls of the library contain the rationals of the oracle, or meet its narrow
 * balls. */
static bool check_balls(examination *x, long bits)
{
    attest_status status =
        attest_attention_ball(x->ball, &x->instance->weights, x->sequence, bits, x->error);

    if (status != ATTEST_OK)
        return fail_status(x, status, "ball evaluation fails");
    for (size_t i = 0; i < x->count; i++)
        if (x->exact && !arb_contains_fmpq(x->ball + i, x->exact + i))
            return fail(x, i, "the ball does not contain the exact value");
        else if (!x->exact && !arb_overlaps(x->truth + i, x->ball + i))
            return fail(x, i, "the ball does not contain the value of the definition");
    return true;
}

static bool check_mode(examination *x, const attest_interval *interval, const bool *known,
                       const attest_format *format, mpfr_rnd_t mode)
{
    MPFR_VEC(format->precision, out, x->count);
    attest_status status = out ? attest_attention_mpfr(out, &x->instance->weights, x->sequence,
                                                       format, mode, x->error)
                               : ATTEST_NOMEM;

    if (status != ATTEST_OK)
        return fail_status(x, status, "MPFR evaluation fails");
    for (size_t i = 0; i < x->count; i++)
        if (known[i / x->sequence->dim] && attest_interval_is_finite(interval + i) &&
            !attest_interval_contains(interval + i, out[i]))
            return fail(x, i, "MPFR is not between directed roundings");
    return true;
}

static bool check_double(examination *x, const attest_interval *interval, const bool *known)
{
    double *out ATTEST_FREED = attest_memory_alloc(x->count, sizeof *out);
    attest_status status =
        out ? attest_attention_double(out, &x->instance->weights, x->sequence, x->error)
            : ATTEST_NOMEM;
    MPFR(DOUBLE_BITS, value);

    if (status != ATTEST_OK)
        return fail_status(x, status, "double evaluation fails");
    for (size_t i = 0; i < x->count; i++) {
        mpfr_set_d(value, out[i], MPFR_RNDN);
        if (known[i / x->sequence->dim] && attest_interval_is_finite(interval + i) &&
            !attest_interval_contains(interval + i, value))
            return fail(x, i, "double is not between directed roundings");
    }
    return true;
}

/* Checks that the exact value is between directed roundings at `bits`, and so is the result of
 * p-bit arithmetic (bits > 0) or of the hardware (bits = 0). */
static bool check_rounding(examination *x, long bits)
{
    size_t count = x->count, length = x->sequence->length;
    attest_interval *interval =
        attest_intervals_alloc(count, bits ? (mpfr_prec_t)bits : DOUBLE_BITS);
    bool *known ATTEST_FREED = attest_memory_alloc(length, sizeof *known);
    attest_format format = {.precision = bits};
    bool ok = interval && known &&
              attest_interval_attention(interval, known, &x->instance->weights, x->sequence,
                                        bits ? 0 : 1) == ATTEST_OK;

    if (!ok)
        fail_status(x, ATTEST_NOMEM, "");
    for (size_t i = 0; ok && i < count; i++)
        if (!known[i / x->sequence->dim])
            attest_trial_label(x->trial, "rounding may change who wins");
        else if (attest_interval_is_finite(interval + i) &&
                 !attest_interval_overlaps(interval + i, x->truth + i))
            ok = fail(x, i, "the exact value is not between directed roundings");
    if (!bits)
        ok = ok && check_double(x, interval, known);
    for (int m = 0; bits && ok && m < x->scope.modes; m++)
        ok = check_mode(x, interval, known, &format, (mpfr_rnd_t)(x->scope.first + m));
    attest_intervals_free(interval, count);
    return ok;
}

/* The exponent e of 2^(e-1) <= |x| < 2^e is within the limit, or x = 0. */
static bool is_moderate(const fmpz_t numerator, const fmpz_t denominator, slong limit)
{
    slong e = (slong)fmpz_bits(numerator) - (slong)fmpz_bits(denominator);

    return fmpz_is_zero(numerator) || (e <= limit && e >= -limit);
}

static bool is_moderate_matrix(const attest_matrix *m, slong limit)
{
    if (!m->factored) {
        for (size_t i = 0; i < m->rows * m->cols; i++)
            if (!is_moderate(m->entry + i, m->denominator, limit))
                return false;
        return true;
    }
    for (size_t i = 0; i < m->rows; i++)
        if (!is_moderate(m->u + i, m->u_denominator, limit / 2))
            return false;
    for (size_t i = 0; i < m->cols; i++)
        if (!is_moderate(m->v + i, m->v_denominator, limit / 2))
            return false;
    return true;
}

/* No double can overflow or become subnormal: entries are 0 or within 2^+-60, and no score that
 * exp sees is above 200 in absolute value (proofs-notes/reference.md). */
static bool fits_double(const attest_oracle *oracle, const attest_sequence *sequence)
{
    enum { LIMIT = 60, MOST_SCORE = 200 };
    const attest_weights *weights = oracle->weights;

    for (size_t i = 0; i < sequence->length * sequence->dim; i++)
        if (!is_moderate(sequence->entry + i, sequence->denominator, LIMIT))
            return false;
    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = weights->head + h;
        if (!is_moderate_matrix(&head->wq, LIMIT) || !is_moderate_matrix(&head->wk, LIMIT) ||
            !is_moderate_matrix(&head->wv, LIMIT) || !is_moderate_matrix(&head->wo, LIMIT))
            return false;
        for (slong j = 0; j < (slong)oracle->dataset->tokens.count; j++)
            for (slong k = 0; k < (slong)oracle->dataset->tokens.count; k++) {
                const fmpq *score = fmpq_mat_entry(oracle->scores[h], j, k);
                if (weights->activation == ATTEST_SOFTMAX &&
                    (fmpq_cmp_si(score, MOST_SCORE) > 0 || fmpq_cmp_si(score, -MOST_SCORE) < 0))
                    return false;
            }
    }
    return true;
}

static void examine(examination *x, long bits)
{
    if (x->exact && !check_exact(x))
        return;
    for (size_t k = 0; !x->exact && k < x->sequence->length; k++)
        attest_oracle_softmax(x->truth + k * x->sequence->dim, x->oracle,
                              (attest_place){x->index, k},
                              x->scope.deep ? DEEP_BITS : WIDE_BITS);
    if (!check_balls(x, BALL_BITS) || !check_balls(x, WIDE_BITS) ||
        (x->scope.deep && !check_balls(x, DEEP_BITS)) || !check_rounding(x, bits) ||
        !fits_double(x->oracle, x->sequence))
        return;
    attest_trial_label(x->trial, "compared with hardware");
    (void)check_rounding(x, 0);
}

static attest_status decide_by(attest_trial *trial, const attest_instance *instance,
                               scope asked, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;
    const fmpq *bits = attest_instance_get(instance, "bits");

    if (!attest_instance_fits(instance) || !bits || !fmpz_is_one(fmpq_denref(bits)) ||
        fmpq_cmp_ui(bits, 1) < 0 || fmpq_cmp_ui(bits, 1 << 20) > 0) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, dataset, &instance->weights));
    for (size_t i = 0; trial->outcome == ATTEST_HELD && i < dataset->count; i++) {
        size_t count = attest_dataset_length(dataset, i) * dataset->dim;
        ATTEST_SCOPED(attest_sequence, sequence);
        ARB_VEC(truth, (slong)count);
        ARB_VEC(ball, (slong)count);
        FMPQ_VEC(exact, (slong)count);
        examination x = {.instance = instance,
                         .oracle = &oracle,
                         .index = i,
                         .sequence = &sequence,
                         .count = count,
                         .truth = truth,
                         .exact = instance->weights.activation == ATTEST_HARDMAX ? exact : NULL,
                         .ball = ball,
                         .scope = asked,
                         .trial = trial,
                         .error = error};

        ATTEST_TRY(attest_dataset_get_sequence(&sequence, dataset, i, NULL, error));
        examine(&x, fmpz_get_si(fmpq_numref(bits)));
    }
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

enum { ALL_MODES = MPFR_RNDA - MPFR_RNDN + 1, DEEP_SHARE = 8 };

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    scope everything = {.deep = true, .first = MPFR_RNDN, .modes = ALL_MODES};

    (void)setting;
    return decide_by(trial, instance, everything, error);
}

/* Checks everything for a sample of the instances, and one rounding mode for the others, few of
 * them with many bits. */
static attest_status decide_many(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **memory, const attest_setting *setting,
                                 attest_error *error)
{
    (void)memory;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = attest_sample_number(&instance[i]);
        size_t choice = attest_sample_choose(number, (size_t)ALL_MODES * DEEP_SHARE);
        scope one = {.deep = choice / ALL_MODES == 0,
                     .first = MPFR_RNDN + (int)(choice % ALL_MODES),
                     .modes = 1};

        if (attest_sample_takes(number)) {
            attest_trial_label(&trial[i], ATTEST_SAMPLE_LABEL);
            ATTEST_TRY(decide(&trial[i], &instance[i], setting, error));
        } else {
            ATTEST_TRY(decide_by(&trial[i], &instance[i], one, error));
        }
    }
    return ATTEST_OK;
}

const attest_property attest_property_reference = {
    .name = "reference",
    .title = "exact, balls, MPFR and doubles agree within proved bounds",
    .statement = "reference",
    .gen = gen,
    .decide = decide,
    .decide_many = decide_many,
    .coverage = attest_coverage_layers,
    .trials = 5000,
};
