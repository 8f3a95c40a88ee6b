/* panel_tile_avx2.c -- the register tiles: scores, and weighted sums of values. */
#include <math.h>

#include "kernel/panel_avx2.h"

#define EACH_ROW _Pragma("GCC unroll 6") for (int r = 0; r < rows; r++)

/* rows queries (a compile-time constant) times the 8 keys of a panel. */
static inline __attribute__((always_inline)) void score_tile(double *score, size_t stride,
                                                             double *top, const double *q,
                                                             const double *keys, size_t d,
                                                             const int rows)
{
    __m256d a[TILE_ROWS], b[TILE_ROWS];

    EACH_ROW a[r] = b[r] = _mm256_setzero_pd();
#pragma GCC unroll 4
    for (size_t c = 0; c < d; c++) {
        __m256d low = _mm256_load_pd(keys + 8 * c), high = _mm256_load_pd(keys + 8 * c + 4);

        EACH_ROW
        {
            __m256d entry = _mm256_broadcast_sd(q + (size_t)r * d + c);

            a[r] = _mm256_fmadd_pd(entry, low, a[r]);
            b[r] = _mm256_fmadd_pd(entry, high, b[r]);
        }
    }
    EACH_ROW
    {
        _mm256_store_pd(score + (size_t)r * stride, a[r]);
        _mm256_store_pd(score + (size_t)r * stride + 4, b[r]);
        _mm256_store_pd(top + 4 * r,
                        _mm256_max_pd(a[r], _mm256_max_pd(b[r], _mm256_load_pd(top + 4 * r))));
    }
}

/* rows rows of weights times a panel of 4 * vectors value columns, over count keys. The first
 * block of keys sets the sums, later ones add to them: a term passes count + 1 roundings per
 * block at most, not one per key. */
static inline __attribute__((always_inline)) void
value_tile(double *sum, size_t columns, const double *weight, size_t stride,
           const double *values, size_t count, bool add, const int rows, const int vectors)
{
    __m256d a[TILE_ROWS], b[TILE_ROWS];

    EACH_ROW a[r] = b[r] = _mm256_setzero_pd();
#pragma GCC unroll 4
    for (size_t j = 0; j < count; j++) {
        __m256d low = _mm256_load_pd(values + 4 * (size_t)vectors * j);
        __m256d high = vectors == 2 ? _mm256_load_pd(values + 8 * j + 4) : low;

        EACH_ROW
        {
            __m256d entry = _mm256_broadcast_sd(weight + (size_t)r * stride + j);

            a[r] = _mm256_fmadd_pd(entry, low, a[r]);
            if (vectors == 2)
                b[r] = _mm256_fmadd_pd(entry, high, b[r]);
        }
    }
    EACH_ROW
    {
        double *to = sum + (size_t)r * columns;

        if (add) {
            a[r] = _mm256_add_pd(a[r], _mm256_load_pd(to));
            if (vectors == 2)
                b[r] = _mm256_add_pd(b[r], _mm256_load_pd(to + 4));
        }
        _mm256_store_pd(to, a[r]);
        if (vectors == 2)
            _mm256_store_pd(to + 4, b[r]);
    }
}

#define DEFINE_TILES(rows)                                                                     \
    static void score_tile_##rows(double *score, size_t stride, double *top, const double *q,  \
                                  const double *keys, size_t d)                                \
    {                                                                                          \
        score_tile(score, stride, top, q, keys, d, rows);                                      \
    }                                                                                          \
    static void value_tile_##rows(double *sum, size_t columns, const double *weight,           \
                                  size_t stride, const double *values, size_t count, bool add, \
                                  bool wide)                                                   \
    {                                                                                          \
        if (wide)                                                                              \
            value_tile(sum, columns, weight, stride, values, count, add, rows, 2);             \
        else                                                                                   \
            value_tile(sum, columns, weight, stride, values, count, add, rows, 1);             \
    }
DEFINE_TILES(1)
DEFINE_TILES(2)
DEFINE_TILES(3)
DEFINE_TILES(4)
DEFINE_TILES(5)
DEFINE_TILES(6)

static void (*const score_tiles[TILE_ROWS + 1])(double *, size_t, double *, const double *,
                                                const double *, size_t) = {
    NULL, score_tile_1, score_tile_2, score_tile_3, score_tile_4, score_tile_5, score_tile_6,
};
static void (*const value_tiles[TILE_ROWS + 1])(double *, size_t, const double *, size_t,
                                                const double *, size_t, bool, bool) = {
    NULL, value_tile_1, value_tile_2, value_tile_3, value_tile_4, value_tile_5, value_tile_6,
};

/* The scores of panel p where some row does not see all of its keys. */
static void score_edge(struct panel *panel, size_t first, size_t row, size_t rows, size_t p)
{
    double unused[4 * TILE_ROWS] __attribute__((aligned(32))) = {0.0};
    double *score = panel->scores + row * panel->stride + p * PANEL_KEYS;

    score_tiles[rows](score, panel->stride, unused, panel->q + (first + row) * panel->d,
                      panel->keys + p * PANEL_KEYS * panel->d, panel->d);
    for (size_t r = 0; r < rows; r++) {
        double *line = score + r * panel->stride, *top = panel->top + 4 * (row + r);
        size_t m = kernel_visible(panel->task, first + row + r);

        for (size_t l = 0; l < PANEL_KEYS; l++)
            if (p * PANEL_KEYS + l >= m)
                line[l] = -INFINITY;
            else
                top[l % 4] = line[l] > top[l % 4] ? line[l] : top[l % 4];
    }
}

void attest_panel_scores(struct panel *panel, size_t first, size_t rows)
{
    const size_t stride = panel->stride, d = panel->d;
    const size_t seen = kernel_visible(panel->task, first + rows - 1);

    for (size_t r = 0; r < 4 * rows; r++)
        panel->top[r] = -INFINITY;
    for (size_t p = 0; p * PANEL_KEYS < seen; p++) {
        for (size_t row = 0; row < rows; row += TILE_ROWS) {
            size_t height = rows - row < TILE_ROWS ? rows - row : TILE_ROWS;

            if ((p + 1) * PANEL_KEYS <= kernel_visible(panel->task, first + row))
                score_tiles[height](panel->scores + row * stride + p * PANEL_KEYS, stride,
                                    panel->top + 4 * row, panel->q + (first + row) * d,
                                    panel->keys + p * PANEL_KEYS * d, d);
            else
                score_edge(panel, first, row, height, p);
        }
    }
}

void attest_panel_sums(struct panel *panel, size_t rows, size_t keys)
{
    for (size_t j = 0; j < keys; j += BLOCK_KEYS) {
        size_t count = keys - j < BLOCK_KEYS ? keys - j : BLOCK_KEYS;

        for (size_t c = 0; c < panel->columns; c += PANEL_KEYS) {
            size_t width = panel->columns - c < PANEL_KEYS ? 4 : PANEL_KEYS;
            const double *values = panel->values + c * panel->n + j * width;

            for (size_t row = 0; row < rows; row += TILE_ROWS) {
                size_t height = rows - row < TILE_ROWS ? rows - row : TILE_ROWS;

                value_tiles[height](panel->sums + row * panel->columns + c, panel->columns,
                                    panel->scores + row * panel->stride + j, panel->stride,
                                    values, count, j > 0, width == PANEL_KEYS);
            }
        }
    }
}
