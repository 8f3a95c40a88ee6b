/* scalar.c -- the portable kernel: plain multiply and add, no scratch memory.
 *
 * Scores are computed twice, once for the maximum and once for the weights, so that nothing has
 * to be stored. The exponential is the same to the bit in every kernel. */
#include <float.h>

#include "kernel/bound.h"
#include "kernel/exp_scalar.h"
#include "kernel/kernel.h"

static double dot(const double *a, const double *b, size_t d)
{
    double sum = 0.0;

    for (size_t c = 0; c < d; c++)
        sum += a[c] * b[c];
    return sum;
}

/* The largest score of the first m keys; NaN when the first one is. */
static double largest_score(const double *q, const double *k, size_t m, size_t d)
{
    double top = dot(q, k, d);

    for (size_t j = 1; j < m; j++) {
        double score = dot(q, k + j * d, d);

        top = score > top ? score : top;
    }
    return top;
}

/* One row over the first m keys; returns the denominator. */
static double softmax_row(double *out, const double *q, const double *k, const double *v,
                          size_t m, size_t d)
{
    double top = largest_score(q, k, m, d), sum = 0.0, reciprocal;

    for (size_t c = 0; c < d; c++)
        out[c] = 0.0;
    for (size_t j = 0; j < m; j++) {
        double x = dot(q, k + j * d, d) - top;
        double weight = exp_one(x < KERNEL_LEAST_ARGUMENT ? KERNEL_LEAST_ARGUMENT : x);

        KERNEL_ASSERT(H3, !(x > 0.0));
        KERNEL_ASSERT(H2, !(weight > 1.0));
        sum += weight;
        for (size_t c = 0; c < d; c++)
            out[c] += weight * v[j * d + c];
    }
    KERNEL_ASSERT(H2, !(sum < 1.0) && !(sum > (double)m * (1.0 + 0x1p-20)));
    reciprocal = 1.0 / sum;
    for (size_t c = 0; c < d; c++)
        out[c] *= reciprocal;
    return sum;
}

static void softmax_entry(const struct kernel_task *task, size_t b, struct bound_terms terms,
                          struct bound_terms alone)
{
    const size_t n = task->n, d = task->d;
    const double *k = task->k + b * n * d, *v = task->v + b * n * d;
    double key_square = 0.0, value_norm = 0.0;
    size_t seen = 0;

    for (size_t i = 0; i < n; i++) {
        const double *q = task->q + (b * n + i) * d;
        size_t m = kernel_visible(task, i);
        double sum = softmax_row(task->out + (b * n + i) * d, q, k, v, m, d);

        if (!task->error)
            continue;
        for (; seen < m; seen++) {
            double square = attest_bound_square(k + seen * d, d);
            double norm = attest_bound_norm(v + seen * d, d, n);

            key_square = square > key_square ? square : key_square;
            value_norm = norm > value_norm ? norm : value_norm;
        }
        task->error[b * n + i] = attest_bound_row(
            m == 1 ? alone : terms, attest_bound_square(q, d), key_square, value_norm, sum);
        KERNEL_ASSERT(H5, task->error[b * n + i] == HUGE_VAL ||
                              value_norm * ((double)m + 2.0) <= DBL_MAX);
    }
}

static bool scalar_softmax(const struct kernel_task *task)
{
    struct bound_terms terms = attest_bound_terms(task->d, task->n, task->n, task->n + 1);
    struct bound_terms alone = attest_bound_terms(task->d, 1, 1, 1);

    for (size_t b = 0; b < task->batch; b++)
        softmax_entry(task, b, terms, alone);
    return true;
}

/* One row over the first m keys. */
static void hardmax_row(double *out, const double *q, const double *k, const double *v,
                        size_t m, size_t d)
{
    double top = largest_score(q, k, m, d), reciprocal;
    size_t tied = 0;

    for (size_t c = 0; c < d; c++)
        out[c] = 0.0;
    for (size_t j = 0; j < m; j++) {
        if (dot(q, k + j * d, d) != top)
            continue;
        tied++;
        for (size_t c = 0; c < d; c++)
            out[c] += v[j * d + c];
    }
    reciprocal = 1.0 / (double)tied; /* no key ties where top is a NaN: then out is 0/0 */
    for (size_t c = 0; c < d; c++)
        out[c] *= reciprocal;
}

static void hardmax_entry(const struct kernel_task *task, size_t b, struct bound_terms terms)
{
    const size_t n = task->n, d = task->d;
    const double *k = task->k + b * n * d, *v = task->v + b * n * d;
    double key_square = 0.0;
    size_t seen = 0;

    for (size_t i = 0; i < n; i++) {
        const double *q = task->q + (b * n + i) * d;
        size_t m = kernel_visible(task, i);

        hardmax_row(task->out + (b * n + i) * d, q, k, v, m, d);
        if (!task->error)
            continue;
        for (; seen < m; seen++) {
            double square = attest_bound_square(k + seen * d, d);

            key_square = square > key_square ? square : key_square;
        }
        task->error[b * n + i] = attest_bound_hardmax(
            q, k, v, m, d, attest_bound_delta(terms, attest_bound_square(q, d), key_square));
    }
}

static bool scalar_hardmax(const struct kernel_task *task)
{
    struct bound_terms terms = attest_bound_terms(task->d, 2, 2, 2);

    for (size_t b = 0; b < task->batch; b++)
        hardmax_entry(task, b, terms);
    return true;
}

static void scalar_exp(double *y, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = exp_one(x[i]);
}

static bool always(void)
{
    return true;
}

const struct kernel attest_kernel_scalar = {"scalar",       KERNEL_SCALAR,  always,
                                            scalar_exp,     NULL,           NULL,
                                            scalar_softmax, scalar_hardmax, attest_scalar_sums};
