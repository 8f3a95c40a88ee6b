/* panel_softmax_avx2.c -- softmax attention of longer sequences. */
#include <math.h>
#include <string.h>

#include "kernel/bound_avx2.h"
#include "kernel/exp_avx2.h"
#include "kernel/panel_avx2.h"

/* The least argument of exp_vectors: step (3) of proofs-notes/kernel-error.md. */
#define LEAST_ARGUMENT -708.0

/* One vector of scores becomes weights. max returns its second operand for a NaN: it stays. */
static inline __m256d argument(const double *score, __m256d top)
{
    return _mm256_max_pd(_mm256_set1_pd(LEAST_ARGUMENT),
                         _mm256_sub_pd(_mm256_loadu_pd(score), top));
}

static inline double horizontal_sum(__m256d x)
{
    __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));

    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

/* The first m scores of a row become weights; those up to a multiple of 4 become 0. Returns the
 * sum of the weights, each of which passes at most m/16 + 5 roundings. */
static double make_weights(double *score, size_t m, double largest, struct exp_table table)
{
    const __m256d top = _mm256_set1_pd(largest);
    __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(),
                      _mm256_setzero_pd()};
    size_t j = 0;

    for (; j + 16 <= m; j += 16) {
        __m256d x[4];

#pragma GCC unroll 4
        for (int l = 0; l < 4; l++)
            x[l] = argument(score + j + 4 * l, top);
        exp_vectors(x, 4, table);
#pragma GCC unroll 4
        for (int l = 0; l < 4; l++) {
            _mm256_store_pd(score + j + 4 * l, x[l]);
            sum[l] = _mm256_add_pd(sum[l], x[l]);
        }
    }
    for (; j < m; j += 4) {
        __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(m - j)),
                                          _mm256_setr_epi64x(0, 1, 2, 3));
        __m256d x = argument(score + j, top);

        exp_vectors(&x, 1, table);
        x = _mm256_and_pd(x, _mm256_castsi256_pd(mask));
        _mm256_store_pd(score + j, x);
        sum[0] = _mm256_add_pd(sum[0], x);
    }
    return horizontal_sum(
        _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3])));
}

/* out row = sums * (1/denominator). */
static void finish_row(double *out, const double *sums, double denominator, size_t d)
{
    const __m256d reciprocal = _mm256_set1_pd(1.0 / denominator);
    size_t c = 0;

    for (; c + 4 <= d; c += 4)
        _mm256_storeu_pd(out + c, _mm256_mul_pd(_mm256_load_pd(sums + c), reciprocal));
    for (; c < d; c++)
        out[c] = sums[c] * (1.0 / denominator);
}

static void bound_block(const struct panel *panel, size_t first, size_t rows,
                        const double *denominator, struct bound_terms terms, double *error)
{
    double bound[BLOCK_ROWS];

    for (size_t r = 0; r < rows; r += 4) {
        __m256d delta = bound_delta(terms, _mm256_loadu_pd(panel->q_square + first + r),
                                    _mm256_loadu_pd(panel->key_square + first + r));

        _mm256_storeu_pd(bound + r, bound_rows(terms, delta,
                                               _mm256_loadu_pd(panel->value_norm + first + r),
                                               _mm256_load_pd(denominator + r)));
    }
    if (panel->task->causal && first == 0) /* the first row sees one key: exact */
        bound[0] = attest_bound_row(attest_bound_terms(panel->d, 1, 1, 1), panel->q_square[0],
                                    panel->key_square[0], panel->value_norm[0], denominator[0]);
    memcpy(error + first, bound, rows * sizeof *error);
}

static void softmax_block(struct panel *panel, size_t b, size_t first, size_t rows,
                          struct bound_terms terms)
{
    const struct kernel_task *task = panel->task;
    const struct exp_table table = exp_table_load();
    const size_t n = panel->n, d = panel->d, keys = kernel_visible(task, first + rows - 1);
    double denominator[BLOCK_ROWS] __attribute__((aligned(32))) = {0.0};

    attest_panel_scores(panel, first, rows);
    for (size_t r = 0; r < rows; r++) {
        double *score = panel->scores + r * panel->stride;
        size_t m = kernel_visible(task, first + r);

        denominator[r] = make_weights(score, m, panel_top(panel, r), table);
        for (size_t j = m; j < keys; j++)
            score[j] = 0.0;
    }
    attest_panel_sums(panel, rows, keys);
    for (size_t r = 0; r < rows; r++)
        finish_row(task->out + (b * n + first + r) * d, panel->sums + r * panel->columns,
                   denominator[r], d);
    if (task->error)
        bound_block(panel, first, rows, denominator, terms, task->error + b * n);
}

/* The number of roundings of a term of the weighted sum of values. */
static size_t value_depth(size_t n)
{
    return (n < BLOCK_KEYS ? n : BLOCK_KEYS) + (n - 1) / BLOCK_KEYS;
}

/* Rows of a block that do not see a key give it weight 0, and 0 times an infinity is a NaN:
 * with such values the rows have to be taken one by one. */
static bool needs_care(const struct kernel_task *task, size_t b)
{
    const double *v = task->v + b * task->n * task->d;
    double zero = 0.0;

    for (size_t i = 0; task->causal && i < task->n * task->d; i++)
        zero += 0.0 * v[i];
    return zero != 0.0;
}

static void softmax_carefully(const struct kernel_task *task, size_t b)
{
    const size_t n = task->n, d = task->d;
    struct kernel_task one = *task;

    one.batch = 1;
    one.out += b * n * d;
    one.q += b * n * d;
    one.k += b * n * d;
    one.v += b * n * d;
    if (one.error)
        one.error += b * n;
    attest_kernel_scalar.softmax(&one);
}

bool attest_avx2_panel_softmax(const struct kernel_task *task)
{
    double local[PANEL_LOCAL] __attribute__((aligned(64)));
    const size_t n = task->n;
    struct bound_terms terms = attest_bound_terms(task->d, n, n / 16 + 8, value_depth(n));
    struct panel panel;

    if (!attest_panel_init(&panel, task, true, local))
        return false;
    for (size_t b = 0; b < task->batch; b++) {
        if (needs_care(task, b)) {
            softmax_carefully(task, b);
            continue;
        }
        attest_panel_pack(&panel, b);
        for (size_t i = 0; i < n; i += BLOCK_ROWS)
            softmax_block(&panel, b, i, n - i < BLOCK_ROWS ? n - i : BLOCK_ROWS, terms);
    }
    attest_panel_clear(&panel);
    return true;
}
