/* softmax_jacobian.c -- the Jacobian of softmax is at most one half. */
#include <math.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/probabilities.h"
#include "props/properties.h"
#include "props/statement.h"

const attest_statement attest_statement_softmax_jacobian = {
    .name = "softmax_jacobian",
    .title = "The Jacobian of softmax is at most one half",
    .source = "our own",
    .text = "The largest eigenvalue of diag(p) - p p^T is at most 1/2 for every probability "
            "vector p; it is 1/2 iff p has two entries 1/2.",
    .decided_by = "exact arithmetic for rational p",
    .note = "proofs-notes/softmax_jacobian.md",
};

enum { MOST = 7 };

/* p up to a factor: entries >= 0, not all 0. */
static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    size_t count = attest_gen_size(t, 1, MOST);
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ(x, scale);

    (void)setting;
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            attest_gen_positive(x, t, 8);
        else
            attest_gen_rational(x, t, 8);
        attest_gen_scale(scale, t, 40);
        fmpq_abs(x, x);
        fmpq_mul(x, x, scale);
        ATTEST_TRY(attest_dataset_builder_add_token(&builder, x, NULL));
    }
    ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}

/* p = the entries divided by their sum; returns false if they cannot be weights. */
static bool get_probabilities(fmpq *p, const attest_dataset *dataset, size_t count)
{
    bool ok = true;
    FMPQ(sum);

    attest_scores_get(p, dataset, 0);
    for (size_t i = 0; i < count; i++) {
        ok = ok && fmpq_sgn(p + i) >= 0;
        fmpq_add(sum, sum, p + i);
    }
    ok = ok && !fmpq_is_zero(sum);
    for (size_t i = 0; ok && i < count; i++)
        fmpq_div(p + i, p + i, sum);
    return ok;
}

/* Returns whether the symmetric matrix is positive semidefinite: eliminates with positive
 * pivots until no positive diagonal entry remains; the remaining rows must be zero. Destroys m.
 */
static bool is_semidefinite(fmpq_mat_t m)
{
    slong n = fmpq_mat_nrows(m);
    bool done[MOST] = {false};
    FMPQ(factor);

    for (;;) {
        slong pivot = 0;
        while (pivot < n && (done[pivot] || fmpq_sgn(fmpq_mat_entry(m, pivot, pivot)) <= 0))
            pivot++;
        if (pivot == n)
            break;
        done[pivot] = true;
        for (slong i = 0; i < n; i++) {
            if (done[i])
                continue;
            fmpq_div(factor, fmpq_mat_entry(m, i, pivot), fmpq_mat_entry(m, pivot, pivot));
            for (slong j = 0; j < n; j++)
                fmpq_submul(fmpq_mat_entry(m, i, j), factor, fmpq_mat_entry(m, pivot, j));
        }
    }
    bool rest = true;
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            rest = rest && (done[i] || done[j] || fmpq_is_zero(fmpq_mat_entry(m, i, j)));
    return rest;
}

/* I/2 - diag(p) + p p^T is positive semidefinite. */
static bool holds(const fmpq *p, size_t count)
{
    fmpq_mat_t m;
    bool ok;

    fmpq_mat_init(m, (slong)count, (slong)count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            fmpq_mul(fmpq_mat_entry(m, (slong)i, (slong)j), p + i, p + j);
        fmpq *diagonal = fmpq_mat_entry(m, (slong)i, (slong)i);
        FMPQ(half);
        fmpq_set_si(half, 1, 2);
        fmpq_add(diagonal, diagonal, half);
        fmpq_sub(diagonal, diagonal, p + i);
    }
    ok = is_semidefinite(m);
    fmpq_mat_clear(m);
    return ok;
}

/* The largest eigenvalue, approximately, by power iteration from two coordinates. */
static double eigenvalue(const fmpq *p, size_t count)
{
    double x[MOST], q[MOST], norm = 0, value = 0;

    for (size_t i = 0; i < count; i++) {
        q[i] = fmpq_get_d(p + i);
        x[i] = i % 2 ? -1.0 - (double)i / 8 : 1;
    }
    for (int step = 0; step < 100; step++) {
        double mean = 0;
        norm = value = 0;
        for (size_t i = 0; i < count; i++)
            mean += q[i] * x[i];
        for (size_t i = 0; i < count; i++) {
            x[i] = q[i] * (x[i] - mean);
            norm += x[i] * x[i];
        }
        norm = sqrt(norm);
        if (norm == 0)
            return 0;
        for (size_t i = 0; i < count; i++)
            x[i] /= norm;
    }
    return norm;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;

    (void)setting, (void)error;
    trial->outcome = ATTEST_DISCARDED;
    if (dataset->count != 1 || dataset->dim != 1 || attest_dataset_length(dataset, 0) > MOST)
        return ATTEST_OK;
    size_t count = attest_dataset_length(dataset, 0);
    FMPQ_VEC(p, (slong)count);
    if (get_probabilities(p, dataset, count)) {
        double largest = eigenvalue(p, count);
        trial->outcome = ATTEST_HELD;
        attest_trial_label_dataset(trial, dataset);
        if (!holds(p, count)) {
            attest_trial_violated(trial, "softmax_jacobian", "an eigenvalue exceeds 1/2");
            trial->margin = fmin(log2(0.5 / largest), -0x1p-1022);
        } else if (largest > 0)
            trial->margin = fmax(log2(0.5 / largest), 0);
    }
    return ATTEST_OK;
}

const attest_property attest_property_softmax_jacobian = {
    .name = "softmax_jacobian",
    .title = "no eigenvalue of diag(p) - p p^T exceeds 1/2",
    .statement = "softmax_jacobian",
    .gen = gen,
    .decide = decide,
    .targeted = true,
    .trials = 5000,
};
