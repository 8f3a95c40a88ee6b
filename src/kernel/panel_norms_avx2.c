/* panel_norms_avx2.c -- the norms that the error bound of longer sequences needs. */
#include <float.h>
#include <math.h>

#include "kernel/panel_avx2.h"

#define EACH_ROW _Pragma("GCC unroll 4") for (size_t l = 0; l < 4; l++)

/* The squares of the norms of rows i, ..., i + 3 of x, or of their weighted norms (see
 * bound.h); past the last row it is repeated. */
static inline __attribute__((always_inline)) __m256d
four_squares(const double *x, size_t i, size_t n, size_t d, const bool weighted)
{
    const __m256d lane = _mm256_setr_pd(0.0, 1.0, 2.0, 3.0), four = _mm256_set1_pd(4.0);
    __m256d weight = _mm256_sub_pd(_mm256_set1_pd((double)d), lane), low, high;
    const double *row[4];
    __m256d sum[4];

    EACH_ROW
    {
        row[l] = x + (i + l < n ? i + l : n - 1) * d;
        sum[l] = _mm256_setzero_pd();
    }
    for (size_t c = 0; c + 4 <= d; c += 4, weight = _mm256_sub_pd(weight, four)) {
        EACH_ROW
        {
            __m256d entry = _mm256_loadu_pd(row[l] + c);

            sum[l] =
                _mm256_fmadd_pd(weighted ? _mm256_mul_pd(entry, weight) : entry, entry, sum[l]);
        }
    }
    if (d % 4 != 0) {
        const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(d % 4)),
                                                _mm256_setr_epi64x(0, 1, 2, 3));

        EACH_ROW
        {
            __m256d tail = _mm256_maskload_pd(row[l] + d / 4 * 4, mask);

            sum[l] =
                _mm256_fmadd_pd(weighted ? _mm256_mul_pd(tail, weight) : tail, tail, sum[l]);
        }
    }
    low = _mm256_hadd_pd(sum[0], sum[1]);
    high = _mm256_hadd_pd(sum[2], sum[3]);
    return _mm256_add_pd(_mm256_set1_pd(ATTEST_BOUND_SQUARE_FLOOR),
                         _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x20),
                                       _mm256_permute2f128_pd(low, high, 0x31)));
}

/* The squares of the weighted norms of the keys j, ..., j + 3, from their panel: entry c is in
 * d - c of the squares that are added up. */
static inline __m256d key_squares(const struct panel *panel, size_t j)
{
    const double *key = panel->keys + j / PANEL_KEYS * PANEL_KEYS * panel->d + j % PANEL_KEYS;
    __m256d square = _mm256_set1_pd(ATTEST_BOUND_SQUARE_FLOOR), sum = _mm256_setzero_pd();

    for (size_t c = 0; c < panel->d; c++) {
        __m256d entry = _mm256_load_pd(key + PANEL_KEYS * c);

        square = _mm256_fmadd_pd(entry, entry, square);
        sum = _mm256_add_pd(sum, square);
    }
    return sum;
}

/* most[i] becomes the largest of most[0..i] (causal) or of all. */
static void spread_maximum(double *most, size_t n, bool causal)
{
    __m256d all = _mm256_load_pd(most);
    __m128d pair;

    for (size_t i = 1; causal && i < n; i++)
        most[i] = most[i] > most[i - 1] ? most[i] : most[i - 1];
    if (causal)
        return;
    for (size_t i = 4; i < n; i += 4)
        all = _mm256_max_pd(all, _mm256_load_pd(most + i));
    pair = _mm_max_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd(all, 1));
    all = _mm256_broadcastsd_pd(_mm_max_pd(pair, _mm_unpackhi_pd(pair, pair)));
    for (size_t i = 0; i < n; i += 4)
        _mm256_store_pd(most + i, all);
}

static void value_norms(struct panel *panel)
{
    const size_t n = panel->n, d = panel->d;
    const __m256d lane = _mm256_setr_pd(0.0, 1.0, 2.0, 3.0);

    for (size_t j = 0; j < n; j += 4) { /* a block does not end within four keys */
        __m256d square = four_squares(panel->v, j, n, d, false);
        __m256d depth =
            _mm256_sub_pd(_mm256_set1_pd((double)panel_value_roundings(j, n)), lane);

        /* min gives its second operand for a NaN. */
        _mm256_store_pd(panel->value_most + j, _mm256_min_pd(square, _mm256_set1_pd(INFINITY)));
        square = _mm256_min_pd(square, _mm256_set1_pd(ATTEST_BOUND_SQUARE_MAX));
        _mm256_store_pd(panel->value_square + j, square);
        _mm256_store_pd(panel->value_rounding + j,
                        _mm256_mul_pd(_mm256_mul_pd(depth, depth), square));
    }
    spread_maximum(panel->value_most, n, panel->task->causal);
}

void attest_panel_norms(struct panel *panel)
{
    const size_t n = panel->n, d = panel->d;

    for (size_t i = 0; i < n; i += 4) {
        __m256d key = key_squares(panel, i);

        _mm256_store_pd(panel->q_square + i, four_squares(panel->q, i, n, d, true));
        _mm256_store_pd(panel->key_most + i, _mm256_min_pd(key, _mm256_set1_pd(INFINITY)));
        _mm256_store_pd(panel->key_square + i, _mm256_min_pd(key, _mm256_set1_pd(DBL_MAX)));
    }
    spread_maximum(panel->key_most, n, panel->task->causal);
    if (panel->values)
        value_norms(panel);
}

double attest_panel_norm_most(struct panel *panel, size_t i)
{
    const size_t n = panel->n, d = panel->d;

    if (!panel->has_norm_most) {
        for (size_t j = 0; j < (n + 3) / 4 * 4; j++)
            panel->norm_most[j] = j < n ? attest_bound_norm(panel->v + j * d, d, n) : 0.0;
        spread_maximum(panel->norm_most, n, panel->task->causal);
        panel->has_norm_most = true;
    }
    return panel->norm_most[i];
}
