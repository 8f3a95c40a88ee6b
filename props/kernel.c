/* kernel.c -- the kernels keep the error bounds that they return. */
#include "props/kernel.h"

#include <math.h>

#include <attest/kernel.h>

#include "number/scope.h"
#include "props/exp_error.h"
#include "props/properties.h"
#include "props/statement.h"

const attest_statement attest_statement_kernel = {
    .name = "kernel",
    .title = "The kernels keep their error bounds",
    .source = "our own",
    .text =
        "Let q, k, v be n rows of d doubles each. Where a kernel returns a row of softmax(q "
        "k^T) v or hardmax(q k^T) v, with or without a causal mask, and a bound that is "
        "finite, the row is within the bound of the exact one (Euclidean norm); so two "
        "kernels agree within the sum of their bounds. Without a bound, and in a batch, the "
        "row is the same to the bit. Exponentials are within 0.60 units in the last place, "
        "and the same to the bit in all kernels.",
    .decided_by = "hardmax: exact sums; softmax: balls around exact differences of scores",
    .note = "proofs-notes/kernel-error.md",
    .machine = "steps of the bound: proofs-notes/coq/kernel_bound.v, dot_error, peak_covers, "
               "sum_error, winner, mean_square_argument, slack_norms, slack_weights; the "
               "exponential: exp_error.v, kernel_exp_error",
};

enum { BITS = 128, MOST_BITS = 1 << 12 };

/* An instance, what the kernels made of it, and the verdict. */
typedef struct examination {
    attest_answers answers;
    attest_trial *trial;
} examination;

static void examination_clear(examination *x)
{
    attest_answers_clear(&x->answers);
}

static bool fail(examination *x, size_t kernel, size_t row, const char *what)
{
    x->trial->has_pair = true;
    x->trial->pair[0] = x->trial->pair[1] = (attest_place){row, 0};
    attest_trial_violated(x->trial, "kernel", "kernel %s, row %zu: %s",
                          attest_kernel_list(kernel), row, what);
    return false;
}

/* Where a bound must be given: softmax that cannot overflow, hardmax of small integers. */
static bool must_be_bounded(const attest_answers *a)
{
    size_t size = a->rows.n * a->rows.d;

    for (size_t e = 0; e < 3 * size; e++) {
        double x = a->entry[e];
        if (fabs(x) > 0x1p400 || (a->rows.hardmax && (fabs(x) > 0x1p10 || x != nearbyint(x))))
            return false;
    }
    return true;
}

/* The rows of kernel m against each other. */
static bool agree(examination *x, size_t m, size_t i)
{
    const attest_answers *a = &x->answers;
    size_t n = a->rows.n, d = a->rows.d;
    bool ok = true;
    ARB(square, limit, u, v);

    for (size_t l = 0; l < m && ok; l++) {
        const double *one = a->out + (l * n + i) * d, *other = a->out + (m * n + i) * d;
        if (!isfinite(a->error[l * n + i]))
            continue;
        arb_zero(square);
        for (size_t c = 0; c < d; c++) {
            arb_set_d(u, one[c]), arb_set_d(v, other[c]);
            arb_sub(u, u, v, ARF_PREC_EXACT);
            arb_addmul(square, u, u, ARF_PREC_EXACT);
        }
        arb_set_d(u, a->error[l * n + i]), arb_set_d(v, a->error[m * n + i]);
        arb_add(u, u, v, ARF_PREC_EXACT);
        arb_mul(limit, u, u, ARF_PREC_EXACT);
        ok = arb_le(square, limit);
    }
    return ok || fail(x, m, i, "is further from another kernel than the sum of their bounds");
}

/* The row of kernel m against the truth. */
static bool compare(examination *x, size_t m, size_t i, attest_row *row)
{
    const attest_answers *a = &x->answers;
    size_t n = a->rows.n, d = a->rows.d;
    const double *out = a->out + (m * n + i) * d, bound = a->error[m * n + i];
    double margin = 0;
    int sign = 0;

    for (long bits = BITS; sign == 0 && bits <= MOST_BITS; bits *= 2) {
        if (bits > BITS)
            attest_row_evaluate(row, bits);
        sign = attest_row_compare(&margin, row, out, bound, bits);
    }
    if (sign < 0)
        margin = fmin(margin, -0x1p-20);
    else if (sign > 0)
        margin = fmax(margin, 0x1p-20);
    if (isfinite(margin) && !(x->trial->margin <= margin)) /* NaN: the first one */
        x->trial->margin = margin;
    if (sign < 0)
        return fail(x, m, i, "is further from the exact one than its bound says");
    if (sign == 0)
        attest_trial_open(x->trial, "row %zu: not decided at %d bits", i, MOST_BITS);
    return sign > 0;
}

static bool check_row(examination *x, size_t i, attest_row *row, bool must)
{
    const attest_answers *a = &x->answers;
    size_t n = a->rows.n, d = a->rows.d;
    bool begun = false;

    for (size_t m = 0; m < a->kernels; m++) {
        double bound = a->error[m * n + i];
        if (isnan(bound) || bound < 0)
            return fail(x, m, i, "its bound is none");
        if (isinf(bound) && must)
            return fail(x, m, i, "has no bound");
        attest_trial_label(x->trial, isinf(bound) ? "no bound" : "bounded");
        if (isinf(bound))
            continue;
        for (size_t c = 0; c < d; c++)
            if (!isfinite(a->out[(m * n + i) * d + c]))
                return fail(x, m, i, "has a bound, but is not finite");
        if (!begun)
            attest_row_begin(row, i), attest_row_evaluate(row, BITS);
        begun = true;
        if (!compare(x, m, i, row) || !agree(x, m, i))
            return false;
    }
    if (begun && a->rows.hardmax && !arb_is_one(row->weight))
        attest_trial_label(x->trial, "tie");
    return true;
}

static bool check_exp(examination *x)
{
    const attest_answers *a = &x->answers;

    for (size_t e = 0; e < 3 * a->rows.n * a->rows.d; e++) {
        int sign = attest_exp_compare(a->exp[e], a->entry[e]);
        if (sign == 0)
            attest_trial_open(x->trial, "exp(%a): not decided", a->entry[e]);
        else if (sign < 0)
            attest_trial_violated(x->trial, "kernel", "exp(%a) = %a", a->entry[e], a->exp[e]);
        if (sign <= 0)
            return false;
    }
    return true;
}

static attest_status check(examination *x)
{
    attest_row row ATTEST_CLEARED_BY(attest_row_clear);
    bool must = must_be_bounded(&x->answers);
    size_t kernel = 0;
    const char *wrong;

    ATTEST_TRY(attest_row_init(&row, &x->answers.rows));
    wrong = attest_answers_get(&x->answers, &kernel);
    if (wrong)
        fail(x, kernel, 0, wrong);
    else if (check_exp(x))
        for (size_t i = 0; i < x->answers.rows.n && check_row(x, i, &row, must); i++)
            ;
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    examination x ATTEST_CLEARED_BY(examination_clear) = {.trial = trial};
    const attest_rows *rows = &x.answers.rows;
    bool asked = false;

    (void)setting;
    (void)error;
    ATTEST_TRY(attest_answers_init(&x.answers, &asked, instance));
    if (!asked) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_trial_label(trial, rows->hardmax ? "hardmax" : "softmax");
    if (rows->causal)
        attest_trial_label(trial, "causal mask");
    if (rows->n > 8 || rows->d > 16)
        attest_trial_label(trial, "long rows");
    return check(&x);
}

const attest_property attest_property_kernel = {
    .name = "kernel",
    .title = "outputs are within the kernels' bounds of the exact ones, in every kernel",
    .statement = "kernel",
    .gen = attest_answers_gen,
    .decide = decide,
    .targeted = true,
    .trials = 3000,
};
