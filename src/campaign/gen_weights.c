/* gen_weights.c -- attention heads, and layers with their data. */
#include "campaign/gen.h"

#include <stdlib.h>

#include "number/rationals.h"
#include "number/scope.h"

enum { ENTRY_LIMIT = 3, TINY_SCORES = 1000 };

/* How a head is made: at random, or from the one before. */
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
    ATTEST_TRY(gen_matrix(&head->wk, t, size, dim, factored, nonzero));
    ATTEST_TRY(gen_matrix(&head->wq, t, size, dim, factored, nonzero));
    ATTEST_TRY(gen_matrix(&head->wv, t, size, dim, factored, nonzero));
    /* W_O is dense: together with a factored W_V it still has rank 1. */
    return gen_matrix(&head->wo, t, dim, size, false, nonzero);
}

static void set_head(attest_head *head, const attest_head *other, int sign)
{
    FMPZ(factor, one);

    attest_matrix_set(&head->wq, &other->wq);
    attest_matrix_set(&head->wk, &other->wk);
    attest_matrix_set(&head->wv, &other->wv);
    attest_matrix_set(&head->wo, &other->wo);
    fmpz_set_si(factor, sign);
    fmpz_one(one);
    scale_matrix(&head->wo, factor, one);
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
    FMPQ_VEC(entry, entries);
    FMPZ_VEC(row, entries);

    for (size_t e = 0; e < matrix->rows * matrix->cols; e++)
        attest_matrix_get_entry(entry + e, matrix, e / matrix->cols, e % matrix->cols);
    _fmpq_vec_get_fmpz_vec_fmpz(row, denominator, entry, entries);
    for (size_t t = 0; t < count; t++)
        for (size_t r = 0; r < matrix->rows; r++)
            _fmpz_vec_dot(to++, row + r * matrix->cols, token + t * matrix->cols, dim);
}

/* most = the largest |score| of two tokens: keys and queries as integers first. */
static void get_largest(fmpq_t most, const attest_head *head,
                        const attest_vocabulary *vocabulary)
{
    size_t count = vocabulary->count, size = head->wk.rows;
    slong tokens = (slong)(count * vocabulary->dim), all = (slong)(count * size);
    FMPZ_VEC(token, tokens);
    FMPZ_VEC(key, all);
    FMPZ_VEC(query, all);
    FMPZ(denominator, other, s);

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
}

/* Multiplies W_K by 2^exponent. */
static void shift_keys(attest_head *head, long exponent)
{
    FMPZ(power, one);

    fmpz_one(one);
    fmpz_mul_2exp(power, one, (flint_bitcnt_t)labs(exponent));
    scale_matrix(&head->wk, exponent > 0 ? power : one, exponent > 0 ? one : power);
}

void attest_gen_limit_scores(attest_head *head, const attest_vocabulary *vocabulary,
                             unsigned limit)
{
    long halvings = 0;
    FMPQ(most);

    get_largest(most, head, vocabulary);
    for (; fmpq_cmp_ui(most, limit) > 0; fmpq_div_2exp(most, most, 1))
        halvings++;
    shift_keys(head, -halvings);
}

void attest_gen_set_scores(attest_head *head, const attest_vocabulary *vocabulary,
                           long exponent)
{
    FMPQ(most);

    get_largest(most, head, vocabulary);
    if (!fmpq_is_zero(most))
        shift_keys(head, exponent - ((long)fmpz_bits(fmpq_numref(most)) -
                                     (long)fmpz_bits(fmpq_denref(most))));
}

/* Sizes of the scores of a layer: within the limit, or rarely another one. */
enum { FAR = 12, FARTHER = 14, TINY, SIZES };

/* Scales the scores of a head to this size. All heads of a layer get the same size: a head with
 * small scores would tell apart what one with large scores merges. */
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

/* Scales the keys, which makes scores tiny or huge, and the output of the head. */
static void gen_scales(attest_head *head, struct theft *t, unsigned decades)
{
    FMPQ(scale);

    attest_gen_scale(scale, t, decades);
    scale_matrix(&head->wk, fmpq_numref(scale), fmpq_denref(scale));
    attest_gen_scale(scale, t, decades);
    scale_matrix(&head->wo, fmpq_numref(scale), fmpq_denref(scale));
}

attest_status attest_gen_weights(attest_weights *weights, struct theft *t,
                                 const attest_vocabulary *vocabulary,
                                 const attest_gen_heads *kind)
{
    size_t heads = attest_gen_size(t, 1, kind->heads_max);
    bool dull = !kind->nonzero && theft_random_choice(t, 16) == 0;
    unsigned size = kind->gaps ? (unsigned)theft_random_choice(t, SIZES) : 0;

    ATTEST_TRY(attest_weights_resize(weights, heads));
    weights->dim = vocabulary->dim;
    for (size_t h = 0; h < heads; h++) {
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
        ATTEST_TRY(gen_head(head, t, weights->dim, attest_gen_size(t, 1, kind->size_max),
                            what == RANK_ONE, !dull));
        if (!kind->plain)
            gen_scales(head, t, kind->decades);
        if (kind->score_limit)
            gen_scores(head, t, vocabulary, kind, size);
    }
    return ATTEST_OK;
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

/* Chooses an unusual shape of the layer. The product of the context lengths of the heads at two
 * positions stays within 4096, the limit of the oracle. */
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
    ATTEST_SCOPED(attest_vocabulary, vocabulary);

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
    ATTEST_TRY(attest_gen_vocabulary(&vocabulary, t, &kind->tokens));
    ATTEST_TRY(attest_gen_weights(weights, t, &vocabulary, &kind->heads));
    /* Last, because the number of draws varies most: a sequence that loses a token while it is
     * shrunk must not shift the meaning of all later draws. */
    return attest_gen_dataset(&instance->dataset, t, &vocabulary, &kind->sequences);
}
