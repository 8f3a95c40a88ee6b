/* tiny_softmax_avx2.c -- softmax attention of short sequences, four at a time. */
#include <float.h>

#include "kernel/assert.h"
#include "kernel/bound_avx2.h"
#include "kernel/exp_avx2.h"
#include "kernel/tiny_avx2.h"

/* The least argument of exp_vectors: step (3) of proofs-notes/kernel-error.md. */
#define LEAST_ARGUMENT -708.0

/* The three steps of a row are done for all rows before the next step: a row alone is one long
 * chain of dependent operations, several rows fill the processor.
 *
 * Step 1, row i over the first m keys, m a compile-time constant: arguments of exp. */
static inline __attribute__((always_inline)) void
make_arguments(const struct tiny *tiny, size_t i, __m256d *weight, size_t d, const int m)
{
    __m256d score[TINY_LENGTH], top;

    tiny_scores(score, tiny->q + i * d, tiny->k, d, m);
    top = score[0];
    /* max returns its second operand for a NaN: one among the scores does not hide the largest,
     * which would let arguments leave the domain of exp_vectors, and its own argument stays one
     */
#pragma GCC unroll 8
    for (int j = 1; j < m; j++)
        top = _mm256_max_pd(score[j], top);
#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        weight[j] = _mm256_max_pd(_mm256_set1_pd(LEAST_ARGUMENT), _mm256_sub_pd(score[j], top));
}

/* Step 2, all rows: arguments become weights. */
static void make_weights(__m256d *weight, size_t count)
{
    const struct exp_table table = exp_table_load();
    size_t i = 0;

    for (; i + 4 <= count; i += 4)
        exp_vectors(weight + i, 4, table);
    for (; i < count; i++)
        exp_vectors(weight + i, 1, table);
}

/* Step 3, row i: the weighted mean of the first m values. */
static inline __attribute__((always_inline)) void
make_output(struct tiny *tiny, size_t i, const __m256d *from, size_t d, const int m)
{
    __m256d weight[TINY_LENGTH], sum = from[0], reciprocal;

#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        weight[j] = from[j];
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

/* Steps 1 and 3 for rows first, ..., end - 1, each over the same number m of keys: with m in
 * the name, the scores and weights of a row stay in registers. The smallest dimensions are
 * compile-time constants, too. */
#define ROWS(step, d, m)                                                                       \
    for (size_t i = first; i < end; i++, weight += m)                                          \
        step(tiny, i, weight, d, m);                                                           \
    break
#define SWITCH(step, m)                                                                        \
    switch (tiny->d) {                                                                         \
    case 1:                                                                                    \
        ROWS(step, 1, m);                                                                      \
    case 2:                                                                                    \
        ROWS(step, 2, m);                                                                      \
    case 3:                                                                                    \
        ROWS(step, 3, m);                                                                      \
    case 4:                                                                                    \
        ROWS(step, 4, m);                                                                      \
    default:                                                                                   \
        ROWS(step, tiny->d, m);                                                                \
    }
#define DEFINE_STEPS(m)                                                                        \
    static void arguments_##m(const struct tiny *tiny, size_t first, size_t end,               \
                              __m256d *weight)                                                 \
    {                                                                                          \
        SWITCH(make_arguments, m)                                                              \
    }                                                                                          \
    static void output_##m(struct tiny *tiny, size_t first, size_t end, const __m256d *weight) \
    {                                                                                          \
        SWITCH(make_output, m)                                                                 \
    }
DEFINE_STEPS(1)
DEFINE_STEPS(2)
DEFINE_STEPS(3)
DEFINE_STEPS(4)
DEFINE_STEPS(5)
DEFINE_STEPS(6)
DEFINE_STEPS(7)
DEFINE_STEPS(8)

static const struct {
    void (*arguments)(const struct tiny *, size_t first, size_t end, __m256d *weight);
    void (*output)(struct tiny *, size_t first, size_t end, const __m256d *weight);
} steps[TINY_LENGTH + 1] = {
    {NULL, NULL},
    {arguments_1, output_1},
    {arguments_2, output_2},
    {arguments_3, output_3},
    {arguments_4, output_4},
    {arguments_5, output_5},
    {arguments_6, output_6},
    {arguments_7, output_7},
    {arguments_8, output_8},
};

#ifdef ATTEST_DEBUG
/* H2 for the m weights of row i. Lanes with a NaN have no bound. */
static void assert_weights(const struct tiny *tiny, size_t i, const __m256d *weight, size_t m)
{
    for (size_t l = 0; l < 4; l++) {
        double sum = ((const double *)&tiny->denominator[i])[l], largest = 0.0;

        for (size_t j = 0; j < m && sum == sum; j++) {
            double one = ((const double *)&weight[j])[l];

            KERNEL_ASSERT(H2, one > 0.0 && one <= 1.0);
            largest = one > largest ? one : largest;
        }
        KERNEL_ASSERT(H2, sum != sum || largest == 1.0);
        KERNEL_ASSERT(H2, sum != sum || (sum >= 1.0 && sum <= (double)m * (1.0 + 0x1p-20)));
    }
}
#else
#define assert_weights(tiny, i, weight, m) ((void)0)
#endif

static void evaluate(struct tiny *tiny, bool causal)
{
    __m256d weight[TINY_LENGTH * TINY_LENGTH];
    const size_t n = tiny->n;

    if (!causal) {
        steps[n].arguments(tiny, 0, n, weight);
        make_weights(weight, n * n);
        steps[n].output(tiny, 0, n, weight);
        for (size_t i = 0; i < n; i++)
            assert_weights(tiny, i, weight + i * n, n);
        return;
    }
    /* Row i has i + 1 weights, from i (i + 1) / 2 on. */
    for (size_t i = 0; i < n; i++)
        steps[i + 1].arguments(tiny, i, i + 1, weight + i * (i + 1) / 2);
    make_weights(weight, n * (n + 1) / 2);
    for (size_t i = 0; i < n; i++) {
        steps[i + 1].output(tiny, i, i + 1, weight + i * (i + 1) / 2);
        assert_weights(tiny, i, weight + i * (i + 1) / 2, i + 1);
    }
}

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
    __m256d inside = _mm256_and_pd(
        _mm256_cmp_pd(square, _mm256_set1_pd(ATTEST_BOUND_SQUARE_MIN), _CMP_GE_OQ),
        _mm256_cmp_pd(square, _mm256_set1_pd(ATTEST_BOUND_SQUARE_MAX), _CMP_LE_OQ));

    if (__builtin_expect(_mm256_movemask_pd(inside) == 15, 1))
        return _mm256_sqrt_pd(square);
    return largest_norm_far(tiny, m);
}

/* delta of all rows at once, without a square root for each: for every G > 0,
 *     |q|_w |k|_w <= (|q|_w^2 |k|_w^2 / G + G) / 2,
 * nearly an equality where G is near |q|_w |k|_w; G is taken from the mean of |q|_w^2. */
static inline __attribute__((always_inline)) void
all_deltas(struct tiny *tiny, struct bound_terms terms, __m256d key, size_t d)
{
    __m256d sum = _mm256_setzero_pd(), middle, slope;

    for (size_t i = 0; i < tiny->n; i++) {
        tiny->delta[i] = tiny_weighted_square(tiny->q + i * d, d);
        sum = _mm256_add_pd(sum, tiny->delta[i]);
    }
    sum = _mm256_mul_pd(sum, _mm256_set1_pd(1.0 / (double)tiny->n));
    /* Not 0, where the product of squares underflows; max keeps a NaN in its second operand. */
    middle = _mm256_max_pd(_mm256_set1_pd(0x1p-500), _mm256_sqrt_pd(_mm256_mul_pd(sum, key)));
    slope = _mm256_mul_pd(_mm256_set1_pd(0.5 * terms.dot), _mm256_div_pd(key, middle));
    middle = _mm256_mul_pd(_mm256_set1_pd(0.5 * terms.dot), middle);
    for (size_t i = 0; i < tiny->n; i++)
        tiny->delta[i] = _mm256_fmadd_pd(tiny->delta[i], slope, middle);
}

/* What the bounds need of the inputs, before the rows are evaluated: the processor can do both
 * at a time. */
static inline __attribute__((always_inline)) void
prepare(struct tiny *tiny, const struct kernel_task *task, struct bound_terms terms, size_t d)
{
    __m256d key = _mm256_setzero_pd(), value = key;

    for (size_t j = 0; j < tiny->n; j++) {
        __m256d square = tiny_square(tiny->v + j * d, d);

        key = _mm256_max_pd(key, tiny_weighted_square(tiny->k + j * d, d));
        /* min turns a NaN into an infinity, which max then keeps. */
        value = _mm256_max_pd(value, _mm256_min_pd(square, _mm256_set1_pd(INFINITY)));
        if (task->causal) {
            tiny->norm[j] = largest_norm(tiny, j + 1, value);
            tiny->delta[j] = bound_delta(terms, tiny_weighted_square(tiny->q + j * d, d), key);
        }
    }
    if (task->causal)
        return;
    tiny->norm[0] = largest_norm(tiny, tiny->n, value);
    for (size_t i = 1; i < tiny->n; i++)
        tiny->norm[i] = tiny->norm[0];
    all_deltas(tiny, terms, key, d);
}

static void prepare_bounds(struct tiny *tiny, const struct kernel_task *task,
                           struct bound_terms terms)
{
    switch (tiny->d) {
    case 1:
        prepare(tiny, task, terms, 1);
        break;
    case 2:
        prepare(tiny, task, terms, 2);
        break;
    case 4:
        prepare(tiny, task, terms, 4);
        break;
    default:
        prepare(tiny, task, terms, tiny->d);
    }
}

static void finish_bounds(struct tiny *tiny, const struct kernel_task *task,
                          struct bound_terms terms, struct bound_terms alone)
{
    for (size_t i = 0; i < tiny->n; i++)
        tiny->error[i] = bound_rows(terms, tiny->delta[i], tiny->norm[i], tiny->denominator[i]);
    if (kernel_visible(task, 0) == 1) /* a single key: the score does not matter if finite */
        tiny->error[0] = bound_rows(alone, _mm256_mul_pd(tiny->delta[0], _mm256_setzero_pd()),
                                    tiny->norm[0], tiny->denominator[0]);
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

        if (task->error)
            prepare_bounds(&tiny, task, terms);
        evaluate(&tiny, task->causal);
        if (task->error)
            finish_bounds(&tiny, task, terms, alone);
        tiny_put(&tiny, task, b, lanes);
    }
}
