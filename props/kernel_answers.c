/* kernel_answers.c -- what the kernels make of an instance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/kernel.h>

#include "base/memory.h"
#include "base/scope.h"
#include "props/doubles.h"
#include "props/kernel.h"

/* 0 or 1; -1: neither. */
static int flag(const attest_instance *instance, const char *name)
{
    const fmpq *value = attest_instance_get(instance, name);

    if (!value || !(fmpq_is_zero(value) || fmpq_is_one(value)))
        return -1;
    return fmpq_is_one(value);
}

/* 1 .. ATTEST_ANSWERS_BATCH, or 0. */
static size_t batch_of(const attest_instance *instance)
{
    const fmpq *value = attest_instance_get(instance, "batch");

    if (!value || !fmpz_is_one(fmpq_denref(value)) || fmpq_sgn(value) <= 0 ||
        fmpq_cmp_ui(value, ATTEST_ANSWERS_BATCH) > 0)
        return 0;
    return (size_t)fmpz_get_si(fmpq_numref(value));
}

static bool is_asked(const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;

    if (dataset->count == 0 || dataset->count > ATTEST_ANSWERS_ROWS ||
        dataset->dim > ATTEST_ANSWERS_ROWS || flag(instance, "hardmax") < 0 ||
        flag(instance, "causal") < 0 || batch_of(instance) == 0)
        return false;
    for (size_t i = 0; i < dataset->count; i++)
        if (attest_dataset_length(dataset, i) != 3)
            return false;
    return true;
}

void attest_answers_clear(attest_answers *a)
{
    free(a->entry);
    free(a->out);
    free(a->error);
    free(a->exp);
    free(a->again);
    *a = (attest_answers){0};
}

static attest_status reserve(attest_answers *a)
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
static attest_status set_entries(attest_answers *a, bool *fit, const attest_dataset *dataset)
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

attest_status attest_answers_init(attest_answers *a, bool *asked,
                                  const attest_instance *instance)
{
    *a = (attest_answers){0};
    *asked = is_asked(instance);
    if (!*asked)
        return ATTEST_OK;
    a->rows = (attest_rows){.n = instance->dataset.count,
                            .d = instance->dataset.dim,
                            .hardmax = flag(instance, "hardmax") > 0,
                            .causal = flag(instance, "causal") > 0};
    a->batch = batch_of(instance);
    while (attest_kernel_list(a->kernels))
        a->kernels++;
    ATTEST_TRY(reserve(a));
    return set_entries(a, asked, &instance->dataset);
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
static const char *ask_again(attest_answers *a, size_t kernel)
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
static const char *ask(attest_answers *a, size_t kernel)
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

const char *attest_answers_get(attest_answers *a, size_t *kernel)
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
