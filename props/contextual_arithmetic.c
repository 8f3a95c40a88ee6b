/* contextual_arithmetic.c -- inputs that an arithmetic cannot tell apart, though they differ.
 *
 * Tokens and weights are numbers of the arithmetic. It violates Definition 2 where two outputs
 * of a required pair are equal in it, or one is not finite; that the exact outputs differ is
 * certified. */
#include <math.h>
#include <stdio.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/arithmetic.h"
#include "props/oracle.h"
#include "props/verdicts.h"

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

    ATTEST_TRY(attest_props_arithmetic_gen_tokens(&vocabulary, t, &format));
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

/* The outputs in the arithmetic, compared. */
typedef struct verdict {
    bool finite;          /* all outputs are finite */
    bool collides;        /* a required pair has equal outputs, or one that is not finite; */
    attest_place pair[2]; /* the first such pair */
    double separation;    /* the least one of required pairs, */
    double scale;         /* and the largest entry of an output, in absolute value */
} verdict;

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

static void look(verdict *v, const mpfr_t *out, const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    attest_place a = {0, 0};

    *v = (verdict){.finite = true, .separation = INFINITY};
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
                           const attest_oracle *oracle, const verdict *v,
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
    verdict v;

    if (!attest_instance_fits(instance) || instance->weights.activation != ATTEST_SOFTMAX ||
        !attest_props_arithmetic_represents_instance(&format, instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    out = attest_props_arithmetic_outputs(instance, setting, error);
    if (!out)
        return ATTEST_NOMEM;
    look(&v, out, &oracle);
    attest_props_arithmetic_free(out, &instance->dataset);
    attest_trial_label(trial, v.collides ? "collision" : "no collision");
    attest_trial_label_layer(trial, instance);
    if (v.collides)
        return judge(trial, instance, &oracle, &v, setting, error);
    if (v.separation < INFINITY && v.scale > 0) /* in units in the last place */
        trial->margin = fmax(log2(v.separation / v.scale) + (double)format.precision, 0x1p-20);
    return ATTEST_OK;
}
