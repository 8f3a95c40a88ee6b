/* panel_avx2.c -- scratch memory and packing for longer sequences. */
#include "kernel/panel_avx2.h"

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
    total = lines * d + BLOCK_ROWS * panel->stride + 4 * BLOCK_ROWS + 7 * lines + 11 * 8;
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
    panel->key_most = take(&part, lines);
    panel->key_square = take(&part, lines);
    panel->value_square = take(&part, lines);
    panel->value_rounding = take(&part, lines);
    panel->value_most = take(&part, lines);
    panel->norm_most = take(&part, lines);
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

void attest_panel_pack(struct panel *panel, size_t b)
{
    const struct kernel_task *task = panel->task;
    const size_t n = task->n, d = task->d;

    panel->q = task->q + b * n * d;
    panel->k = task->k + b * n * d;
    panel->v = task->v + b * n * d;
    panel->out = task->out + b * n * d;
    panel->last = b + 1 == task->batch;
    panel->has_norm_most = false;
    pack_keys(panel);
    if (panel->values)
        pack_values(panel);
    if (task->error)
        attest_panel_norms(panel);
}
