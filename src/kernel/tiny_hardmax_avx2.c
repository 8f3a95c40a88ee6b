/* tiny_hardmax_avx2.c -- hardmax attention of short sequences, four at a time. */
#include <float.h>
#include <math.h>

#include "kernel/bound_avx2.h"
#include "kernel/tiny_avx2.h"

/* Row i over the first m keys. With an error bound wanted, returns the lanes (as bits) where
 * more than one key may have the largest score, or where delta, the bound on the rounding of
 * the scores, is not finite. */
static int hardmax_row(struct tiny *tiny, size_t i, size_t m, __m256d delta, bool bound)
{
    const size_t d = tiny->d;
    const __m256d one = _mm256_set1_pd(1.0);
    __m256d score[TINY_LENGTH], top, tied = _mm256_setzero_pd(), near = tied, reciprocal;
    __m256d threshold, finite = _mm256_setzero_pd();

    tiny_scores(score, tiny->q + i * d, tiny->k, d, (int)m);
    top = score[0];
    for (size_t j = 1; j < m; j++)
        top = _mm256_max_pd(top, score[j]);
    threshold = _mm256_fnmadd_pd(_mm256_set1_pd(ATTEST_BOUND_MARGIN), delta, top);
    for (size_t j = 0; j < m; j++) {
        __m256d close = _mm256_cmp_pd(score[j], threshold, _CMP_NLT_UQ);

        near = _mm256_add_pd(near, _mm256_and_pd(close, one));
        score[j] = _mm256_cmp_pd(score[j], top, _CMP_EQ_OQ);
        tied = _mm256_add_pd(tied, _mm256_and_pd(score[j], one));
    }
    reciprocal = _mm256_div_pd(one, tied);
    for (size_t c = 0; c < d; c++) {
        __m256d value = _mm256_setzero_pd();

        for (size_t j = 0; j < m; j++)
            value = _mm256_add_pd(value, _mm256_and_pd(score[j], tiny->v[j * d + c]));
        value = _mm256_mul_pd(value, reciprocal);
        tiny->out[i * d + c] = value;
        finite = _mm256_fmadd_pd(value, _mm256_setzero_pd(), finite); /* 0 or NaN */
    }
    if (!bound)
        return 0;
    finite = _mm256_cmp_pd(finite, _mm256_setzero_pd(), _CMP_EQ_OQ);
    tiny->error[i] = _mm256_andnot_pd(finite, _mm256_set1_pd(INFINITY));
    near = _mm256_cmp_pd(near, one, _CMP_NEQ_UQ);
    delta = _mm256_cmp_pd(delta, _mm256_set1_pd(DBL_MAX), _CMP_NLE_UQ);
    return _mm256_movemask_pd(_mm256_or_pd(near, delta));
}

/* Decides the rows of row i whose lanes are set in `open`, one by one. */
static void decide_open(struct tiny *tiny, const struct kernel_task *task, size_t b, size_t i,
                        __m256d delta, int open, size_t lanes)
{
    const size_t n = task->n, d = task->d;
    double each[4], error[4];

    _mm256_storeu_pd(each, delta);
    _mm256_storeu_pd(error, tiny->error[i]);
    for (size_t l = 0; l < lanes; l++) {
        size_t offset = (b + l) * n * d;

        if (open >> l & 1)
            error[l] =
                attest_bound_hardmax(task->q + offset + i * d, task->k + offset,
                                     task->v + offset, kernel_visible(task, i), d, each[l]);
    }
    tiny->error[i] = _mm256_loadu_pd(error);
}

void attest_avx2_tiny_hardmax(const struct kernel_task *task)
{
    const struct bound_terms terms = attest_bound_terms(task->d, 2, 2, 2);
    const size_t n = task->n, d = task->d;
    struct tiny tiny;

    tiny.n = n;
    tiny.d = d;
    for (size_t b = 0; b < task->batch; b += 4) {
        size_t lanes = tiny_fetch(&tiny, task, b), seen = 0;
        __m256d key = _mm256_setzero_pd(), delta = key;

        for (size_t i = 0; i < n; i++) {
            size_t m = kernel_visible(task, i);
            int open;

            if (task->error) {
                for (; seen < m; seen++)
                    key = _mm256_max_pd(key, tiny_weighted_square(tiny.k + seen * d, d));
                delta =
                    bound_hardmax_delta(terms, tiny_weighted_square(tiny.q + i * d, d), key);
            }
            open = hardmax_row(&tiny, i, m, delta, task->error != NULL);
            if (open)
                decide_open(&tiny, task, b, i, delta, open, lanes);
        }
        tiny_put(&tiny, task, b, lanes);
    }
}
