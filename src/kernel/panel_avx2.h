/* panel_avx2.h -- attention of longer sequences: packed panels and register tiles.
 *
 * Keys are packed eight to a panel, transposed, so that a tile of 6 queries by 8 keys needs two
 * vector loads and six broadcasts for twelve fused multiply-adds. 24 queries are taken at a
 * time: a key panel then serves four tiles from the first-level cache, and so does a block of
 * values. Every score and every output entry is one chain of fused multiply-adds in the order
 * of its index, whatever the tile: results do not depend on where a row falls. */
#ifndef ATTEST_KERNEL_PANEL_AVX2_H
#define ATTEST_KERNEL_PANEL_AVX2_H

#include <immintrin.h>

#include "kernel/attention_avx2.h"
#include "kernel/bound.h"

#define PANEL_KEYS 8   /* keys or value columns per panel */
#define TILE_ROWS 6    /* queries per tile */
#define BLOCK_ROWS 24  /* queries per block */
#define BLOCK_KEYS 128 /* keys per block of the weighted sum of values */

struct panel {
    const struct kernel_task *task;
    kernel_weights *make_weights; /* softmax only */
    size_t n, d;
    size_t stride;  /* of a row of scores: n rounded up to a panel, and one more */
    size_t columns; /* of packed values: d rounded up to 4 */
    /* Of the batch entry at hand: */
    const double *q, *k, *v;
    double *out;
    bool last;      /* of the batch */
    double *keys;   /* key 8p+l, entry c at keys[(p*d + c)*8 + l]; zeros past the last */
    double *values; /* panels of 8 columns, the last of 4 or 8: see panel_pack_values */
    double *scores; /* BLOCK_ROWS rows: scores, then weights */
    double *sums;   /* BLOCK_ROWS rows of `columns`: weighted sums of values */
    double *top;    /* BLOCK_ROWS vectors: largest score by lane */
    /* Only with an error bound, one per token (see bound.h); the last three for softmax. */
    double *q_square;       /* |q|_w^2 */
    double *key_most;       /* the largest |k|_w^2 that row i sees; +inf for a NaN */
    double *key_square;     /* |k|_w^2, finite: unseen keys have weight 0 */
    double *value_square;   /* |v|^2, finite */
    double *value_rounding; /* g^2 |v|^2 */
    double *value_most;     /* the largest |v|^2 that row i sees; +inf for a NaN */
    double *norm_most;      /* the same of |v| itself; see attest_panel_norm_most */
    bool has_norm_most;
    void *memory;
};

/* Prepares for the task; false when there is no memory. local has PANEL_LOCAL doubles that are
 * used when they suffice. */
#define PANEL_LOCAL 4096
bool attest_panel_init(struct panel *panel, const struct kernel_task *task, bool values,
                       double *local);
void attest_panel_clear(struct panel *panel);

/* Packs the keys (and, if the panel has them, the values) of batch entry b, and computes the
 * norms if an error bound is wanted. */
void attest_panel_pack(struct panel *panel, size_t b);

/* Brings row i of the next batch entry nearer, and the place of row i of the output, while the
 * entry at hand is computed. Otherwise packing waits for memory: at n = 256, d = 64 and many
 * entries it cost a tenth of the time. */
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

/* The squares of norms of the batch entry at hand. */
void attest_panel_norms(struct panel *panel);

/* At least the norm of every value that row i sees, whatever its size. Those of all rows are
 * computed at the first call, which few batch entries need. */
double attest_panel_norm_most(struct panel *panel, size_t i);

/* Scores of rows first, ..., first + rows - 1 with all keys that one of them sees. Keys that a
 * row does not see get -inf. top[r] has the largest score of row r by lane. */
void attest_panel_scores(struct panel *panel, size_t first, size_t rows);

/* sums = scores (now weights) times values over the first `keys` keys, for `rows` rows. */
void attest_panel_sums(struct panel *panel, size_t rows, size_t keys);

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

/* Those of the product of key j: the ones of its block from j on, and one addition for every
 * later block, its own included if it is not the first. */
static inline size_t panel_value_roundings(size_t j, size_t n)
{
    size_t block = j / BLOCK_KEYS, last = (n - 1) / BLOCK_KEYS;
    size_t end = block < last ? (block + 1) * BLOCK_KEYS : n;

    return end - j + (last - block) + (block > 0);
}

/* The largest score of row r of the block. */
static inline double panel_top(const struct panel *panel, size_t r)
{
    const double *lane = panel->top + 4 * r;
    double a = lane[0] > lane[1] ? lane[0] : lane[1];
    double b = lane[2] > lane[3] ? lane[2] : lane[3];

    return a > b ? a : b;
}

#endif
