/* long_sequences.c -- attention of sequences of any length, in tiles of 6 rows by two vectors
 * of four, or of 12 rows by two vectors of eight. */
#include "kernel/long_panel.inc"

#include "kernel/long_tiles.inc"

#include "kernel/long_bound.inc"

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

static void softmax_block(struct panel *panel, size_t b, struct block *block,
                          struct bound_terms terms)
{
    const struct kernel_task *task = panel->task;
    const size_t n = panel->n, d = panel->d, first = block->first, rows = block->rows;

    block->keys = kernel_visible(task, first + rows - 1);
    panel_scores(panel, first, rows);
    panel_assert_scores(panel, first, rows);
    for (size_t r = 0; r < rows; r++) {
        double *score = panel->scores + r * panel->stride;
        size_t m = kernel_visible(task, first + r);

        panel_prefetch_row(panel, first + r);
        block->denominator[r] = KERNEL_FUNCTION(weights)(score, m, panel_top(panel, r));
        panel_assert_weights(score, m, block->denominator[r]);
        for (size_t j = m; j < panel_round_up(block->keys, PANEL_STEP); j++)
            score[j] = 0.0;
    }
    for (size_t r = 0; r < rows; r += VECTOR_LANES)
        vector_store(block->reciprocal + r,
                     vector_div(vector_set(1.0), vector_load(block->denominator + r)));
    panel_sums(panel, (struct weights){panel->scores, panel->stride, 1}, rows, block->keys, 0);
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

/* True if a value is not finite under a causal mask. Rows of a block that do not see a key give
 * it weight 0, and 0 times an infinity is a NaN: such entries go to the scalar kernel, which
 * evaluates row by row. */
static bool has_infinite_value(const struct kernel_task *task, size_t b)
{
    const double *v = task->v + b * task->n * task->d;
    double zero = 0.0;

    for (size_t i = 0; task->causal && i < task->n * task->d; i++)
        zero += 0.0 * v[i];
    return zero != 0.0;
}

static void softmax_by_rows(const struct kernel_task *task, size_t b)
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

bool KERNEL_FUNCTION(long_softmax)(const struct kernel_task *task)
{
    double local[PANEL_LOCAL] __attribute__((aligned(64)));
    const size_t n = task->n;
    struct bound_terms terms =
        attest_bound_terms(task->d, n, panel_sum_depth(n), panel_value_depth(n));
    struct panel panel;

    terms.value_sums = (double)(n + (n - 1) / BLOCK_KEYS);
    if (!panel_init(&panel, task, true, local))
        return false;
    panel_assert_depths(n);
    for (size_t b = 0; b < task->batch; b++) {
        if (has_infinite_value(task, b)) {
            softmax_by_rows(task, b);
            continue;
        }
        panel_pack(&panel, b);
        if (task->error)
            panel_spectral(&panel);
        softmax_entry(&panel, b, terms);
    }
    panel_clear(&panel);
    return true;
}

/* Hardmax. */

/* The keys of a row that win or may win. */
struct winners {
    size_t tied; /* keys with the largest computed score */
    size_t near; /* keys that may have the largest exact score */
};

/* The keys among j, ..., j + 15 whose scores are not below the limit, as bits. Only the first m
 * keys count; the scores past them are read and may be anything. */
static inline unsigned near_keys(const double *score, size_t j, size_t m, __m256d limit)
{
    __m256d near[4], any;
    unsigned bits = 0;

#pragma GCC unroll 4
    for (int l = 0; l < 4; l++)
        near[l] = _mm256_cmp_pd(_mm256_load_pd(score + j + 4 * l), limit, _CMP_NLT_UQ);
    any = _mm256_or_pd(_mm256_or_pd(near[0], near[1]), _mm256_or_pd(near[2], near[3]));
    if (__builtin_expect(_mm256_testz_pd(any, any), 1))
        return 0;
#pragma GCC unroll 4
    for (int l = 0; l < 4; l++)
        bits |= (unsigned)_mm256_movemask_pd(near[l]) << 4 * l;
    return m - j < 16 ? bits & ((1u << (m - j)) - 1) : bits;
}

/* Adds v to out, or copies it there if it is the first. */
static inline void add_value(double *out, const double *v, size_t d, bool first)
{
    size_t c = 0;

    for (; c + 4 <= d; c += 4) {
        __m256d value = _mm256_loadu_pd(v + c);

        if (!first)
            value = _mm256_add_pd(_mm256_loadu_pd(out + c), value);
        _mm256_storeu_pd(out + c, value);
    }
    for (; c < d; c++)
        out[c] = first ? v[c] : out[c] + v[c];
}

/* True if all entries are finite: their products with 0 are then 0. */
static inline bool is_finite(const double *x, size_t d)
{
    __m256d zero = _mm256_setzero_pd();
    double rest = 0.0;
    size_t c = 0;

    for (; c + 4 <= d; c += 4)
        zero = _mm256_fmadd_pd(_mm256_loadu_pd(x + c), _mm256_setzero_pd(), zero);
    for (; c < d; c++)
        rest += x[c] * 0.0;
    zero = _mm256_cmp_pd(zero, _mm256_setzero_pd(), _CMP_EQ_OQ);
    return _mm256_movemask_pd(zero) == 15 && rest == 0.0;
}

/* out = the sum of the values of the tied keys, in the order of the keys; 0 if scores are NaN,
 * when no key ties. */
static struct winners add_winners(double *out, const double *score, size_t m, double top,
                                  double threshold, const double *v, size_t d)
{
    const __m256d limit = _mm256_set1_pd(threshold);
    struct winners found = {0, 0};

    for (size_t j = 0; j < m; j += 16) {
        for (unsigned bits = near_keys(score, j, m, limit); bits; bits &= bits - 1) {
            size_t i = j + (size_t)__builtin_ctz(bits);

            found.near++;
            if (score[i] != top)
                continue;
            add_value(out, v + i * d, d, found.tied++ == 0);
        }
    }
    if (found.tied == 0)
        memset(out, 0, d * sizeof *out);
    return found;
}

/* Bounds the rounding errors of the scores of row i by multiply and add, which
 * attest_bound_hardmax computes; they are larger than the kernel's. */
static double delta_again(const struct panel *panel, size_t i)
{
    const struct bound_terms terms = attest_bound_terms(panel->d, 2, 2, 2);
    const size_t d = panel->d, m = kernel_visible(panel->task, i);
    double most = 0.0;

    for (size_t j = 0; j < m; j++) {
        double square = attest_bound_square(panel->k + j * d, d);

        most = square > most ? square : most;
    }
    return attest_bound_delta(terms, attest_bound_square(panel->q + i * d, d), most);
}

/* Row first + r of the batch entry, whose scores are rounded by delta at most; its error bound
 * goes to *error if that is not NULL. */
static void hardmax_row(const struct panel *panel, double *out, size_t first, size_t r,
                        double delta, double *error)
{
    const size_t i = first + r, d = panel->d, m = kernel_visible(panel->task, i);
    const double *score = panel->scores + r * panel->stride;
    double top = panel_top(panel, r);
    struct winners found =
        add_winners(out, score, m, top, top - ATTEST_BOUND_MARGIN * delta, panel->v, d);

    if (found.tied != 1) {
        double reciprocal = 1.0 / (double)found.tied; /* 0/0 below where all scores are NaN */

        for (size_t c = 0; c < d; c++)
            out[c] *= reciprocal;
    }
    if (!error)
        return;
    if (found.near != 1 || !(delta <= DBL_MAX))
        *error = attest_bound_hardmax(panel->q + i * d, panel->k, panel->v, m, d,
                                      delta_again(panel, i));
    else
        *error = is_finite(out, d) ? 0.0 : INFINITY;
    KERNEL_ASSERT(H6, *error != 0.0 || found.near != 1 || found.tied == 1);
}

static void hardmax_block(struct panel *panel, size_t b, size_t first, size_t rows)
{
    const struct kernel_task *task = panel->task;
    const struct bound_terms terms = attest_bound_terms(panel->d, 2, 2, 2);
    const size_t row = b * panel->n + first;
    double delta[BLOCK_ROWS] = {0.0};

    for (size_t r = 0; task->error && r < rows; r += VECTOR_LANES)
        vector_store(delta + r,
                     bound_hardmax_delta(terms, vector_load(panel->q_square + first + r),
                                         vector_load(panel->key_most + first + r)));
    panel_scores(panel, first, rows);
    panel_assert_scores(panel, first, rows);
    for (size_t r = 0; r < rows; r++) {
        panel_prefetch_row(panel, first + r);
        hardmax_row(panel, task->out + (row + r) * panel->d, first, r, delta[r],
                    task->error ? task->error + row + r : NULL);
    }
}

bool KERNEL_FUNCTION(long_hardmax)(const struct kernel_task *task)
{
    double local[PANEL_LOCAL] __attribute__((aligned(64)));
    const size_t n = task->n;
    struct panel panel;

    if (!panel_init(&panel, task, false, local))
        return false;
    for (size_t b = 0; b < task->batch; b++) {
        panel_pack(&panel, b);
        for (size_t i = 0; i < n; i += BLOCK_ROWS)
            hardmax_block(&panel, b, i, n - i < BLOCK_ROWS ? n - i : BLOCK_ROWS);
    }
    panel_clear(&panel);
    return true;
}
