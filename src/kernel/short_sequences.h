/* short_sequences.h -- a group of short sequences, one to a lane: loading and storing them,
 * norms and scores. */
#ifndef ATTEST_KERNEL_SHORT_SEQUENCES_H
#define ATTEST_KERNEL_SHORT_SEQUENCES_H

#include <string.h>

#include "kernel/bound_vectors.h"
#include "kernel/kernel.h"

/* All rows that see at most FEW_KEYS keys are evaluated together, the others ROWS_AT_ONCE at a
 * time. */
enum { FEW_KEYS = 8, ROWS_AT_ONCE = 4 };

/* A load whose address agrees with that of a recent store in the low 12 bits waits for the
 * store: a quarter of 4096 bytes more keeps the four arrays apart. */
#define GROUP_ROOM (SHORT_SIZE + 1024 / sizeof(vector))

/* Entry c of token j of all sequences is vector j*d + c of k and v. q and out
 * contain only the rows at hand: entry c of row first + r is vector r*d + c there. */
struct group {
    size_t n, d;
    bool causal;
    size_t lanes; /* in use */
    size_t first;
    vector q[GROUP_ROOM], k[GROUP_ROOM], v[GROUP_ROOM], out[GROUP_ROOM];
    /* Row by row; denominator for softmax only. */
    vector denominator[SHORT_LENGTH], error[SHORT_LENGTH];
    /* Softmax with bounds, see bound.h. Row by row: */
    vector q_square[SHORT_LENGTH]; /* |q|_w^2 */
    /* Key by key: |k|_w^2, |v|^2, g^2 |v|^2. */
    vector key_square[SHORT_LENGTH], value_square[SHORT_LENGTH], value_rounding[SHORT_LENGTH];
    /* Of the first j + 1 keys: the largest |k|_w^2 and |v|, and the lanes where the largest
     * |v|^2 is in the range of square_inside. */
    vector key_most[SHORT_LENGTH], value_most[SHORT_LENGTH];
    vector_mask inside[SHORT_LENGTH];
};

static inline size_t group_visible(const struct group *group, size_t i)
{
    return group->causal ? i + 1 : group->n;
}

/* count vectors from arrays that are `apart` doubles apart. Past the lanes in use the last one
 * is repeated, so that these see the same arithmetic as always. */
static inline void group_gather(const struct group *group, vector *to, const double *from,
                                size_t apart, size_t count)
{
    double spare[VECTOR_LANES * SHORT_SIZE];

    if (__builtin_expect(group->lanes == VECTOR_LANES, 1)) {
        vector_gather(to, from, apart, count);
        return;
    }
    for (size_t l = 0; l < VECTOR_LANES; l++)
        memcpy(spare + l * count, from + (l < group->lanes ? l : group->lanes - 1) * apart,
               count * sizeof *spare);
    vector_gather(to, spare, count, count);
}

/* The reverse, for the lanes in use. */
static inline void group_scatter(const struct group *group, double *to, size_t apart,
                                 const vector *from, size_t count)
{
    double spare[VECTOR_LANES * SHORT_SIZE];

    if (__builtin_expect(group->lanes == VECTOR_LANES, 1)) {
        vector_scatter(to, apart, from, count);
        return;
    }
    vector_scatter(spare, count, from, count);
    for (size_t l = 0; l < group->lanes; l++)
        memcpy(to + l * apart, spare + l * count, count * sizeof *to);
}

/* Loads the keys and values of batch entries b, b+1, ... */
static inline void group_fetch(struct group *group, const struct kernel_task *task, size_t b)
{
    const size_t size = task->n * task->d, rest = task->batch - b;

    group->n = task->n;
    group->d = task->d;
    group->causal = task->causal;
    group->lanes = rest < VECTOR_LANES ? rest : VECTOR_LANES;
    group_gather(group, group->k, task->k + b * size, size, size);
    group_gather(group, group->v, task->v + b * size, size, size);
}

/* Prefetches a share of the next batch entries and of the place of their outputs: the processor
 * does not foresee that several are read at once. Not worth it for rows of few
 * keys. */
static inline void group_prefetch(const struct group *group, const struct kernel_task *task,
                                  size_t b, size_t rows)
{
    const size_t all = VECTOR_LANES * group->d, total = task->batch * group->n * group->d;
    const size_t from = (b + VECTOR_LANES) * group->n * group->d + group->first * all;

    for (size_t c = from; c < from + rows * all && c < total; c += 8) {
        _mm_prefetch((const char *)(task->q + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(task->k + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(task->v + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(task->out + c), _MM_HINT_T1);
    }
}

/* Loads the queries of a group of rows from `first` on; returns its end. */
static inline size_t group_fetch_rows(struct group *group, const struct kernel_task *task,
                                      size_t b, size_t first)
{
    const size_t n = group->n, d = group->d;
    size_t end = first + ROWS_AT_ONCE;

    if (group_visible(group, first) <= FEW_KEYS)
        end = FEW_KEYS;
    end = end < n ? end : n;
    group->first = first;
    group_gather(group, group->q, task->q + (b * n + first) * d, n * d, (end - first) * d);
    if (n > FEW_KEYS)
        group_prefetch(group, task, b, end - first);
    return end;
}

/* Stores the outputs of the rows at hand. */
static inline void group_put_rows(const struct group *group, const struct kernel_task *task,
                                  size_t b, size_t end)
{
    const size_t n = group->n, d = group->d;

    group_scatter(group, task->out + (b * n + group->first) * d, n * d, group->out,
                  (end - group->first) * d);
}

static inline void group_put_errors(const struct group *group, const struct kernel_task *task,
                                    size_t b)
{
    if (task->error)
        group_scatter(group, task->error + b * group->n, group->n, group->error, group->n);
}

/* The squares of the norm and of the weighted norm of a token, at least; see bound.h. */
static inline __attribute__((always_inline)) vector group_square(const vector *x, size_t d)
{
    vector square = vector_set(ATTEST_BOUND_SQUARE_FLOOR);

#pragma GCC unroll 4
    for (size_t c = 0; c < d; c++)
        square = vector_fma(x[c], x[c], square);
    return square;
}

static inline __attribute__((always_inline)) vector group_weighted_square(const vector *x,
                                                                          size_t d)
{
    vector square = vector_fma(x[0], x[0], vector_set(ATTEST_BOUND_SQUARE_FLOOR)), sum = square;

#pragma GCC unroll 4
    for (size_t c = 1; c < d; c++) { /* entry c is in d - c of the squares that are added up */
        square = vector_fma(x[c], x[c], square);
        sum = vector_add(sum, square);
    }
    return sum;
}

/* score[j] = q . k_j for m keys, m a compile-time constant of at most FEW_KEYS. */
static inline __attribute__((always_inline)) void
group_scores(vector *score, const vector *q, const vector *k, size_t d, const int m)
{
#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        score[j] = vector_mul(q[0], k[(size_t)j * d]);
    for (size_t c = 1; c < d; c++) {
#pragma GCC unroll 8
        for (int j = 0; j < m; j++)
            score[j] = vector_fma(q[c], k[(size_t)j * d + c], score[j]);
    }
}

/* The largest of m scores and of top, m a compile-time constant. max returns its second operand
 * for a NaN: one among the scores does not hide the largest, which would let arguments leave
 * the domain of exp_vectors, and its own argument stays one. */
static inline __attribute__((always_inline)) vector group_largest(const vector *score,
                                                                  vector top, const int m)
{
#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        top = vector_max(score[j], top);
    return top;
}

/* statement(d, m), d a compile-time constant where it is small. */
#define SWITCH_DIMENSION(dim, statement, m)                                                    \
    switch (dim) {                                                                             \
    case 1:                                                                                    \
        statement(1, m);                                                                       \
        break;                                                                                 \
    case 2:                                                                                    \
        statement(2, m);                                                                       \
        break;                                                                                 \
    case 3:                                                                                    \
        statement(3, m);                                                                       \
        break;                                                                                 \
    case 4:                                                                                    \
        statement(4, m);                                                                       \
        break;                                                                                 \
    default:                                                                                   \
        statement(dim, m);                                                                     \
    }

/* define(m) for each number of keys up to FEW_KEYS. */
#define EACH_NUMBER_OF_KEYS(define)                                                            \
    define(1) define(2) define(3) define(4) define(5) define(6) define(7) define(8)

/* A table of functions name_1, ..., name_8, by number of keys. */
#define TABLE_BY_KEYS(name)                                                                    \
    {                                                                                          \
        NULL, name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7, name##_8,  \
    }

#endif
