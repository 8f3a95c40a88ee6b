/* gen_weights.c -- generators of attention heads. */
#include "campaign/gen.h"

#include <stdlib.h>

#include "number/rationals.h"

enum { ENTRY_LIMIT = 3, TINY_SCORES = 1000 };

/* What a head is: on its own, or made from the one before. */
enum { PLAIN, RANK_ONE, EQUAL, OPPOSITE, ZERO, KINDS };

void attest_gen_set_matrix(attest_matrix *matrix, const fmpq *entry, size_t rows, size_t cols)
{
    attest_matrix_resize(matrix, rows, cols);
    for (size_t i = 0; i < rows * cols; i++)
        fmpz_lcm(matrix->denominator, matrix->denominator, fmpq_denref(entry + i));
    attest_rationals_get_numerators(matrix->entry, matrix->denominator, entry, rows * cols);
}

static void set_factored(attest_matrix *matrix, const fmpq *u, const fmpq *v, size_t rows,
                         size_t cols)
{
    attest_matrix_resize_factored(matrix, rows, cols);
    for (size_t i = 0; i < rows; i++)
        fmpz_lcm(matrix->u_denominator, matrix->u_denominator, fmpq_denref(u + i));
    for (size_t i = 0; i < cols; i++)
        fmpz_lcm(matrix->v_denominator, matrix->v_denominator, fmpq_denref(v + i));
    attest_rationals_get_numerators(matrix->u, matrix->u_denominator, u, rows);
    attest_rationals_get_numerators(matrix->v, matrix->v_denominator, v, cols);
    fmpz_mul(matrix->denominator, matrix->u_denominator, matrix->v_denominator);
}

/* Multiplies the matrix by p/q, q > 0. */
static void scale_matrix(attest_matrix *matrix, const fmpz_t p, const fmpz_t q)
{
    fmpz *entry = matrix->factored ? matrix->u : matrix->entry;
    size_t count = matrix->factored ? matrix->rows : matrix->rows * matrix->cols;

    _fmpz_vec_scalar_mul_fmpz(entry, entry, (slong)count, p);
    fmpz_mul(matrix->denominator, matrix->denominator, q);
    if (matrix->factored)
        fmpz_mul(matrix->u_denominator, matrix->u_denominator, q);
}

/* count entries; with nonzero the first is not 0. */
static void gen_entries(fmpq *entry, struct theft *t, size_t count, bool nonzero)
{
    for (size_t i = 0; i < count; i++)
        if (nonzero && i == 0)
            attest_gen_nonzero(entry + i, t, ENTRY_LIMIT);
        else
            attest_gen_rational(entry + i, t, ENTRY_LIMIT);
}

static attest_status gen_matrix(attest_matrix *matrix, struct theft *t, size_t rows,
                                size_t cols, bool factored, bool nonzero)
{
    size_t count = factored ? rows + cols : rows * cols;
    fmpq *entry = attest_rationals_alloc(count);

    if (!entry)
        return ATTEST_NOMEM;
    if (factored) {
        gen_entries(entry, t, rows, nonzero);
        gen_entries(entry + rows, t, cols, nonzero);
        set_factored(matrix, entry, entry + rows, rows, cols);
    } else {
        gen_entries(entry, t, count, nonzero);
        attest_gen_set_matrix(matrix, entry, rows, cols);
    }
    attest_rationals_free(entry, count);
    return ATTEST_OK;
}

static attest_status gen_head(attest_head *head, struct theft *t, size_t dim, size_t size,
                              bool factored, bool nonzero)
{
    attest_status status = gen_matrix(&head->wk, t, size, dim, factored, nonzero);

    if (status == ATTEST_OK)
        status = gen_matrix(&head->wq, t, size, dim, factored, nonzero);
    if (status == ATTEST_OK)
        status = gen_matrix(&head->wv, t, size, dim, factored, nonzero);
    /* W_O is dense: together with a factored W_V it still has rank 1. */
    if (status == ATTEST_OK)
        status = gen_matrix(&head->wo, t, dim, size, false, nonzero);
    return status;
}

static void set_head(attest_head *head, const attest_head *other, int sign)
{
    fmpz_t factor, one;

    attest_matrix_set(&head->wq, &other->wq);
    attest_matrix_set(&head->wk, &other->wk);
    attest_matrix_set(&head->wv, &other->wv);
    attest_matrix_set(&head->wo, &other->wo);
    fmpz_init_set_si(factor, sign);
    fmpz_init_set_ui(one, 1);
    scale_matrix(&head->wo, factor, one);
    fmpz_clear(factor);
    fmpz_clear(one);
}

static void set_zero_head(attest_head *head, size_t dim)
{
    attest_matrix_resize(&head->wq, 1, dim);
    attest_matrix_resize(&head->wk, 1, dim);
    attest_matrix_resize(&head->wv, 1, dim);
    attest_matrix_resize(&head->wo, dim, 1);
}

/* to = the matrix times each of count tokens, over a denominator; token: their numerators. */
static void project(fmpz *to, fmpz_t denominator, const attest_matrix *matrix,
                    const fmpz *token, size_t count)
{
    slong entries = (slong)(matrix->rows * matrix->cols), dim = (slong)matrix->cols;
    fmpq *entry = _fmpq_vec_init(entries);
    fmpz *row = _fmpz_vec_init(entries);

    for (size_t e = 0; e < matrix->rows * matrix->cols; e++)
        attest_matrix_get_entry(entry + e, matrix, e / matrix->cols, e % matrix->cols);
    _fmpq_vec_get_fmpz_vec_fmpz(row, denominator, entry, entries);
    for (size_t t = 0; t < count; t++)
        for (size_t r = 0; r < matrix->rows; r++)
            _fmpz_vec_dot(to++, row + r * matrix->cols, token + t * matrix->cols, dim);
    _fmpq_vec_clear(entry, entries);
    _fmpz_vec_clear(row, entries);
}

/* most = the largest |score| of two tokens: keys and queries as integers first. */
static void get_largest(fmpq_t most, const attest_head *head,
                        const attest_vocabulary *vocabulary)
{
    size_t count = vocabulary->count, size = head->wk.rows;
    slong tokens = (slong)(count * vocabulary->dim), all = (slong)(count * size);
    fmpz *token = _fmpz_vec_init(tokens), *key = _fmpz_vec_init(all),
         *query = _fmpz_vec_init(all);
    fmpz_t denominator, other, s;

    fmpz_init(denominator), fmpz_init(other), fmpz_init(s);
    _fmpq_vec_get_fmpz_vec_fmpz(token, denominator, vocabulary->entry, tokens);
    project(key, fmpq_denref(most), &head->wk, token, count);
    project(query, other, &head->wq, token, count);
    fmpz_mul(fmpq_denref(most), fmpq_denref(most), other);
    fmpz_mul(fmpq_denref(most), fmpq_denref(most), denominator);
    fmpz_mul(fmpq_denref(most), fmpq_denref(most), denominator);
    fmpz_zero(fmpq_numref(most));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            _fmpz_vec_dot(s, key + i * size, query + j * size, (slong)size);
            if (fmpz_cmpabs(s, fmpq_numref(most)) > 0)
                fmpz_abs(fmpq_numref(most), s);
        }
    fmpq_canonicalise(most);
    fmpz_clear(denominator), fmpz_clear(other), fmpz_clear(s);
    _fmpz_vec_clear(token, tokens), _fmpz_vec_clear(key, all), _fmpz_vec_clear(query, all);
}

/* Multiplies W_K by 2^exponent. */
static void shift_keys(attest_head *head, long exponent)
{
    fmpz_t power, one;

    fmpz_init_set_ui(one, 1);
    fmpz_init_set_ui(power, 1);
    fmpz_mul_2exp(power, power, (flint_bitcnt_t)labs(exponent));
    scale_matrix(&head->wk, exponent > 0 ? power : one, exponent > 0 ? one : power);
    fmpz_clear(power), fmpz_clear(one);
}

void attest_gen_limit_scores(attest_head *head, const attest_vocabulary *vocabulary,
                             unsigned limit)
{
    long halvings = 0;
    fmpq_t most;

    fmpq_init(most);
    get_largest(most, head, vocabulary);
    for (; fmpq_cmp_ui(most, limit) > 0; fmpq_div_2exp(most, most, 1))
        halvings++;
    shift_keys(head, -halvings);
    fmpq_clear(most);
}

void attest_gen_set_scores(attest_head *head, const attest_vocabulary *vocabulary,
                           long exponent)
{
    fmpq_t most;

    fmpq_init(most);
    get_largest(most, head, vocabulary);
    if (!fmpq_is_zero(most))
        shift_keys(head, exponent - ((long)fmpz_bits(fmpq_numref(most)) -
                                     (long)fmpz_bits(fmpq_denref(most))));
    fmpq_clear(most);
}

/* The size of the scores of a layer: within the limit, or rarely another. */
enum { FAR = 12, FARTHER = 14, TINY, SIZES };

/* Scores of this size. What a head with large scores hides, one with small ones would show
 * again: so all heads of a layer have one size. */
static void gen_scores(attest_head *head, struct theft *t, const attest_vocabulary *vocabulary,
                       const attest_gen_heads *kind, unsigned size)
{
    if (size == FARTHER && kind->gaps > ATTEST_GEN_FAR)
        attest_gen_set_scores(
            head, vocabulary,
            ATTEST_GEN_FAR + (long)theft_random_choice(t, kind->gaps - ATTEST_GEN_FAR + 1));
    else if (size == TINY)
        attest_gen_set_scores(head, vocabulary, -(long)theft_random_choice(t, TINY_SCORES + 1));
    else if (size >= FAR)
        attest_gen_set_scores(head, vocabulary,
                              ATTEST_GEN_FAR - (long)theft_random_choice(t, 3));
    else
        attest_gen_limit_scores(head, vocabulary, kind->score_limit);
}

/* Scales keys, which makes scores tiny or huge, and what the head adds. */
static void gen_scales(attest_head *head, struct theft *t, unsigned decades)
{
    fmpq_t scale;

    fmpq_init(scale);
    attest_gen_scale(scale, t, decades);
    scale_matrix(&head->wk, fmpq_numref(scale), fmpq_denref(scale));
    attest_gen_scale(scale, t, decades);
    scale_matrix(&head->wo, fmpq_numref(scale), fmpq_denref(scale));
    fmpq_clear(scale);
}

attest_status attest_gen_weights(attest_weights *weights, struct theft *t,
                                 const attest_vocabulary *vocabulary,
                                 const attest_gen_heads *kind)
{
    size_t heads = attest_gen_size(t, 1, kind->heads_max);
    attest_status status = attest_weights_resize(weights, heads);
    bool dull = !kind->nonzero && theft_random_choice(t, 16) == 0;
    unsigned size = kind->gaps ? (unsigned)theft_random_choice(t, SIZES) : 0;

    weights->dim = vocabulary->dim;
    for (size_t h = 0; status == ATTEST_OK && h < heads; h++) {
        unsigned what = (unsigned)theft_random_choice(t, kind->plain ? RANK_ONE + 1 : KINDS);
        attest_head *head = weights->head + h;
        if ((what == EQUAL || what == OPPOSITE) && h > 0) {
            set_head(head, head - 1, what == EQUAL ? 1 : -1);
            continue;
        }
        if (what == ZERO && !kind->nonzero && (h > 0 || dull)) {
            set_zero_head(head, weights->dim);
            continue;
        }
        status = gen_head(head, t, weights->dim, attest_gen_size(t, 1, kind->size_max),
                          what == RANK_ONE, !dull);
        if (status == ATTEST_OK && !kind->plain)
            gen_scales(head, t, kind->decades);
        if (status == ATTEST_OK && kind->score_limit)
            gen_scores(head, t, vocabulary, kind, size);
    }
    return status;
}

void attest_gen_activation(attest_weights *weights, struct theft *t)
{
    weights->activation = theft_random_bits(t, 1) ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
}

void attest_gen_ties_and_mask(attest_weights *weights, struct theft *t)
{
    weights->ties = theft_random_bits(t, 1) ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM;
    weights->mask = theft_random_bits(t, 1) ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    weights->skip = !attest_gen_rarely(t, 8);
}

enum { ON_A_LINE = 11, MANY_HEADS = 13, MANY_POSITIONS, SHAPES = 16 };

/* What is unusual about the layer. The product of the lengths that the heads of two positions
 * see stays within what the oracle multiplies out, 4096. */
static void gen_shape(attest_gen_layer *kind, struct theft *t)
{
    unsigned shape = (unsigned)theft_random_choice(t, SHAPES);

    if (shape >= ON_A_LINE && shape < MANY_HEADS) {
        kind->tokens.dim_max = 1;
        kind->heads.heads_max = 1;
        kind->sequences.repeats = false;
    } else if (shape == MANY_HEADS) {
        kind->heads.heads_max = 5;
        kind->sequences.length_max = 2;
    } else if (shape >= MANY_POSITIONS) {
        kind->tokens.count_min = 6, kind->tokens.count_max = 12;
        kind->sequences.count_min = 4, kind->sequences.count_max = 6;
        kind->sequences.length_min = 4, kind->sequences.length_max = 8;
        kind->heads.heads_max = 1;
    }
}

attest_status attest_gen_data_and_weights(attest_instance *instance, struct theft *t,
                                          const attest_gen_layer *wanted)
{
    attest_weights *weights = &instance->weights;
    attest_gen_layer layer = *wanted, *kind = &layer;
    attest_vocabulary vocabulary;
    attest_status status;

    attest_vocabulary_init(&vocabulary);
    if (kind->activation == ATTEST_GEN_ANY)
        attest_gen_activation(weights, t);
    else
        weights->activation =
            kind->activation == ATTEST_GEN_HARDMAX ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
    if (!kind->simple)
        attest_gen_ties_and_mask(weights, t);
    if (weights->activation == ATTEST_HARDMAX)
        kind->heads.score_limit = 0;
    if (kind->corners)
        gen_shape(kind, t);
    status = attest_gen_vocabulary(&vocabulary, t, &kind->tokens);
    if (status == ATTEST_OK)
        status = attest_gen_weights(weights, t, &vocabulary, &kind->heads);
    /* Last, because the number of draws varies most: a sequence that loses a token while it is
     * shrunk must not shift the meaning of all draws behind it. */
    if (status == ATTEST_OK)
        status = attest_gen_dataset(&instance->dataset, t, &vocabulary, &kind->sequences);
    attest_vocabulary_clear(&vocabulary);
    return status;
}
