/* kernel.c -- the kernels keep the error bounds that they return. */
#include "props/kernel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/kernel.h>

#include "base/memory.h"
#include "props/attention_rows.h"
#include "props/doubles.h"
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

/* What the kernels made of an instance. */
typedef struct answers {
    attest_rows rows;
    size_t batch, kernels;
    double *entry; /* q, k, v: n * d each */
    double *out;   /* by kernel: n * d */
    double *error; /* by kernel: n */
    double *exp;   /* of the entries, by any kernel */
    double *again; /* a call in a batch: q, k, v, out, error */
    attest_trial *trial;
} answers;

typedef void attention(double *out, const double *q, const double *k, const double *v,
                       size_t batch, size_t n, size_t d, double *error);

static attention *attention_of(const attest_rows *rows)
{
    if (rows->hardmax)
        return rows->causal ? attest_kernel_hardmax_attention_causal
                            : attest_kernel_hardmax_attention;
    return rows->causal ? attest_kernel_softmax_attention_causal
                        : attest_kernel_softmax_attention;
}

static bool fail(answers *a, size_t kernel, size_t row, const char *what)
{
    a->trial->has_pair = true;
    a->trial->pair[0] = a->trial->pair[1] = (attest_place){row, 0};
    attest_trial_violated(a->trial, "kernel", "kernel %s, row %zu: %s",
                          attest_kernel_list(kernel), row, what);
    return false;
}

/* The same bits, or NaN both. */
static bool same(const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(x + i, y + i, sizeof *x) != 0 && !(isnan(x[i]) && isnan(y[i])))
            return false;
    return true;
}

/* The kernel in use once more: without bounds, and as the last entry of a batch whose others
 * have the same rows in another order. */
static bool ask_again(answers *a, size_t kernel)
{
    size_t n = a->rows.n, d = a->rows.d, size = n * d, last = a->batch - 1;
    double *q = a->again, *k = q + a->batch * size, *v = k + a->batch * size;
    double *out = v + a->batch * size, *error = out + a->batch * size;

    attention_of (&a->rows)(out, a->rows.q, a->rows.k, a->rows.v, 1, n, d, NULL);
    if (!same(out, a->out + kernel * size, size))
        return fail(a, kernel, 0, "the outputs are others without error bounds");
    for (size_t b = 0; b < a->batch; b++)
        for (size_t i = 0; i < n; i++) {
            size_t from = (b == last ? i : (i + b + 1) % n) * d, to = b * size + i * d;
            memcpy(q + to, a->rows.q + from, d * sizeof *q);
            memcpy(k + to, a->rows.k + from, d * sizeof *q);
            memcpy(v + to, a->rows.v + from, d * sizeof *q);
        }
    attention_of (&a->rows)(out, q, k, v, a->batch, n, d, error);
    if (!same(out + last * size, a->out + kernel * size, size))
        return fail(a, kernel, 0, "the outputs are others in a batch");
    for (size_t i = 0; i < n; i++) { /* both bounds must hold: the smaller one is checked */
        double *bound = a->error + kernel * n + i;
        *bound = !(error[last * n + i] >= *bound) ? error[last * n + i] : *bound;
    }
    return true;
}

/* All kernels, one after another. */
static bool ask_kernels(answers *a)
{
    size_t n = a->rows.n, d = a->rows.d, size = n * d;
    const char *before = attest_kernel_name();
    bool ok = true;

    for (size_t m = 0; m < a->kernels && ok; m++) {
        if (attest_kernel_select(attest_kernel_list(m)) != ATTEST_OK)
            return fail(a, m, 0, "cannot be selected");
        attention_of (&a->rows)(a->out + m * size, a->rows.q, a->rows.k, a->rows.v, 1, n, d,
                                a->error + m * n);
        ok = ask_again(a, m);
        attest_kernel_exp(m == 0 ? a->exp : a->again, a->entry, 3 * size);
        if (ok && m > 0 && !same(a->again, a->exp, 3 * size))
            ok = fail(a, m, 0, "an exponential differs from that of another kernel");
    }
    if (attest_kernel_select(before) != ATTEST_OK)
        return fail(a, 0, 0, "the kernel that was in use cannot be selected again");
    return ok;
}

/* Where a bound must be given: softmax that cannot overflow, hardmax of small integers. */
static bool must_be_bounded(const answers *a)
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
static bool agree(answers *a, size_t m, size_t i)
{
    size_t n = a->rows.n, d = a->rows.d;
    arb_t square, limit, x, y;
    bool ok = true;

    arb_init(square), arb_init(limit), arb_init(x), arb_init(y);
    for (size_t l = 0; l < m && ok; l++) {
        const double *one = a->out + (l * n + i) * d, *other = a->out + (m * n + i) * d;
        if (!isfinite(a->error[l * n + i]))
            continue;
        arb_zero(square);
        for (size_t c = 0; c < d; c++) {
            arb_set_d(x, one[c]), arb_set_d(y, other[c]);
            arb_sub(x, x, y, ARF_PREC_EXACT);
            arb_addmul(square, x, x, ARF_PREC_EXACT);
        }
        arb_set_d(x, a->error[l * n + i]), arb_set_d(y, a->error[m * n + i]);
        arb_add(x, x, y, ARF_PREC_EXACT);
        arb_mul(limit, x, x, ARF_PREC_EXACT);
        ok = arb_le(square, limit);
    }
    arb_clear(square), arb_clear(limit), arb_clear(x), arb_clear(y);
    return ok || fail(a, m, i, "is further from another kernel than the sum of their bounds");
}

/* The row of kernel m against the truth. */
static bool compare(answers *a, size_t m, size_t i, attest_row *row)
{
    size_t n = a->rows.n, d = a->rows.d;
    const double *out = a->out + (m * n + i) * d, bound = a->error[m * n + i];
    double margin = 0;
    int sign = 0;

    for (long bits = BITS; sign == 0 && bits <= MOST_BITS; bits *= 2) {
        if (bits > BITS || m == 0)
            attest_row_evaluate(row, bits);
        sign = attest_row_compare(&margin, row, out, bound, bits);
    }
    if (sign < 0)
        margin = fmin(margin, -0x1p-20);
    else if (sign > 0)
        margin = fmax(margin, 0x1p-20);
    if (isfinite(margin) && !(a->trial->margin <= margin)) /* NaN: the first one */
        a->trial->margin = margin;
    if (sign < 0)
        return fail(a, m, i, "is further from the exact one than its bound says");
    if (sign == 0)
        attest_trial_open(a->trial, "row %zu: not decided at %d bits", i, MOST_BITS);
    return sign > 0;
}

static bool check_row(answers *a, size_t i, attest_row *row, bool must)
{
    size_t n = a->rows.n, d = a->rows.d;
    bool begun = false;

    for (size_t m = 0; m < a->kernels; m++) {
        double bound = a->error[m * n + i];
        if (isnan(bound) || bound < 0)
            return fail(a, m, i, "its bound is none");
        if (isinf(bound) && must)
            return fail(a, m, i, "has no bound");
        attest_trial_label(a->trial, isinf(bound) ? "no bound" : "bounded");
        if (isinf(bound))
            continue;
        for (size_t c = 0; c < d; c++)
            if (!isfinite(a->out[(m * n + i) * d + c]))
                return fail(a, m, i, "has a bound, but is not finite");
        if (!begun)
            attest_row_begin(row, i), attest_row_evaluate(row, BITS);
        begun = true;
        if (!compare(a, m, i, row) || !agree(a, m, i))
            return false;
    }
    if (begun && a->rows.hardmax && !arb_is_one(row->weight))
        attest_trial_label(a->trial, "tie");
    return true;
}

static bool check_exp(answers *a)
{
    for (size_t e = 0; e < 3 * a->rows.n * a->rows.d; e++) {
        int sign = attest_exp_compare(a->exp[e], a->entry[e]);
        if (sign == 0)
            attest_trial_open(a->trial, "exp(%a): not decided", a->entry[e]);
        else if (sign < 0)
            attest_trial_violated(a->trial, "kernel", "exp(%a) = %a", a->entry[e], a->exp[e]);
        if (sign <= 0)
            return false;
    }
    return true;
}

static attest_status check(answers *a)
{
    attest_row row;
    attest_status status = attest_row_init(&row, &a->rows);
    bool must = must_be_bounded(a);

    if (status == ATTEST_OK && ask_kernels(a) && check_exp(a))
        for (size_t i = 0; i < a->rows.n && check_row(a, i, &row, must); i++)
            ;
    attest_row_clear(&row);
    return status;
}

/* 0 or 1; -1: neither. */
static int flag(const attest_instance *instance, const char *name)
{
    const fmpq *value = attest_instance_get(instance, name);

    if (!value || !(fmpq_is_zero(value) || fmpq_is_one(value)))
        return -1;
    return fmpq_is_one(value);
}

/* 1 .. ATTEST_KERNEL_BATCH, or 0. */
static size_t batch_of(const attest_instance *instance)
{
    const fmpq *value = attest_instance_get(instance, "batch");

    if (!value || !fmpz_is_one(fmpq_denref(value)) || fmpq_sgn(value) <= 0 ||
        fmpq_cmp_ui(value, ATTEST_KERNEL_BATCH) > 0)
        return 0;
    return (size_t)fmpz_get_si(fmpq_numref(value));
}

static bool is_asked(const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;

    if (dataset->count == 0 || dataset->count > ATTEST_KERNEL_ROWS ||
        dataset->dim > ATTEST_KERNEL_ROWS || flag(instance, "hardmax") < 0 ||
        flag(instance, "causal") < 0 || batch_of(instance) == 0)
        return false;
    for (size_t i = 0; i < dataset->count; i++)
        if (attest_dataset_length(dataset, i) != 3)
            return false;
    return true;
}

static void answers_clear(answers *a)
{
    free(a->entry);
    free(a->out);
    free(a->error);
    free(a->exp);
    free(a->again);
}

static attest_status answers_init(answers *a, const attest_instance *instance)
{
    size_t n = instance->dataset.count, d = instance->dataset.dim, size = n * d;

    *a = (answers){.rows = {.n = n,
                            .d = d,
                            .hardmax = flag(instance, "hardmax") > 0,
                            .causal = flag(instance, "causal") > 0},
                   .batch = batch_of(instance)};
    while (attest_kernel_list(a->kernels))
        a->kernels++;
    a->entry = attest_memory_alloc(3 * size, sizeof *a->entry);
    a->out = attest_memory_alloc(a->kernels * size, sizeof *a->out);
    a->error = attest_memory_alloc(a->kernels * n, sizeof *a->error);
    a->exp = attest_memory_alloc(3 * size, sizeof *a->exp);
    a->again = attest_memory_alloc(a->batch * (4 * size + n), sizeof *a->again);
    a->rows.q = a->entry, a->rows.k = a->entry + size, a->rows.v = a->entry + 2 * size;
    return a->entry && a->out && a->error && a->exp && a->again ? ATTEST_OK : ATTEST_NOMEM;
}

/* The entries, row by row. *fits: they are doubles. */
static attest_status set_entries(answers *a, bool *fits, const attest_dataset *dataset)
{
    size_t n = a->rows.n, d = a->rows.d;
    double *table = attest_memory_alloc(dataset->tokens.count * d, sizeof *table);

    if (!table)
        return ATTEST_NOMEM;
    *fits = attest_doubles_get_tokens(table, &dataset->tokens);
    for (size_t i = 0; *fits && i < n; i++)
        for (size_t m = 0; m < 3; m++)
            memcpy(a->entry + (m * n + i) * d, table + attest_dataset_token(dataset, i, m) * d,
                   d * sizeof *table);
    free(table);
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_status status;
    bool fits = false;
    answers a;

    (void)setting;
    (void)error;
    trial->outcome = ATTEST_DISCARDED;
    if (!is_asked(instance))
        return ATTEST_OK;
    status = answers_init(&a, instance);
    a.trial = trial;
    if (status == ATTEST_OK)
        status = set_entries(&a, &fits, &instance->dataset);
    if (status == ATTEST_OK && fits) {
        trial->outcome = ATTEST_HELD;
        attest_trial_label(trial, a.rows.hardmax ? "hardmax" : "softmax");
        if (a.rows.causal)
            attest_trial_label(trial, "causal mask");
        if (a.rows.n > 8 || a.rows.d > 16)
            attest_trial_label(trial, "long rows");
        status = check(&a);
    }
    answers_clear(&a);
    return status;
}

const attest_property attest_property_kernel = {
    .name = "kernel",
    .title = "outputs are within the kernels' bounds of the exact ones, in every kernel",
    .statement = "kernel",
    .gen = attest_kernel_gen,
    .decide = decide,
    .targeted = true,
    .trials = 1000,
};
