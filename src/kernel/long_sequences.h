/* long_sequences.h -- attention of sequences of any length, in packed panels and register
 * tiles.
 *
 * Keys are packed two vectors to a panel, transposed, so that a tile of 6 queries by 8 or 16
 * keys, and one of 6 by 8 or 12 by 16 for values, needs two vector loads and a broadcast per
 * query for two fused multiply-adds per query. 24 queries are taken at a time: a key panel then
 * serves several tiles from the first-level cache, and so does a block of values. The order of
 * operations of a score and of an output entry depends on its index alone, not on the tile:
 * results do not depend on where a row falls, nor on the width of the vectors. Error bounds do
 * not depend on it either: operations per token or per row are done in groups of four and eight
 * for every width. */
#ifndef ATTEST_KERNEL_LONG_SEQUENCES_H
#define ATTEST_KERNEL_LONG_SEQUENCES_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/bound_vectors.h"
#include "kernel/kernel.h"

enum {
    PANEL_KEYS = 2 * VECTOR_LANES,    /* keys or value columns per panel */
    SCORE_ROWS = 6,                   /* queries per tile of scores, see score_tile */
    TILE_ROWS = 3 * VECTOR_LANES / 2, /* rows of values: 12 of 16 registers, 24 of 32 */
    BLOCK_ROWS = 24,                  /* queries per block */
    SCORE_CHAIN = 16,                 /* entries per chain of a score */
    BLOCK_KEYS = 64,                  /* keys per block of the weighted sum of values */
    SPECTRAL_DIM = 32,                /* below, the bound by weights is near enough */
    PANEL_STEP = 8,                   /* entries of the arrays below are set up to a multiple */
    PANEL_PARTS = PANEL_STEP / VECTOR_LANES
};

struct panel {
    const struct kernel_task *task;
    size_t n, d;
    size_t stride;  /* of a row of scores: n rounded up to a panel, and 8 more */
    size_t columns; /* of packed values: d rounded up to a vector */
    /* Of the batch entry at hand: */
    const double *q, *k, *v;
    double *out;
    bool last; /* of the batch */
    double
        *keys; /* of panel p, entry c at keys[(p*d + c)*PANEL_KEYS + l]; zeros past the last */
    double *values; /* panels of 1 or 2 vectors of columns: see pack_values */
    double *scores; /* BLOCK_ROWS rows: scores, then weights */
    double *sums;   /* BLOCK_ROWS rows of `columns`: weighted sums of values */
    double *top;    /* BLOCK_ROWS vectors: largest score by lane */
    /* Only with an error bound: roundings of the terms of a score, see panel_roundings; */
    double *passes;
    /* one per token (see bound.h), the last ones for softmax. */
    double *q_square;       /* |q|_w^2 */
    double *key_most;       /* the largest |k|_w^2 that row i sees; +inf for a NaN */
    double *key_square;     /* |k|_w^2, finite: unseen keys have weight 0 */
    double *value_square;   /* |v|^2, finite */
    double *value_rounding; /* g^2 |v|^2 */
    double *value_most;     /* the largest |v|^2 that row i sees; +inf for a NaN */
    double *norm_most;      /* the largest |v| that row i sees; see panel_norm_most */
    bool has_norm_most;
    double *depth;                  /* roundings of the product of a key and its weight */
    double *mean, mean_norm, sigma; /* see panel_spectral */
    double *spread; /* d by d; NULL where the bound by singular values is not used */
    void *memory;
};

/* Prefetches row i of the next batch entry, and the place of row i of the output. Otherwise
 * packing waits for memory: at n = 256, d = 64 and many entries it cost a tenth of the time. */
static inline void panel_prefetch_row(const struct panel *panel, size_t i)
{
    const size_t next = (panel->n + i) * panel->d;

    for (size_t c = 0; c < panel->d; c += 8)
        _mm_prefetch((const char *)(panel->out + i * panel->d + c), _MM_HINT_T0);
    for (size_t c = 0; !panel->last && c < panel->d; c += 8) {
        _mm_prefetch((const char *)(panel->q + next + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(panel->k + next + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(panel->v + next + c), _MM_HINT_T1);
    }
}

/* The weight of row r and key j is at[r * row + j * key]. */
struct weights {
    const double *at;
    size_t row, key;
};

static inline size_t panel_round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

/* The roundings that term i of a sum of `size` terms passes: those of its chain, each of
 * `chain` terms, from i on, and one addition for every later chain, its own included if it is
 * not the first. */
static inline size_t panel_roundings(size_t i, size_t size, size_t chain)
{
    size_t own = i / chain, last = (size - 1) / chain;
    size_t end = own < last ? (own + 1) * chain : size;

    return end - i + (last - own) + (own > 0);
}

/* The roundings of a weight on its way into the denominator, at most (4). */
static inline size_t panel_sum_depth(size_t n)
{
    return n / 16 + 8;
}

/* The roundings of a product on its way into the weighted sum of values, at most (4). */
static inline size_t panel_value_depth(size_t n)
{
    return (n < BLOCK_KEYS ? n : BLOCK_KEYS) + (n - 1) / BLOCK_KEYS;
}

/* The largest score of row r of the block. */
static inline double panel_top(const struct panel *panel, size_t r)
{
    return vector_largest(vector_load(panel->top + VECTOR_LANES * r));
}

/* The hypotheses of the error bound, see KERNEL_ASSERT. */
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
