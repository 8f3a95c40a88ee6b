/* panel_hardmax_avx2.c -- hardmax attention of longer sequences. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/panel_avx2.h"

/* What a pass over the scores of a row finds. */
struct winners {
    size_t tied; /* keys with the largest computed score */
    size_t near; /* keys that may have the largest exact score */
};

/* Adds the values of the tied keys to out, in the order of the keys. */
static struct winners add_winners(double *out, const double *score, size_t m, double top,
                                  double threshold, const double *v, size_t d)
{
    const __m256d limit = _mm256_set1_pd(threshold);
    struct winners found = {0, 0};

    for (size_t j = 0; j < m; j += 4) {
        /* Past m the scores are -inf up to the next panel: below any finite threshold. */
        __m256d near = _mm256_cmp_pd(_mm256_load_pd(score + j), limit, _CMP_NLT_UQ);

        if (__builtin_expect(_mm256_testz_pd(near, near), 1))
            continue;
        for (size_t i = j; i < m && i < j + 4; i++) {
            if (score[i] < threshold)
                continue;
            found.near++;
            if (score[i] != top)
                continue;
            for (size_t c = 0; c < d; c++)
                out[c] = found.tied ? out[c] + v[i * d + c] : v[i * d + c];
            found.tied++;
        }
    }
    return found;
}

/* Row first + r of the batch entry; its error bound goes to *error if that is not NULL. */
static void hardmax_row(const struct panel *panel, double *out, size_t first, size_t r,
                        double dot_error, double *error)
{
    const size_t i = first + r, d = panel->d, m = kernel_visible(panel->task, i);
    const double *score = panel->scores + r * panel->stride, *q = panel->q + i * d;
    double top = panel_top(panel, r), delta = 0.0, reciprocal;
    struct winners found;
    bool finite = true;

    if (error)
        delta = dot_error * sqrt(panel->q_square[i] * panel->key_most[i]);
    memset(out, 0, d * sizeof *out);
    found = add_winners(out, score, m, top, top - 4.0 * delta, panel->v, d);
    if (found.tied != 1) {
        reciprocal = 1.0 / (double)found.tied; /* 0/0 below where all scores are NaN */
        for (size_t c = 0; c < d; c++)
            out[c] *= reciprocal;
    }
    if (!error)
        return;
    if (found.near != 1 || !(delta <= DBL_MAX)) {
        *error = attest_bound_hardmax(q, panel->k, panel->v, m, d, delta);
        return;
    }
    for (size_t c = 0; c < d; c++)
        finite = finite && fabs(out[c]) <= DBL_MAX;
    *error = finite ? 0.0 : INFINITY;
}

bool attest_avx2_panel_hardmax(const struct kernel_task *task)
{
    double local[PANEL_LOCAL] __attribute__((aligned(64)));
    const size_t n = task->n, d = task->d;
    const double dot_error = attest_bound_terms(d, 2, 2, 2).dot;
    struct panel panel;

    if (!attest_panel_init(&panel, task, false, local))
        return false;
    for (size_t b = 0; b < task->batch; b++) {
        attest_panel_pack(&panel, b);
        for (size_t i = 0; i < n; i += BLOCK_ROWS) {
            size_t rows = n - i < BLOCK_ROWS ? n - i : BLOCK_ROWS;

            attest_panel_scores(&panel, i, rows);
            for (size_t r = 0; r < rows; r++)
                hardmax_row(&panel, task->out + (b * n + i + r) * d, i, r, dot_error,
                            task->error ? task->error + b * n + i + r : NULL);
        }
    }
    attest_panel_clear(&panel);
    return true;
}
