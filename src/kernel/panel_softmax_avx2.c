/* panel_softmax_avx2.c -- softmax attention of longer sequences. */
#include <math.h>
#include <string.h>

#include "kernel/bound_avx2.h"
#include "kernel/panel_avx2.h"
#include "kernel/panel_debug_avx2.h"

#define EACH _Pragma("GCC unroll 4") for (int l = 0; l < 4; l++)

/* A block of rows on its way to the output. Entries past the last row are never set: vectors
 * read them, and what comes of it is dropped. */
struct block {
    size_t first, rows;
    size_t keys; /* the longest row's */
    double denominator[BLOCK_ROWS] __attribute__((aligned(32)));
    double reciprocal[BLOCK_ROWS] __attribute__((aligned(32)));
    __m256d square[BLOCK_ROWS]; /* of the norm of the output, by lane */
};

/* out = sums * reciprocal. Returns the square of its norm, by lane. */
static __m256d finish_row(double *out, const double *sums, double reciprocal, size_t d)
{
    __m256d square = _mm256_setzero_pd();
    double rest = 0.0;
    size_t c = 0;

    for (; c + 4 <= d; c += 4) {
        __m256d entry = _mm256_mul_pd(_mm256_load_pd(sums + c), _mm256_set1_pd(reciprocal));

        _mm256_storeu_pd(out + c, entry);
        square = _mm256_fmadd_pd(entry, entry, square);
    }
    for (; c < d; c++) {
        out[c] = sums[c] * reciprocal;
        rest += out[c] * out[c];
    }
    return _mm256_add_pd(square, _mm256_setr_pd(rest, 0.0, 0.0, 0.0));
}

/* Adds up the lanes of each of four vectors. */
static inline __m256d add_lanes(const __m256d x[4])
{
    __m256d low = _mm256_hadd_pd(x[0], x[1]), high = _mm256_hadd_pd(x[2], x[3]);

    return _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x20),
                         _mm256_permute2f128_pd(low, high, 0x31));
}

/* The weighted means of rows r, ..., r + 3 of the block. */
static struct bound_means row_means(const struct panel *panel, const struct block *block,
                                    size_t r)
{
    const double *weight = panel->scores + r * panel->stride;
    const __m256d scale = _mm256_load_pd(block->reciprocal + r);
    __m256d key[4], value[4], rounding[4];

    EACH key[l] = value[l] = rounding[l] = _mm256_setzero_pd();
    for (size_t j = 0; j < block->keys; j += 4) {
        __m256d k = _mm256_load_pd(panel->key_square + j);
        __m256d v = _mm256_load_pd(panel->value_square + j);
        __m256d g = _mm256_load_pd(panel->value_rounding + j);

        EACH
        {
            __m256d w = _mm256_load_pd(weight + (size_t)l * panel->stride + j);

            key[l] = _mm256_fmadd_pd(w, k, key[l]);
            value[l] = _mm256_fmadd_pd(w, v, value[l]);
            rounding[l] = _mm256_fmadd_pd(w, g, rounding[l]);
        }
    }
    return (struct bound_means){
        .key = _mm256_mul_pd(scale, add_lanes(key)),
        .value = _mm256_mul_pd(scale, add_lanes(value)),
        .rounding = _mm256_mul_pd(scale, add_lanes(rounding)),
        .out = add_lanes(block->square + r),
    };
}

/* The lanes (as bits) of rows i, ..., i + 3 for which the bound by weights holds. */
static inline int sharp_holds(const struct panel *panel, size_t i, struct bound_terms terms)
{
    __m256d value = _mm256_loadu_pd(panel->value_most + i);
    __m256d delta_square = _mm256_mul_pd(_mm256_loadu_pd(panel->q_square + i),
                                         _mm256_set1_pd(terms.dot * terms.dot));
    __m256d holds;

    delta_square = _mm256_mul_pd(delta_square, _mm256_loadu_pd(panel->key_most + i));
    holds = _mm256_cmp_pd(delta_square, _mm256_set1_pd(ATTEST_BOUND_SHARP_DELTA_SQUARE),
                          _CMP_LE_OQ);
    holds = _mm256_and_pd(
        holds, _mm256_cmp_pd(value, _mm256_set1_pd(ATTEST_BOUND_SQUARE_MIN), _CMP_GE_OQ));
    holds = _mm256_and_pd(
        holds, _mm256_cmp_pd(value, _mm256_set1_pd(ATTEST_BOUND_SQUARE_MAX), _CMP_LE_OQ));
    return _mm256_movemask_pd(holds);
}

/* The bound by norms of row i. */
static double bound_by_norms(struct panel *panel, size_t i, double denominator,
                             struct bound_terms terms)
{
    double norm;

    if (kernel_visible(panel->task, i) == 1) { /* exact */
        terms = attest_bound_terms(panel->d, 1, 1, 1);
        norm = attest_bound_norm(panel->v, panel->d, 1);
    } else {
        norm = attest_panel_norm_most(panel, i);
    }
    return attest_bound_row(terms, panel->q_square[i], panel->key_most[i], norm, denominator);
}

static void bound_block(struct panel *panel, const struct block *block,
                        struct bound_terms terms, double *error)
{
    double bound[BLOCK_ROWS];

    for (size_t r = 0; r < block->rows; r += 4) {
        const size_t i = block->first + r;
        const struct bound_means mean = row_means(panel, block, r);
        int holds = sharp_holds(panel, i, terms);

        if (kernel_visible(panel->task, i) == 1)
            holds &= ~1;
        panel_assert_sharp(panel, i, holds, terms, mean);
        _mm256_storeu_pd(bound + r,
                         bound_sharp(terms, _mm256_loadu_pd(panel->q_square + i), mean));
        for (size_t l = 0; holds != 15 && l < 4 && r + l < block->rows; l++)
            if (!(holds >> l & 1))
                bound[r + l] = bound_by_norms(panel, i + l, block->denominator[r + l], terms);
    }
    memcpy(error + block->first, bound, block->rows * sizeof *error);
}

static void softmax_block(struct panel *panel, size_t b, struct block *block,
                          struct bound_terms terms)
{
    const struct kernel_task *task = panel->task;
    const size_t n = panel->n, d = panel->d, first = block->first, rows = block->rows;

    block->keys = kernel_visible(task, first + rows - 1);
    attest_panel_scores(panel, first, rows);
    panel_assert_scores(panel, first, rows);
    for (size_t r = 0; r < rows; r++) {
        double *score = panel->scores + r * panel->stride;
        size_t m = kernel_visible(task, first + r);

        panel_prefetch_row(panel, first + r);
        block->denominator[r] = panel->make_weights(score, m, panel_top(panel, r));
        panel_assert_weights(score, m, block->denominator[r]);
        for (size_t j = m; j < (block->keys + 3) / 4 * 4; j++)
            score[j] = 0.0;
    }
    for (size_t r = 0; r < rows; r += 4)
        _mm256_store_pd(
            block->reciprocal + r,
            _mm256_div_pd(_mm256_set1_pd(1.0), _mm256_load_pd(block->denominator + r)));
    attest_panel_sums(panel, rows, block->keys);
    for (size_t r = 0; r < rows; r++)
        block->square[r] =
            finish_row(task->out + (b * n + first + r) * d, panel->sums + r * panel->columns,
                       block->reciprocal[r], d);
    if (task->error)
        bound_block(panel, block, terms, task->error + b * n);
}

/* All rows of batch entry b. */
static void softmax_entry(struct panel *panel, size_t b, struct bound_terms terms)
{
    const size_t n = panel->n;
    struct block block;

    for (block.first = 0; block.first < n; block.first += BLOCK_ROWS) {
        block.rows = n - block.first < BLOCK_ROWS ? n - block.first : BLOCK_ROWS;
        softmax_block(panel, b, &block, terms);
    }
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

bool attest_avx2_panel_softmax(const struct kernel_task *task, kernel_weights *make_weights)
{
    double local[PANEL_LOCAL] __attribute__((aligned(64)));
    const size_t n = task->n;
    struct bound_terms terms =
        attest_bound_terms(task->d, n, panel_sum_depth(n), panel_value_depth(n));
    struct panel panel;

    if (!attest_panel_init(&panel, task, true, local))
        return false;
    panel.make_weights = make_weights;
    panel_assert_depths(n);
    for (size_t b = 0; b < task->batch; b++) {
        if (needs_care(task, b)) {
            softmax_carefully(task, b);
            continue;
        }
        attest_panel_pack(&panel, b);
        softmax_entry(&panel, b, terms);
    }
    attest_panel_clear(&panel);
    return true;
}
