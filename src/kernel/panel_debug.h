/* panel_debug.h -- the hypotheses of the error bound of longer rows; see assert.h. Nothing
 * is compiled without --enable-debug. */
#ifndef ATTEST_KERNEL_PANEL_DEBUG_H
#define ATTEST_KERNEL_PANEL_DEBUG_H

#include <math.h>

#include "kernel/assert.h"
#include "kernel/panel.h"

#ifdef ATTEST_DEBUG
/* H1 for one key of every row of a block: the score is the sum of chains of fused
 * multiply-adds. */
static inline void panel_assert_scores(const struct panel *panel, size_t first, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        const size_t i = first + r, d = panel->d, j = i % kernel_visible(panel->task, i);
        const double *q = panel->q + i * d, *k = panel->k + j * d;
        double sum = 0.0, score = panel->scores[r * panel->stride + j];

        for (size_t begin = 0; begin < d; begin += SCORE_CHAIN) {
            double chain = 0.0;

            for (size_t c = begin; c < d && c < begin + SCORE_CHAIN; c++)
                chain = fma(q[c], k[c], chain);
            sum = begin ? sum + chain : chain;
        }
        KERNEL_ASSERT(H1, score == sum || (isnan(score) && isnan(sum)));
    }
}

/* H2 for a row of m weights; rows with a NaN have no bound. */
static inline void panel_assert_weights(const double *weight, size_t m, double denominator)
{
    double largest = 0.0;

    if (isnan(denominator))
        return;
    for (size_t j = 0; j < m; j++) {
        KERNEL_ASSERT(H2, weight[j] > 0.0 && weight[j] <= 1.0);
        largest = weight[j] > largest ? weight[j] : largest;
    }
    KERNEL_ASSERT(H2, largest == 1.0);
    KERNEL_ASSERT(H2, denominator >= 1.0 && denominator <= (double)m * (1.0 + 0x1p-20));
}

/* H4: the roundings that make_weights and the tiles do. */
static inline void panel_assert_depths(size_t n)
{
    KERNEL_ASSERT(H4, n / 16 + (n % 16 + 3) / 4 + 4 <= panel_sum_depth(n));
    for (size_t j = 0; j < n; j++)
        KERNEL_ASSERT(H4, panel_roundings(j, n, BLOCK_KEYS) >= 1 &&
                              panel_roundings(j, n, BLOCK_KEYS) <= panel_value_depth(n));
}

/* H7 and H8 for the lanes of rows i, ... that are set in `holds`. */
static inline void panel_assert_sharp(const struct panel *panel, size_t i, unsigned holds,
                                      struct bound_terms terms, struct bound_means mean)
{
    double value[VECTOR_LANES], out[VECTOR_LANES];

    vector_store(value, mean.value);
    vector_store(out, mean.out);
    for (size_t l = 0; l < VECTOR_LANES && i + l < panel->n; l++) {
        double delta = terms.dot * sqrt(panel->q_square[i + l] * panel->key_most[i + l]);

        if (!(holds >> l & 1) || isnan(value[l]))
            continue;
        KERNEL_ASSERT(H7, kernel_visible(panel->task, i + l) >= 2);
        KERNEL_ASSERT(H7, delta <= 0x1p-21 * (1.0 + 0x1p-50));
        KERNEL_ASSERT(H7, panel->value_most[i + l] >= 0x1p-900);
        KERNEL_ASSERT(H7, panel->value_most[i + l] <= 0x1p+900);
        KERNEL_ASSERT(H8, value[l] * (1.0 + terms.cancel) - out[l] > 0.0);
        KERNEL_ASSERT(H9, panel->sigma > DBL_MAX || panel->n <= 0x1p+16);
    }
}
#else
#define panel_assert_scores(panel, first, rows) ((void)0)
#define panel_assert_weights(weight, m, denominator) ((void)0)
#define panel_assert_depths(n) ((void)0)
#define panel_assert_sharp(panel, i, holds, terms, mean) ((void)0)
#endif

#endif
