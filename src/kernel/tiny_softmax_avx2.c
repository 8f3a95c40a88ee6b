/* tiny_softmax_avx2.c -- softmax attention of short sequences, four at a time. */
#include "kernel/bound_avx2.h"
#include "kernel/exp_avx2.h"
#include "kernel/tiny_avx2.h"

/* The least argument of exp_vectors: step (3) of proofs-notes/kernel-error.md. */
#define LEAST_ARGUMENT -708.0

/* Row i over the first m keys, m a compile-time constant. */
static inline __attribute__((always_inline)) void
softmax_row(struct tiny *tiny, size_t i, const int m, struct exp_table table)
{
    const size_t d = tiny->d;
    __m256d weight[TINY_LENGTH], top, sum, reciprocal;

    tiny_scores(weight, tiny->q + i * d, tiny->k, d, m);
    top = weight[0];
#pragma GCC unroll 8
    for (int j = 1; j < m; j++)
        top = _mm256_max_pd(top, weight[j]);
#pragma GCC unroll 8
    for (int j = 0; j < m; j++) /* max returns its second operand for a NaN: it stays one */
        weight[j] =
            _mm256_max_pd(_mm256_set1_pd(LEAST_ARGUMENT), _mm256_sub_pd(weight[j], top));
    exp_vectors(weight, m < 4 ? m : 4, table);
    if (m > 4)
        exp_vectors(weight + 4, m - 4, table);
    sum = weight[0];
#pragma GCC unroll 8
    for (int j = 1; j < m; j++)
        sum = _mm256_add_pd(sum, weight[j]);
    reciprocal = _mm256_div_pd(_mm256_set1_pd(1.0), sum);
    tiny->denominator[i] = sum;
    for (size_t c = 0; c < d; c++) {
        __m256d value = _mm256_mul_pd(weight[0], tiny->v[c]);

#pragma GCC unroll 8
        for (int j = 1; j < m; j++)
            value = _mm256_fmadd_pd(weight[j], tiny->v[(size_t)j * d + c], value);
        tiny->out[i * d + c] = _mm256_mul_pd(value, reciprocal);
    }
}

/* Rows first, ..., end - 1, each over the same number of keys: the number is in the name, and
 * the scores stay in registers. */
#define DEFINE_ROWS(m)                                                                         \
    static void softmax_rows_##m(struct tiny *tiny, size_t first, size_t end)                  \
    {                                                                                          \
        const struct exp_table table = exp_table_load();                                       \
                                                                                               \
        for (size_t i = first; i < end; i++)                                                   \
            softmax_row(tiny, i, m, table);                                                    \
    }
DEFINE_ROWS(1)
DEFINE_ROWS(2)
DEFINE_ROWS(3)
DEFINE_ROWS(4)
DEFINE_ROWS(5)
DEFINE_ROWS(6)
DEFINE_ROWS(7)
DEFINE_ROWS(8)

static void (*const softmax_rows[TINY_LENGTH + 1])(struct tiny *, size_t, size_t) = {
    NULL,           softmax_rows_1, softmax_rows_2, softmax_rows_3, softmax_rows_4,
    softmax_rows_5, softmax_rows_6, softmax_rows_7, softmax_rows_8,
};

/* The norm of the largest of the first m values, where squares leave the range of doubles. */
static __m256d largest_norm_far(const struct tiny *tiny, size_t m)
{
    double largest[4] = {0.0, 0.0, 0.0, 0.0}, lane[4], value[4][TINY_DIM];

    for (size_t j = 0; j < m; j++) {
        for (size_t c = 0; c < tiny->d; c++) {
            _mm256_storeu_pd(lane, tiny->v[j * tiny->d + c]);
            for (size_t l = 0; l < 4; l++)
                value[l][c] = lane[l];
        }
        for (size_t l = 0; l < 4; l++) {
            double norm = attest_bound_norm(value[l], tiny->d, tiny->n);

            largest[l] = norm > largest[l] ? norm : largest[l];
        }
    }
    return _mm256_loadu_pd(largest);
}

/* The same from the largest square, in the usual case. */
static inline __m256d largest_norm(const struct tiny *tiny, size_t m, __m256d square)
{
    __m256d inside =
        _mm256_and_pd(_mm256_cmp_pd(square, _mm256_set1_pd(BOUND_SQUARE_MIN), _CMP_GE_OQ),
                      _mm256_cmp_pd(square, _mm256_set1_pd(BOUND_SQUARE_MAX), _CMP_LE_OQ));

    if (__builtin_expect(_mm256_movemask_pd(inside) == 15, 1))
        return _mm256_sqrt_pd(square);
    return largest_norm_far(tiny, m);
}

static void bound_tiny(struct tiny *tiny, const struct kernel_task *task,
                       struct bound_terms terms, struct bound_terms alone)
{
    const size_t d = tiny->d;
    __m256d key = _mm256_setzero_pd(), value = key, norm = key;
    size_t seen = 0;

    for (size_t i = 0; i < tiny->n; i++) {
        size_t m = kernel_visible(task, i);

        if (seen < m) {
            for (; seen < m; seen++) {
                __m256d square = tiny_square(tiny->v + seen * d, d);

                key = _mm256_max_pd(key, tiny_square(tiny->k + seen * d, d));
                /* min turns a NaN into an infinity, which max then keeps. */
                square = _mm256_min_pd(square, _mm256_set1_pd(INFINITY));
                value = _mm256_max_pd(value, square);
            }
            norm = largest_norm(tiny, m, value);
        }
        tiny->error[i] = bound_rows(m == 1 ? alone : terms, tiny_square(tiny->q + i * d, d),
                                    key, norm, tiny->denominator[i]);
    }
}

void attest_avx2_tiny_softmax(const struct kernel_task *task)
{
    const size_t n = task->n;
    struct bound_terms terms = attest_bound_terms(task->d, n, n, n);
    struct bound_terms alone = attest_bound_terms(task->d, 1, 1, 1);
    struct tiny tiny;

    tiny.n = n;
    tiny.d = task->d;
    for (size_t b = 0; b < task->batch; b += 4) {
        size_t lanes = tiny_fetch(&tiny, task, b);

        if (task->causal)
            for (size_t i = 0; i < n; i++)
                softmax_rows[i + 1](&tiny, i, i + 1);
        else
            softmax_rows[n](&tiny, 0, n);
        if (task->error)
            bound_tiny(&tiny, task, terms, alone);
        tiny_put(&tiny, task, b, lanes);
    }
}
