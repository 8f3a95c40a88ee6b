/* tiny.h -- short sequences, one to a lane (structure of arrays), in the verbs of vector_*.h.
 * tiny_avx2.c and tiny_avx512.c include this and the texts tiny_*.inc. */
#ifndef ATTEST_KERNEL_TINY_H
#define ATTEST_KERNEL_TINY_H

#include <string.h>

#include "kernel/attention_avx2.h"
#include "kernel/bound_vectors.h"

/* A row is short if it sees at most TINY_CHUNK keys, else long. All short rows are evaluated
 * together, long ones in groups of TINY_ROWS. */
enum { TINY_CHUNK = 8, TINY_ROWS = 4 };

/* Loads that agree with a recent store in the low 12 bits of the address have to wait for it: a
 * quarter of 4096 bytes more keeps the four arrays apart. */
#define TINY_ROOM (TINY_SIZE + 1024 / sizeof(vector))

/* Entry c of token j of all sequences is vector j*d + c of k and v; that of row first + r is
 * vector r*d + c of q and out, which hold only the rows at hand. */
struct tiny {
    size_t n, d;
    bool causal;
    size_t lanes; /* in use */
    size_t first;
    vector q[TINY_ROOM], k[TINY_ROOM], v[TINY_ROOM], out[TINY_ROOM];
    /* Row by row; denominator for softmax only. */
    vector denominator[TINY_LENGTH], error[TINY_LENGTH];
    /* Softmax with bounds, see bound.h. Row by row: */
    vector q_square[TINY_LENGTH]; /* |q|_w^2 */
    /* Key by key: |k|_w^2, |v|^2, g^2 |v|^2. */
    vector key_square[TINY_LENGTH], value_square[TINY_LENGTH], value_rounding[TINY_LENGTH];
    /* Of the first j + 1 keys: the largest |k|_w^2 and |v|, and whether squares suffice. */
    vector key_most[TINY_LENGTH], value_most[TINY_LENGTH];
    vector_mask inside[TINY_LENGTH];
};

static inline size_t tiny_visible(const struct tiny *tiny, size_t i)
{
    return tiny->causal ? i + 1 : tiny->n;
}

/* count vectors from arrays that are `apart` doubles apart. Past the lanes in use the last one
 * is repeated, so that these see the same arithmetic as always. */
static inline void tiny_gather(const struct tiny *tiny, vector *to, const double *from,
                               size_t apart, size_t count)
{
    double spare[VECTOR_LANES * TINY_SIZE];

    if (__builtin_expect(tiny->lanes == VECTOR_LANES, 1)) {
        vector_gather(to, from, apart, count);
        return;
    }
    for (size_t l = 0; l < VECTOR_LANES; l++)
        memcpy(spare + l * count, from + (l < tiny->lanes ? l : tiny->lanes - 1) * apart,
               count * sizeof *spare);
    vector_gather(to, spare, count, count);
}

/* The reverse, for the lanes in use. */
static inline void tiny_scatter(const struct tiny *tiny, double *to, size_t apart,
                                const vector *from, size_t count)
{
    double spare[VECTOR_LANES * TINY_SIZE];

    if (__builtin_expect(tiny->lanes == VECTOR_LANES, 1)) {
        vector_scatter(to, apart, from, count);
        return;
    }
    vector_scatter(spare, count, from, count);
    for (size_t l = 0; l < tiny->lanes; l++)
        memcpy(to + l * apart, spare + l * count, count * sizeof *to);
}

/* Loads the keys and values of batch entries b, b+1, ... */
static inline void tiny_fetch(struct tiny *tiny, const struct kernel_task *task, size_t b)
{
    const size_t size = task->n * task->d, rest = task->batch - b;

    tiny->n = task->n;
    tiny->d = task->d;
    tiny->causal = task->causal;
    tiny->lanes = rest < VECTOR_LANES ? rest : VECTOR_LANES;
    tiny_gather(tiny, tiny->k, task->k + b * size, size, size);
    tiny_gather(tiny, tiny->v, task->v + b * size, size, size);
}

/* Brings a share of the next batch entries nearer, and of the place of their outputs: the
 * processor does not foresee that several are read at once. Not worth it for short rows. */
static inline void tiny_prefetch(const struct tiny *tiny, const struct kernel_task *task,
                                 size_t b, size_t rows)
{
    const size_t all = VECTOR_LANES * tiny->d, total = task->batch * tiny->n * tiny->d;
    const size_t from = (b + VECTOR_LANES) * tiny->n * tiny->d + tiny->first * all;

    for (size_t c = from; c < from + rows * all && c < total; c += 8) {
        _mm_prefetch((const char *)(task->q + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(task->k + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(task->v + c), _MM_HINT_T1);
        _mm_prefetch((const char *)(task->out + c), _MM_HINT_T1);
    }
}

/* Loads the queries of a group of rows from `first` on; returns its end. */
static inline size_t tiny_fetch_rows(struct tiny *tiny, const struct kernel_task *task,
                                     size_t b, size_t first)
{
    const size_t n = tiny->n, d = tiny->d;
    size_t end = first + TINY_ROWS;

    if (tiny_visible(tiny, first) <= TINY_CHUNK)
        end = TINY_CHUNK;
    end = end < n ? end : n;
    tiny->first = first;
    tiny_gather(tiny, tiny->q, task->q + (b * n + first) * d, n * d, (end - first) * d);
    if (n > TINY_CHUNK)
        tiny_prefetch(tiny, task, b, end - first);
    return end;
}

/* Stores the outputs of the rows at hand. */
static inline void tiny_put_rows(const struct tiny *tiny, const struct kernel_task *task,
                                 size_t b, size_t end)
{
    const size_t n = tiny->n, d = tiny->d;

    tiny_scatter(tiny, task->out + (b * n + tiny->first) * d, n * d, tiny->out,
                 (end - tiny->first) * d);
}

static inline void tiny_put_errors(const struct tiny *tiny, const struct kernel_task *task,
                                   size_t b)
{
    if (task->error)
        tiny_scatter(tiny, task->error + b * tiny->n, tiny->n, tiny->error, tiny->n);
}

/* The squares of the norm and of the weighted norm of a token, at least; see bound.h. */
static inline __attribute__((always_inline)) vector tiny_square(const vector *x, size_t d)
{
    vector square = vector_set(ATTEST_BOUND_SQUARE_FLOOR);

#pragma GCC unroll 4
    for (size_t c = 0; c < d; c++)
        square = vector_fma(x[c], x[c], square);
    return square;
}

static inline __attribute__((always_inline)) vector tiny_weighted_square(const vector *x,
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

/* score[j] = q . k_j for m keys, m a compile-time constant of at most TINY_CHUNK. */
static inline __attribute__((always_inline)) void
tiny_scores(vector *score, const vector *q, const vector *k, size_t d, const int m)
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
static inline __attribute__((always_inline)) vector tiny_largest(const vector *score,
                                                                 vector top, const int m)
{
#pragma GCC unroll 8
    for (int j = 0; j < m; j++)
        top = vector_max(score[j], top);
    return top;
}

/* statement(d, m) with each d that is worth a compile-time constant. */
#define TINY_DIMENSIONS(dim, statement, m)                                                     \
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

/* The macro for each number of keys up to TINY_CHUNK. */
#define TINY_CHUNKS(define)                                                                    \
    define(1) define(2) define(3) define(4) define(5) define(6) define(7) define(8)

/* A table of functions name_1, ..., name_8, by number of keys. */
#define TINY_TABLE(name)                                                                       \
    {                                                                                          \
        NULL, name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7, name##_8,  \
    }

#endif
