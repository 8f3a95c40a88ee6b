/* panel_avx2.c -- scratch memory, packing and norms for longer sequences. */
#include "kernel/panel_avx2.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

/* The next part of the scratch memory, a multiple of 64 bytes. */
static double *take(double **memory, size_t count)
{
    double *part = *memory;

    *memory += round_up(count, 8);
    return part;
}

bool attest_panel_init(struct panel *panel, const struct kernel_task *task, bool values,
                       double *local)
{
    const size_t n = task->n, d = task->d, lines = round_up(n, PANEL_KEYS);
    size_t total;
    double *part = local;

    *panel = (struct panel){.task = task, .n = n, .d = d};
    panel->stride = lines + PANEL_KEYS; /* not a power of two: rows fall into different sets */
    panel->columns = round_up(d, 4);
    total = lines * d + BLOCK_ROWS * panel->stride + 4 * BLOCK_ROWS + 3 * lines + 7 * 8;
    if (values)
        total += (n + BLOCK_ROWS) * panel->columns;
    if (n >= SIZE_MAX / 64 / (d + 64)) /* the sizes above overflow before this */
        return false;
    if (total > PANEL_LOCAL) {
        panel->memory = attest_memory_alloc(total + 8, sizeof *local);
        if (!panel->memory)
            return false;
        part = (double *)(((uintptr_t)panel->memory + 63) & ~(uintptr_t)63);
    }
    panel->keys = take(&part, lines * d);
    panel->scores = take(&part, BLOCK_ROWS * panel->stride);
    panel->top = take(&part, 4 * BLOCK_ROWS);
    panel->q_square = take(&part, lines);
    panel->key_square = take(&part, lines);
    panel->value_norm = take(&part, lines);
    panel->values = values ? take(&part, n * panel->columns) : NULL;
    panel->sums = values ? take(&part, BLOCK_ROWS * panel->columns) : NULL;
    return true;
}

void attest_panel_clear(struct panel *panel)
{
    free(panel->memory);
}

/* Four rows of d entries become columns l, l+1, l+2, l+3 of a panel. */
static void transpose_four(double *to, const double *from, size_t d)
{
    size_t c = 0;

    for (; c + 4 <= d; c += 4) {
        __m256d a = _mm256_loadu_pd(from + c), b = _mm256_loadu_pd(from + d + c);
        __m256d e = _mm256_loadu_pd(from + 2 * d + c), f = _mm256_loadu_pd(from + 3 * d + c);
        __m256d ab = _mm256_unpacklo_pd(a, b), ef = _mm256_unpacklo_pd(e, f);

        _mm256_store_pd(to + 8 * c, _mm256_permute2f128_pd(ab, ef, 0x20));
        _mm256_store_pd(to + 8 * c + 16, _mm256_permute2f128_pd(ab, ef, 0x31));
        ab = _mm256_unpackhi_pd(a, b);
        ef = _mm256_unpackhi_pd(e, f);
        _mm256_store_pd(to + 8 * c + 8, _mm256_permute2f128_pd(ab, ef, 0x20));
        _mm256_store_pd(to + 8 * c + 24, _mm256_permute2f128_pd(ab, ef, 0x31));
    }
    for (; c < d; c++)
        for (size_t l = 0; l < 4; l++)
            to[8 * c + l] = from[l * d + c];
}

static void pack_keys(struct panel *panel)
{
    const size_t d = panel->d, n = panel->n;

    for (size_t j = 0; j < round_up(n, PANEL_KEYS); j += 4) {
        double *to = panel->keys + j / PANEL_KEYS * PANEL_KEYS * d + j % PANEL_KEYS;

        if (j + 4 <= n) {
            transpose_four(to, panel->k + j * d, d);
            continue;
        }
        for (size_t c = 0; c < d; c++)
            for (size_t l = 0; l < 4; l++)
                to[8 * c + l] = j + l < n ? panel->k[(j + l) * d + c] : 0.0;
    }
}

/* Columns c, ..., c+7 of all values are one panel, row after row, at values + c*n. The last
 * panel has 4 columns where no more are left, and zeros past column d. */
static void pack_values(struct panel *panel)
{
    const size_t n = panel->n, d = panel->d;

    for (size_t c = 0; c < panel->columns; c += PANEL_KEYS) {
        size_t width = panel->columns - c < PANEL_KEYS ? 4 : PANEL_KEYS;
        size_t used = d - c < width ? d - c : width;
        double *to = panel->values + c * n;

        for (size_t j = 0; j < n; j++, to += width) {
            const double *from = panel->v + j * d + c;

            if (used == PANEL_KEYS) {
                _mm256_store_pd(to, _mm256_loadu_pd(from));
                _mm256_store_pd(to + 4, _mm256_loadu_pd(from + 4));
                continue;
            }
            for (size_t l = 0; l < width; l++)
                to[l] = l < used ? from[l] : 0.0;
        }
    }
}

/* The squares of the norms of four rows, or of their weighted norms (see bound.h); the rows may
 * be the same. */
static inline __attribute__((always_inline)) __m256d four_squares(const double *const row[4],
                                                                  size_t d, const bool weighted)
{
    const __m256d lane = _mm256_setr_pd(0.0, 1.0, 2.0, 3.0), four = _mm256_set1_pd(4.0);
    __m256d weight = _mm256_sub_pd(_mm256_set1_pd((double)(d % 4)), lane);
    const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(d % 4)),
                                            _mm256_setr_epi64x(0, 1, 2, 3));
    __m256d sum[4];
    __m256d low, high;

    for (int l = 0; l < 4; l++) {
        __m256d tail = _mm256_maskload_pd(row[l] + d / 4 * 4, mask);

        sum[l] = _mm256_mul_pd(weighted ? _mm256_mul_pd(tail, weight) : tail, tail);
    }
    weight = _mm256_sub_pd(_mm256_set1_pd((double)d), lane);
    for (size_t c = 0; c + 4 <= d; c += 4, weight = _mm256_sub_pd(weight, four)) {
        for (int l = 0; l < 4; l++) {
            __m256d x = _mm256_loadu_pd(row[l] + c);

            sum[l] = _mm256_fmadd_pd(weighted ? _mm256_mul_pd(x, weight) : x, x, sum[l]);
        }
    }
    low = _mm256_hadd_pd(sum[0], sum[1]);
    high = _mm256_hadd_pd(sum[2], sum[3]);
    return _mm256_add_pd(_mm256_set1_pd(BOUND_SQUARE_FLOOR),
                         _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x20),
                                       _mm256_permute2f128_pd(low, high, 0x31)));
}

/* square[i] for all rows of x; up to 3 entries past the last are written too. */
static void all_squares(double *square, const double *x, size_t n, size_t d, bool weighted)
{
    for (size_t i = 0; i < n; i += 4) {
        const double *row[4];

        for (size_t l = 0; l < 4; l++)
            row[l] = x + (i + l < n ? i + l : n - 1) * d;
        _mm256_store_pd(square + i,
                        weighted ? four_squares(row, d, true) : four_squares(row, d, false));
    }
}

/* square[i] becomes the largest of square[0..i] (causal) or of all. A NaN counts as +inf. */
static void running_maximum(double *square, size_t n, bool causal)
{
    double largest = 0.0;

    for (size_t i = 0; i < n; i++) {
        double here = square[i] <= INFINITY ? square[i] : INFINITY;

        largest = here > largest ? here : largest;
        square[i] = largest;
    }
    for (size_t i = 0; i < n && !causal; i++)
        square[i] = largest;
}

/* Norms instead of squares; where squares leave the range of doubles, from the values again. */
static void take_norms(struct panel *panel)
{
    double *norm = panel->value_norm;
    const size_t n = panel->n;

    if (norm[0] >= BOUND_SQUARE_MIN && norm[n - 1] <= BOUND_SQUARE_MAX) {
        for (size_t i = 0; i < n; i += 4)
            _mm256_store_pd(norm + i, _mm256_sqrt_pd(_mm256_load_pd(norm + i)));
        return;
    }
    for (size_t i = 0; i < n; i++)
        norm[i] = attest_bound_norm(panel->v + i * panel->d, panel->d, n);
    running_maximum(norm, n, panel->task->causal);
}

void attest_panel_pack(struct panel *panel, size_t b)
{
    const struct kernel_task *task = panel->task;
    const size_t n = task->n, d = task->d;

    panel->q = task->q + b * n * d;
    panel->k = task->k + b * n * d;
    panel->v = task->v + b * n * d;
    pack_keys(panel);
    if (panel->values)
        pack_values(panel);
    if (!task->error)
        return;
    all_squares(panel->q_square, panel->q, n, d, true);
    all_squares(panel->key_square, panel->k, n, d, true);
    running_maximum(panel->key_square, n, task->causal);
    if (panel->values) {
        all_squares(panel->value_norm, panel->v, n, d, false);
        running_maximum(panel->value_norm, n, task->causal);
        take_norms(panel);
    }
}
