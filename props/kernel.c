/* kernel.c -- the kernels keep the error bounds that they return. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/kernel.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "number/scope.h"
#include "props/attention_rows.h"
#include "props/doubles.h"
#include "props/registry.h"

/* The largest number of rows, and of entries in a batch. */
enum { ANSWERS_ROWS = 64, ANSWERS_BATCH = 8 };

/* The results of all kernels for an instance. */
typedef struct answers {
    attest_rows rows;
    size_t batch, kernels;
    double *entry; /* q, k, v: n * d each */
    double *out;   /* by kernel: n * d */
    double *error; /* by kernel: n */
    double *exp;   /* of the entries */
    double *again; /* memory for a call in a batch: q, k, v, out, error */
} answers;

enum { ROWS = 40, DIM = 20, FEW_ROWS = 8, FEW_DIM = 4 };

/* Kinds of entries of a matrix. */
enum {
    INTEGERS, /* exact scores, ties */
    DYADIC,   /* short fractions */
    PLAIN,    /* 53 bits, of one scale */
    PEAKED,   /* scores in the hundreds: weights underflow */
    HUGE_ONES,
    TINY_ONES, /* products underflow */
    WIDE,      /* any double */
    EXPONENTS  /* the range of exp, and beyond */
};

/* Most of them give finite bounds. */
static const unsigned kinds[] = {INTEGERS, DYADIC, PLAIN,     PEAKED,    INTEGERS, PLAIN,
                                 PLAIN,    PEAKED, HUGE_ONES, TINY_ONES, WIDE,     EXPONENTS};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* 53 bits in (-1, 1). */
static double gen_unit(struct theft *t)
{
    double x = (double)theft_random_bits(t, 53) * 0x1p-53;

    return theft_random_bits(t, 1) ? -x : x;
}

static double gen_entry(struct theft *t, unsigned kind)
{
    switch (kind) {
    case INTEGERS:
        return (double)attest_gen_integer(t, 4);
    case DYADIC:
        return ldexp((double)attest_gen_integer(t, 100), -(int)theft_random_choice(t, 7));
    case PLAIN:
        return 4 * gen_unit(t);
    case PEAKED:
        return 40 * gen_unit(t);
    case HUGE_ONES: /* some products overflow, some do not */
        return ldexp(gen_unit(t), 500 + (int)theft_random_choice(t, 525));
    case TINY_ONES:
        return ldexp(gen_unit(t), -460 - (int)theft_random_choice(t, 100));
    case WIDE:
        return ldexp(gen_unit(t), 1024 - (int)theft_random_choice(t, 2098));
    default:
        return 750 * gen_unit(t);
    }
}

/* Sets row i to an earlier one, up to the last bit of some entries (which rounding can hide or
 * reverse) or up to a sign. */
static void gen_copy(double *row, size_t i, size_t dim, struct theft *t)
{
    const double *other = row + (size_t)theft_random_choice(t, i) * dim;
    unsigned kind = (unsigned)theft_random_choice(t, 4);
    size_t opposite = (size_t)theft_random_choice(t, dim);
    double *to = row + i * dim;

    for (size_t c = 0; c < dim; c++) {
        unsigned step = kind == 1 || kind == 2 ? (unsigned)theft_random_choice(t, 3) : 0;
        to[c] = kind == 3 && c == opposite ? -other[c] : other[c];
        if (step > 0)
            to[c] = nextafter(to[c], step == 1 ? INFINITY : -INFINITY);
        if (!isfinite(to[c]))
            to[c] = 0;
    }
}

/* n rows of one kind; in some matrices most rows are made from earlier ones. */
static void gen_rows(double *row, size_t n, size_t dim, struct theft *t)
{
    unsigned kind = kinds[theft_random_choice(t, KINDS)];
    bool copies = attest_gen_rarely(t, 3);

    for (size_t i = 0; i < n; i++) {
        if (i > 0 && copies && theft_random_choice(t, 4) > 0) {
            gen_copy(row, i, dim, t);
            continue;
        }
        for (size_t c = 0; c < dim; c++)
            row[i * dim + c] = gen_entry(t, kind);
    }
}

/* Sequence i is q_i, k_i, v_i. */
static attest_status add_rows(attest_dataset *dataset, const double *row, size_t n, size_t dim)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_REAL, NULL);

    for (size_t i = 0; i < n; i++) {
        for (size_t m = 0; m < 3; m++)
            ATTEST_TRY(
                attest_dataset_builder_add_doubles(&builder, row + (m * n + i) * dim, 1, NULL));
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(dataset, &builder, NULL);
}

/* Generates rows of doubles that are hard for a kernel. Sequence i of the dataset is the three
 * tokens q_i, k_i, v_i; without it the attention has one row and one key less. Parameters:
 * "hardmax" and "causal", 0 or 1; "batch", the number of entries in a second call of the
 * kernels. */
static attest_status gen_instance(attest_instance *instance, struct theft *t,
                                  const attest_setting *setting)
{
    bool hardmax = theft_random_bits(t, 1), causal = theft_random_bits(t, 1);
    size_t batch = attest_gen_size(t, 1, ANSWERS_BATCH);
    size_t dim = attest_gen_size(t, 1, attest_gen_rarely(t, 3) ? DIM : FEW_DIM);
    size_t n = attest_gen_size(t, 1, attest_gen_rarely(t, 3) ? ROWS : FEW_ROWS);
    double *row ATTEST_FREED = attest_memory_alloc(3 * n * dim, sizeof *row);

    (void)setting;
    if (!row)
        return ATTEST_NOMEM;
    fmpq_set_si(attest_instance_set(instance, "hardmax"), hardmax, 1);
    fmpq_set_si(attest_instance_set(instance, "causal"), causal, 1);
    fmpq_set_si(attest_instance_set(instance, "batch"), (slong)batch, 1);
    for (size_t m = 0; m < 3; m++)
        gen_rows(row + m * n * dim, n, dim, t);
    return add_rows(&instance->dataset, row, n, dim);
}

/* 0 or 1; -1: neither. */
static int flag(const attest_instance *instance, const char *name)
{
    const fmpq *value = attest_instance_get(instance, name);

    if (!value || !(fmpq_is_zero(value) || fmpq_is_one(value)))
        return -1;
    return fmpq_is_one(value);
}

/* 1 .. ANSWERS_BATCH, or 0. */
static size_t batch_of(const attest_instance *instance)
{
    const fmpq *value = attest_instance_get(instance, "batch");

    if (!value || !fmpz_is_one(fmpq_denref(value)) || fmpq_sgn(value) <= 0 ||
        fmpq_cmp_ui(value, ANSWERS_BATCH) > 0)
        return 0;
    return (size_t)fmpz_get_si(fmpq_numref(value));
}

static bool has_form(const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;

    if (dataset->count == 0 || dataset->count > ANSWERS_ROWS || dataset->dim > ANSWERS_ROWS ||
        flag(instance, "hardmax") < 0 || flag(instance, "causal") < 0 ||
        batch_of(instance) == 0)
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
    *a = (answers){0};
}

static attest_status reserve(answers *a)
{
    size_t n = a->rows.n, size = n * a->rows.d;

    a->entry = attest_memory_alloc(3 * size, sizeof *a->entry);
    a->out = attest_memory_alloc(a->kernels * size, sizeof *a->out);
    a->error = attest_memory_alloc(a->kernels * n, sizeof *a->error);
    a->exp = attest_memory_alloc(3 * size, sizeof *a->exp);
    a->again = attest_memory_alloc(a->batch * (4 * size + n), sizeof *a->again);
    a->rows.q = a->entry, a->rows.k = a->entry + size, a->rows.v = a->entry + 2 * size;
    return a->entry && a->out && a->error && a->exp && a->again ? ATTEST_OK : ATTEST_NOMEM;
}

/* The entries, row by row. *fit: they are doubles. */
static attest_status set_entries(answers *a, bool *fit, const attest_dataset *dataset)
{
    size_t n = a->rows.n, d = a->rows.d;
    double *table ATTEST_FREED = attest_memory_alloc(dataset->tokens.count * d, sizeof *table);

    if (!table)
        return ATTEST_NOMEM;
    *fit = attest_doubles_get_tokens(table, &dataset->tokens);
    for (size_t i = 0; *fit && i < n; i++)
        for (size_t m = 0; m < 3; m++)
            memcpy(a->entry + (m * n + i) * d, table + attest_dataset_token(dataset, i, m) * d,
                   d * sizeof *table);
    return ATTEST_OK;
}

/* Sets *fits = false if the instance does not have that form, or is not made of doubles. Clear
 * answers in any case. Status: NOMEM. */
static attest_status answers_init(answers *a, bool *fits, const attest_instance *instance)
{
    *a = (answers){0};
    *fits = has_form(instance);
    if (!*fits)
        return ATTEST_OK;
    a->rows = (attest_rows){.n = instance->dataset.count,
                            .d = instance->dataset.dim,
                            .hardmax = flag(instance, "hardmax") > 0,
                            .causal = flag(instance, "causal") > 0};
    a->batch = batch_of(instance);
    while (attest_kernel_list(a->kernels))
        a->kernels++;
    ATTEST_TRY(reserve(a));
    return set_entries(a, fits, &instance->dataset);
}

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

/* Returns whether x and y have the same bits, or are both NaN. */
static bool same(const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(x + i, y + i, sizeof *x) != 0 && !(isnan(x[i]) && isnan(y[i])))
            return false;
    return true;
}

/* Calls the selected kernel again: without bounds, and as the last entry of a batch whose other
 * entries have the same rows in another order. */
static const char *ask_again(answers *a, size_t kernel)
{
    size_t n = a->rows.n, d = a->rows.d, size = n * d, last = a->batch - 1;
    double *q = a->again, *k = q + a->batch * size, *v = k + a->batch * size;
    double *out = v + a->batch * size, *error = out + a->batch * size;
    attention *attend = attention_of(&a->rows);

    attend(out, a->rows.q, a->rows.k, a->rows.v, 1, n, d, NULL);
    if (!same(out, a->out + kernel * size, size))
        return "the outputs are others without error bounds";
    for (size_t b = 0; b < a->batch; b++)
        for (size_t i = 0; i < n; i++) {
            size_t from = (b == last ? i : (i + b + 1) % n) * d, to = b * size + i * d;
            memcpy(q + to, a->rows.q + from, d * sizeof *q);
            memcpy(k + to, a->rows.k + from, d * sizeof *q);
            memcpy(v + to, a->rows.v + from, d * sizeof *q);
        }
    attend(out, q, k, v, a->batch, n, d, error);
    if (!same(out + last * size, a->out + kernel * size, size))
        return "the outputs are others in a batch";
    if (!same(error + last * n, a->error + kernel * n, n))
        return "the bounds are others in a batch";
    return NULL;
}

/* The kernel of this number. */
static const char *ask(answers *a, size_t kernel)
{
    size_t n = a->rows.n, d = a->rows.d, size = n * d;
    const char *wrong;

    if (attest_kernel_select(attest_kernel_list(kernel)) != ATTEST_OK)
        return "it cannot be selected";
    attention_of (&a->rows)(a->out + kernel * size, a->rows.q, a->rows.k, a->rows.v, 1, n, d,
                            a->error + kernel * n);
    wrong = ask_again(a, kernel);
    if (wrong)
        return wrong;
    attest_kernel_exp(kernel == 0 ? a->exp : a->again, a->entry, 3 * size);
    return kernel == 0 || same(a->again, a->exp, 3 * size)
               ? NULL
               : "an exponential differs from that of another kernel";
}

/* Runs every kernel, and selects the current one again. Returns NULL, or a message about kernel
 * *kernel: its outputs without bounds or in a batch differ from those with bounds, or its
 * exponentials from those of the first kernel. */
static const char *answers_get(answers *a, size_t *kernel)
{
    const char *before = attest_kernel_name(), *wrong = NULL;

    for (*kernel = 0; *kernel < a->kernels; ++*kernel) {
        wrong = ask(a, *kernel);
        if (wrong)
            break;
    }
    if (attest_kernel_select(before) != ATTEST_OK)
        return "the kernel that was in use cannot be selected again";
    return wrong;
}

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

/* An instance, the results of the kernels, and the verdict. */
typedef struct examination {
    answers answers;
    attest_trial *trial;
} examination;

static void examination_clear(examination *x)
{
    answers_clear(&x->answers);
}

static bool fail(examination *x, size_t kernel, size_t row, const char *what)
{
    x->trial->has_pair = true;
    x->trial->pair[0] = x->trial->pair[1] = (attest_place){row, 0};
    attest_trial_violated(x->trial, "kernel", "kernel %s, row %zu: %s",
                          attest_kernel_list(kernel), row, what);
    return false;
}

/* Returns whether a kernel must return a finite bound: softmax without overflow, or hardmax of
 * small integers. */
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

/* Compares the rows of kernel m with each other. */
static bool agree(examination *x, size_t m, size_t i)
{
    const answers *a = &x->answers;
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

/* Compares the row of kernel m with the true one. */
static bool compare(examination *x, size_t m, size_t i, attest_row *row)
{
    const answers *a = &x->answers;
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
        return fail(x, m, i, "is farther from the exact one than its bound");
    if (sign == 0)
        attest_trial_open(x->trial, "row %zu: not decided at %d bits", i, MOST_BITS);
    return sign > 0;
}

static bool check_row(examination *x, size_t i, attest_row *row, bool must)
{
    const answers *a = &x->answers;
    size_t n = a->rows.n, d = a->rows.d;
    bool begun = false;

    for (size_t m = 0; m < a->kernels; m++) {
        double bound = a->error[m * n + i];
        if (isnan(bound) || bound < 0)
            return fail(x, m, i, "has a bound that is negative or NaN");
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
    const answers *a = &x->answers;

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
    wrong = answers_get(&x->answers, &kernel);
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
    bool fits = false;

    (void)setting;
    (void)error;
    ATTEST_TRY(answers_init(&x.answers, &fits, instance));
    if (!fits) {
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
    .gen = gen_instance,
    .decide = decide,
    .targeted = true,
    .trials = 3000,
};
