/* short_sequences.c -- attention of short sequences, one to a lane. */
#include <float.h>
#include <math.h>

#include "kernel/exp_vectors.h"
#include "kernel/short_group.inc"

/* The argument of exp for a score. */
static inline vector group_argument(vector score, vector top)
{
    return vector_max(vector_set(KERNEL_LEAST_ARGUMENT), vector_sub(score, top));
}

#ifdef ATTEST_DEBUG
/* H2 for the m weights of row i. Lanes with a NaN have no bound. */
static void group_assert_weights(const struct group *group, size_t i, const vector *weight,
                                 size_t m)
{
    for (size_t l = 0; l < VECTOR_LANES; l++) {
        double sum = ((const double *)&group->denominator[i])[l], most = 0.0;

        for (size_t j = 0; j < m && sum == sum; j++) {
            double one = ((const double *)&weight[j])[l];

            KERNEL_ASSERT(H2, one > 0.0 && one <= 1.0);
            most = one > most ? one : most;
        }
        KERNEL_ASSERT(H2, sum != sum || most == 1.0);
        KERNEL_ASSERT(H2, sum != sum || (sum >= 1.0 && sum <= (double)m * (1.0 + 0x1p-20)));
    }
}
#else
#define group_assert_weights(group, i, weight, m) ((void)0)
#endif

/* Softmax, rows of more than FEW_KEYS keys, one or two at a time: two share what they load.
 * `rows` is a compile-time constant everywhere. */

#define EACH_ROW _Pragma("GCC unroll 2") for (int r = 0; r < rows; r++)
#define EACH _Pragma("GCC unroll 4") for (int l = 0; l < count; l++)

enum { TILE = 4 }; /* keys, or columns of values */

/* The scores of rows i, ... for keys j, ..., j + count - 1. Those of row r go to score + r * m;
 * top[r] becomes the largest so far. */
static inline __attribute__((always_inline)) void score_tile(const struct group *group,
                                                             size_t i, size_t j, vector *score,
                                                             size_t m, vector top[2],
                                                             const int count, const int rows)
{
    const size_t d = group->d;
    const vector *q = group->q + (i - group->first) * d, *k = group->k + j * d;
    vector s[2][TILE];

    EACH_ROW EACH s[r][l] = vector_mul(q[(size_t)r * d], k[(size_t)l * d]);
    for (size_t c = 1; c < d; c++)
        EACH_ROW EACH s[r][l] = vector_fma(q[(size_t)r * d + c], k[(size_t)l * d + c], s[r][l]);
    EACH_ROW EACH score[(size_t)r * m + j + (size_t)l] = s[r][l];
    EACH_ROW top[r] = group_largest(s[r], top[r], count);
}

/* The scores of rows i, ... for the first m keys. */
static inline __attribute__((always_inline)) void many_scores(const struct group *group,
                                                              size_t i, vector *score, size_t m,
                                                              vector top[2], const int rows)
{
    size_t j = 0;

    EACH_ROW top[r] = vector_set(-INFINITY);
    for (; j + TILE <= m; j += TILE)
        score_tile(group, i, j, score, m, top, TILE, rows);
    for (; j < m; j++)
        score_tile(group, i, j, score, m, top, 1, rows);
}

/* count scores become weights. */
static inline __attribute__((always_inline)) void weigh(vector *weight, vector top,
                                                        struct exp_table table, const int count)
{
    EACH weight[l] = group_argument(weight[l], top);
    exp_vectors(weight, count, table);
}

static inline void many_weights(vector *weight, size_t m, vector top, struct exp_table table)
{
    for (; m >= 4; m -= 4, weight += 4)
        weigh(weight, top, table, 4);
    if (m == 3)
        weigh(weight, top, table, 3);
    else if (m == 2)
        weigh(weight, top, table, 2);
    else if (m == 1)
        weigh(weight, top, table, 1);
}

/* Columns c, ..., c + count - 1 of the weighted means of m values. */
static inline __attribute__((always_inline)) void
value_tile(struct group *group, size_t i, size_t c, const vector *weight, size_t m,
           const vector reciprocal[2], const int count, const int rows)
{
    const size_t d = group->d;
    const vector *v = group->v + c;
    vector *out = group->out + (i - group->first) * d + c, s[2][TILE];

    EACH_ROW EACH s[r][l] = vector_mul(weight[(size_t)r * m], v[l]);
    for (size_t j = 1; j < m; j++)
        EACH_ROW EACH s[r][l] =
            vector_fma(weight[(size_t)r * m + j], v[j * d + (size_t)l], s[r][l]);
    EACH_ROW EACH out[(size_t)r * d + (size_t)l] = vector_mul(s[r][l], reciprocal[r]);
}

static inline __attribute__((always_inline)) void many_output(struct group *group, size_t i,
                                                              const vector *weight, size_t m,
                                                              vector reciprocal[2],
                                                              const int rows)
{
    vector sum[2];
    size_t c = 0;

    EACH_ROW sum[r] = weight[(size_t)r * m];
    for (size_t j = 1; j < m; j++)
        EACH_ROW sum[r] = vector_add(sum[r], weight[(size_t)r * m + j]);
    EACH_ROW reciprocal[r] = vector_div(vector_set(1.0), sum[r]);
    EACH_ROW group->denominator[i + (size_t)r] = sum[r];
    for (; c + TILE <= group->d; c += TILE)
        value_tile(group, i, c, weight, m, reciprocal, TILE, rows);
    for (; c < group->d; c++)
        value_tile(group, i, c, weight, m, reciprocal, 1, rows);
}

/* The error bounds of rows i, ... */
static inline __attribute__((always_inline)) void
many_bounds(struct group *group, size_t i, const vector *weight, size_t m,
            const vector reciprocal[2], struct bound_terms terms, const int rows)
{
    const vector *out = group->out + (i - group->first) * group->d;
    struct bound_means mean[2];

    EACH_ROW mean[r].key = mean[r].value = mean[r].rounding = mean[r].out = vector_set(0.0);
    for (size_t j = 0; j < m; j++)
        EACH_ROW
        {
            const vector w = weight[(size_t)r * m + j];

            mean[r].key = vector_fma(w, group->key_square[j], mean[r].key);
            mean[r].value = vector_fma(w, group->value_square[j], mean[r].value);
            mean[r].rounding = vector_fma(w, group->value_rounding[j], mean[r].rounding);
        }
    for (size_t c = 0; c < group->d; c++)
        EACH_ROW mean[r].out = vector_fma(out[(size_t)r * group->d + c],
                                          out[(size_t)r * group->d + c], mean[r].out);
    EACH_ROW
    {
        mean[r].key = vector_mul(mean[r].key, reciprocal[r]);
        mean[r].value = vector_mul(mean[r].value, reciprocal[r]);
        mean[r].rounding = vector_mul(mean[r].rounding, reciprocal[r]);
        bound_many(group, terms, i + (size_t)r, mean[r]);
    }
}

/* Rows i, ..., which see m keys; with error bounds unless terms is NULL. */
static inline __attribute__((always_inline)) void evaluate_many(struct group *group, size_t i,
                                                                size_t m,
                                                                const struct bound_terms *terms,
                                                                const int rows)
{
    const struct exp_table table = exp_table_load();
    vector weight[2 * SHORT_LENGTH], top[2], reciprocal[2];

    many_scores(group, i, weight, m, top, rows);
    EACH_ROW many_weights(weight + (size_t)r * m, m, top[r], table);
    many_output(group, i, weight, m, reciprocal, rows);
    EACH_ROW group_assert_weights(group, i + (size_t)r, weight + (size_t)r * m, m);
    if (terms)
        many_bounds(group, i, weight, m, reciprocal, *terms, rows);
}

static void rows_of_many_keys(struct group *group, size_t end, const struct bound_terms *terms)
{
    size_t i = group->first;

    for (; !group->causal && i + 2 <= end; i += 2)
        evaluate_many(group, i, group->n, terms, 2);
    for (; i < end; i++)
        evaluate_many(group, i, group_visible(group, i), terms, 1);
}

#undef EACH
#undef EACH_ROW

/* Softmax, rows of at most FEW_KEYS keys. */

/* Step 1, row i over the first m keys, m a compile-time constant: arguments of exp. */
static inline __attribute__((always_inline)) void
make_arguments(const struct group *group, size_t i, vector *weight, size_t d, const int m)
{
    vector score[FEW_KEYS], top;

    group_scores(score, group->q + (i - group->first) * d, group->k, d, m);
    top = group_largest(score + 1, score[0], m - 1);
#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        weight[j] = group_argument(score[j], top);
}

/* Step 2: arguments become weights. */
static void make_weights(vector *weight, size_t count)
{
    const struct exp_table table = exp_table_load();
    size_t i = 0;

    for (; i + 4 <= count; i += 4)
        exp_vectors(weight + i, 4, table);
    for (; i < count; i++)
        exp_vectors(weight + i, 1, table);
}

/* Step 3, row i: the weighted mean of the first m values. */
static inline __attribute__((always_inline)) void
make_output(struct group *group, size_t i, const vector *from, size_t d, const int m)
{
    vector weight[FEW_KEYS], sum = from[0], reciprocal;

#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        weight[j] = from[j];
#pragma GCC unroll 8
    for (int j = 1; j < m; j++)
        sum = vector_add(sum, weight[j]);
    reciprocal = vector_div(vector_set(1.0), sum);
    group->denominator[i] = sum;
    for (size_t c = 0; c < d; c++) {
        vector value = vector_mul(weight[0], group->v[c]);

#pragma GCC unroll 8
        for (int j = 1; j < m; j++)
            value = vector_fma(weight[j], group->v[(size_t)j * d + c], value);
        group->out[(i - group->first) * d + c] = vector_mul(value, reciprocal);
    }
}

/* Steps 1 and 3 for rows first, ..., end - 1, each over the same number m of keys: with it in
 * the name, the scores and weights of a row stay in registers. */
#define ROWS_OF_ARGUMENTS(d, m)                                                                \
    for (size_t i = first; i < end; i++, weight += m)                                          \
    make_arguments(group, i, weight, d, m)
#define ROWS_OF_OUTPUT(d, m)                                                                   \
    for (size_t i = first; i < end; i++, weight += m)                                          \
    make_output(group, i, weight, d, m)
#define DEFINE_STEPS(m)                                                                        \
    static void arguments_##m(const struct group *group, size_t first, size_t end,             \
                              vector *weight)                                                  \
    {                                                                                          \
        SWITCH_DIMENSION(group->d, ROWS_OF_ARGUMENTS, m)                                       \
    }                                                                                          \
    static void output_##m(struct group *group, size_t first, size_t end,                      \
                           const vector *weight)                                               \
    {                                                                                          \
        SWITCH_DIMENSION(group->d, ROWS_OF_OUTPUT, m)                                          \
    }
EACH_NUMBER_OF_KEYS(DEFINE_STEPS)

static void (*const arguments[])(const struct group *, size_t first, size_t end,
                                 vector *weight) = TABLE_BY_KEYS(arguments);
static void (*const output[])(struct group *, size_t first, size_t end,
                              const vector *weight) = TABLE_BY_KEYS(output);

/* All n rows, at most FEW_KEYS, over all keys. A step is done for all of them before the next
 * one: a row alone is one long chain of dependent operations, several fill the processor. */
static void rows_of_few_keys(struct group *group, const struct bound_terms *terms)
{
    vector weight[FEW_KEYS * FEW_KEYS];
    const size_t n = group->n;
    struct deltas deltas;

    arguments[n](group, 0, n, weight);
    make_weights(weight, n * n);
    if (terms) /* here, where the processor has time for it */
        deltas = n == 4 ? all_deltas(group, *terms, 4) : all_deltas(group, *terms, n);
    output[n](group, 0, n, weight);
    for (size_t i = 0; i < n; i++)
        group_assert_weights(group, i, weight + i * n, n);
    if (!terms)
        return;
    if (n == 1)
        bound_alone(group);
    else if (n == 4)
        bound_few(group, *terms, deltas, 4);
    else
        bound_few(group, *terms, deltas, n);
}

/* Rows 0, ..., rows - 1, at most FEW_KEYS, of a causal mask: row i has i + 1 weights, from
 * i (i + 1) / 2 on. */
static void causal_rows_of_few_keys(struct group *group, size_t rows,
                                    const struct bound_terms *terms)
{
    vector weight[FEW_KEYS * (FEW_KEYS + 1) / 2];

    for (size_t i = 0; i < rows; i++)
        arguments[i + 1](group, i, i + 1, weight + i * (i + 1) / 2);
    make_weights(weight, rows * (rows + 1) / 2);
    for (size_t i = 0; i < rows; i++) {
        output[i + 1](group, i, i + 1, weight + i * (i + 1) / 2);
        group_assert_weights(group, i, weight + i * (i + 1) / 2, i + 1);
    }
    if (!terms)
        return;
    bound_alone(group);
    bound_causal(group, rows, *terms);
}

/* The rows at hand, up to end. */
static void softmax_rows(struct group *group, size_t end, const struct bound_terms *terms)
{
    if (terms)
        prepare_rows(group, end);
    if (group_visible(group, group->first) > FEW_KEYS)
        rows_of_many_keys(group, end, terms);
    else if (group->causal)
        causal_rows_of_few_keys(group, end, terms);
    else
        rows_of_few_keys(group, terms);
}

void KERNEL_FUNCTION(short_softmax)(const struct kernel_task *task)
{
    const size_t n = task->n;
    const struct bound_terms terms = attest_bound_terms(task->d, n, n, n);
    struct group group;

    for (size_t b = 0; b < task->batch; b += VECTOR_LANES) {
        group_fetch(&group, task, b);
        if (task->error)
            prepare_keys(&group);
        for (size_t first = 0, end; first < n; first = end) {
            end = group_fetch_rows(&group, task, b, first);
            softmax_rows(&group, end, task->error ? &terms : NULL);
            group_put_rows(&group, task, b, end);
        }
        group_put_errors(&group, task, b);
    }
}

/* Hardmax. */

/* Row i from its m scores, m a compile-time constant or not, whose largest is top and which are
 * off by at most delta. Returns the lanes (as bits) where more than one key may have the
 * largest exact score, or where delta is not finite; in the others the error is 0. */
static inline __attribute__((always_inline)) unsigned choose(struct group *group, size_t i,
                                                             const vector *score, vector top,
                                                             vector delta, size_t d, size_t m)
{
    const vector one = vector_set(1.0), zero = vector_set(0.0);
    const vector threshold = vector_fnma(vector_set(ATTEST_BOUND_MARGIN), delta, top);
    vector_mask wins[SHORT_LENGTH];
    vector tied = zero, near = zero, finite = zero, reciprocal;

#pragma GCC unroll 8
    for (size_t j = 0; j < m; j++) {
        vector_mask close = vector_not_less(score[j], threshold);

        wins[j] = vector_equal(score[j], top);
        near = vector_add(near, vector_keep(close, one));
        tied = vector_add(tied, vector_keep(wins[j], one));
    }
    reciprocal = vector_div(one, tied);
    for (size_t c = 0; c < d; c++) {
        vector value = zero;

#pragma GCC unroll 8
        for (size_t j = 0; j < m; j++)
            value = vector_add(value, vector_keep(wins[j], group->v[j * d + c]));
        value = vector_mul(value, reciprocal);
        group->out[(i - group->first) * d + c] = value;
        finite = vector_fma(value, zero, finite); /* 0 or NaN */
    }
    group->error[i] = vector_select(vector_equal(finite, zero), zero, vector_set(INFINITY));
    return VECTOR_ALL & ~vector_bits(vector_both(vector_equal(near, one),
                                                 vector_at_most(delta, vector_set(DBL_MAX))));
}

static inline __attribute__((always_inline)) unsigned
choose_few(struct group *group, size_t i, vector delta, size_t d, const int m)
{
    vector score[FEW_KEYS];

    group_scores(score, group->q + (i - group->first) * d, group->k, d, m);
    return choose(group, i, score, group_largest(score, vector_set(-INFINITY), m), delta, d,
                  (size_t)m);
}

/* choose() for row i over m keys. */
#define CHOOSE(d, m) return choose_few(group, i, delta, d, m)
#define DEFINE_CHOOSE(m)                                                                       \
    static unsigned choose_##m(struct group *group, size_t i, vector delta)                    \
    {                                                                                          \
        SWITCH_DIMENSION(group->d, CHOOSE, m)                                                  \
    }
EACH_NUMBER_OF_KEYS(DEFINE_CHOOSE)

static unsigned (*const choices[])(struct group *, size_t i,
                                   vector delta) = TABLE_BY_KEYS(choose);

static unsigned choose_many(struct group *group, size_t i, size_t m, vector delta)
{
    vector score[SHORT_LENGTH], top[2];

    many_scores(group, i, score, m, top, 1);
    return choose(group, i, score, top[0], delta, group->d, m);
}

/* Decides the sequences of row i whose lanes are set in `open`, one by one. */
static void decide_open(struct group *group, const struct kernel_task *task, size_t b, size_t i,
                        vector delta, unsigned open)
{
    const size_t n = task->n, d = task->d;
    double each[VECTOR_LANES], error[VECTOR_LANES];

    vector_store(each, delta);
    vector_store(error, group->error[i]);
    for (size_t l = 0; l < group->lanes; l++) {
        size_t offset = (b + l) * n * d;

        if (open >> l & 1)
            error[l] =
                attest_bound_hardmax(task->q + offset + i * d, task->k + offset,
                                     task->v + offset, kernel_visible(task, i), d, each[l]);
    }
    group->error[i] = vector_load(error);
}

/* Row i; *key is the largest |k|_w^2 of the first *seen keys. */
static void hardmax_row(struct group *group, const struct kernel_task *task, size_t b, size_t i,
                        struct bound_terms terms, vector *key, size_t *seen)
{
    const size_t d = group->d, m = group_visible(group, i);
    vector delta = vector_set(0.0);
    unsigned open;

    if (task->error) {
        for (; *seen < m; ++*seen)
            *key = vector_max(*key, group_weighted_square(group->k + *seen * d, d));
        delta = bound_hardmax_delta(
            terms, group_weighted_square(group->q + (i - group->first) * d, d), *key);
    }
    open = m > FEW_KEYS ? choose_many(group, i, m, delta) : choices[m](group, i, delta);
    if (task->error && open)
        decide_open(group, task, b, i, delta, open);
}

void KERNEL_FUNCTION(short_hardmax)(const struct kernel_task *task)
{
    const struct bound_terms terms = attest_bound_terms(task->d, 2, 2, 2);
    struct group group;

    for (size_t b = 0; b < task->batch; b += VECTOR_LANES) {
        vector key = vector_set(0.0);
        size_t seen = 0;

        group_fetch(&group, task, b);
        for (size_t first = 0, end; first < task->n; first = end) {
            end = group_fetch_rows(&group, task, b, first);
            for (size_t i = first; i < end; i++)
                hardmax_row(&group, task, b, i, terms, &key, &seen);
            group_put_rows(&group, task, b, end);
        }
        group_put_errors(&group, task, b);
    }
}
