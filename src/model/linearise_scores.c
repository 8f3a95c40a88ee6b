/* linearise_scores.c -- heads with norms of queries and keys, rotary positions, ALiBi or
 * softcap, as plain heads on longer tokens. */
#include "model/linearise_scores.h"

#include <stdint.h>

#include "base/memory.h"
#include "base/scope.h"
#include "model/linear_tokens.h"
#include "number/scope.h"

void attest_linearise_matrix_norm(arb_t norm, const attest_matrix *matrix)
{
    FMPZ(sum, other);
    FMPQ(square);

    if (matrix->factored) {
        _fmpz_vec_dot(sum, matrix->u, matrix->u, (slong)matrix->rows);
        _fmpz_vec_dot(other, matrix->v, matrix->v, (slong)matrix->cols);
        fmpz_mul(sum, sum, other);
    } else {
        _fmpz_vec_dot(sum, matrix->entry, matrix->entry, (slong)(matrix->rows * matrix->cols));
    }
    fmpz_mul(other, matrix->denominator, matrix->denominator);
    fmpq_set_fmpz_frac(square, sum, other);
    arb_set_fmpq(norm, square, 64);
    arb_sqrtpos(norm, norm, 64);
}

/* made->identity identifies tokens that were equal before; tokens that differed still differ.
 */
static attest_status set_identity(attest_dataset *made, const attest_dataset *dataset,
                                  attest_budget *budget, attest_error *error)
{
    ATTEST_TRY(
        attest_budget_charge(budget, made->tokens.count * sizeof *made->identity, error));
    made->identity = attest_memory_alloc(made->tokens.count, sizeof *made->identity);
    if (!made->identity)
        return attest_memory_fail(error);
    for (size_t k = 0; k < made->total; k++)
        made->identity[made->token[k]] =
            dataset->identity ? dataset->identity[dataset->token[k]] : dataset->token[k];
    return ATTEST_OK;
}

/* length = an upper bound on the norms of all tokens. */
static void bound_tokens(mag_t length, const attest_tokens *tokens)
{
    FMPQ(entry);
    MAG(sum, one);
    ARB(x);

    mag_zero(length);
    for (size_t t = 0; t < tokens->count; t++) {
        mag_zero(sum);
        for (size_t c = 0; c < tokens->dim; c++) {
            attest_tokens_get_entry(entry, tokens, t, c);
            arb_set_fmpq(x, entry, MAG_BITS);
            arb_get_mag(one, x);
            mag_addmul(sum, one, one);
        }
        mag_sqrt(sum, sum);
        mag_max(length, length, sum);
    }
}

enum { LEAST_ERROR = 1 << 14 }; /* as a power of 1/2 */

/* Theorem 2 of proofs-notes/pairing.md: if scores of a head have errors of at most e, its
 * outputs have errors of at most |W_O| |W_V| (exp(2e) - 1) times the norm of the longest token.
 */
static void add_output_error(attest_weights *weights, const attest_linear_tokens *l)
{
    MAG(length, off, norm);
    ARB(matrix);
    FMPQ(more);

    bound_tokens(length, &l->dataset->tokens);
    for (size_t h = 0; h < weights->heads; h++) {
        mag_mul_2exp_si(off, l->score + h, 1);
        mag_expm1(off, off);
        mag_mul(off, off, length);
        attest_linearise_matrix_norm(matrix, &weights->head[h].wv);
        arb_get_mag(norm, matrix);
        mag_mul(off, off, norm);
        attest_linearise_matrix_norm(matrix, &weights->head[h].wo);
        arb_get_mag(norm, matrix);
        mag_mul(off, off, norm);
        /* The error of tanh of a large score can be too small for a fraction. */
        if (!mag_is_zero(off) && mag_cmp_2exp_si(off, -LEAST_ERROR) < 0)
            mag_set_ui_2exp_si(off, 1, -LEAST_ERROR);
        mag_get_fmpq(more, off);
        fmpq_add(weights->output_error, weights->output_error, more);
    }
}

static void make_dense(attest_matrix *matrix)
{
    attest_matrix dense;

    if (!matrix->factored)
        return;
    attest_matrix_init(&dense);
    attest_matrix_resize(&dense, matrix->rows, matrix->cols);
    for (size_t e = 0; e < matrix->rows * matrix->cols; e++)
        fmpz_mul(dense.entry + e, matrix->u + e / matrix->cols, matrix->v + e % matrix->cols);
    fmpz_set(dense.denominator, matrix->denominator);
    attest_matrix_clear(matrix);
    *matrix = dense;
}

/* matrix selects count entries of a token. */
static void set_picks(attest_matrix *matrix, size_t rows, size_t cols, size_t from,
                      size_t count)
{
    attest_matrix_resize(matrix, rows, cols);
    for (size_t r = 0; r < count; r++)
        fmpz_one(matrix->entry + r * cols + from + r);
}

/* The last row of the matrix selects one more entry. */
static void add_pick(attest_matrix *matrix, size_t from)
{
    fmpz_set(matrix->entry + (matrix->rows - 1) * matrix->cols + from, matrix->denominator);
}

/* Makes head h plain; *at is the index of its entries in the longer tokens, and is advanced. */
static void set_head(attest_head *head, const attest_linear_tokens *l, size_t h, size_t *at)
{
    size_t s = head->wq.rows, dim = l->dataset->dim, most = l->dataset->longest;
    size_t shift = l->width - l->weights->heads - 1;
    bool shifted = !l->capped && !fmpq_is_zero(head->slope);
    size_t size = l->capped && most > s ? most : s + shifted;

    if (l->capped) {
        set_picks(&head->wq, size, l->width, dim + (h + 1) * most, most);
        set_picks(&head->wk, size, l->width, dim, most);
    } else if (l->turned) {
        set_picks(&head->wq, size, l->width, *at, s);
        set_picks(&head->wk, size, l->width, *at + s, s);
        *at += 2 * s;
    } else {
        make_dense(&head->wq);
        make_dense(&head->wk);
        attest_matrix_widen(&head->wq, size, l->width);
        attest_matrix_widen(&head->wk, size, l->width);
    }
    if (shifted) {
        add_pick(&head->wq, shift);
        add_pick(&head->wk, shift + 1 + h);
    }
    attest_matrix_widen(&head->wv, size, l->width);
    attest_matrix_widen(&head->wo, l->width, size);
    for (int i = 0; i < 2; i++) {
        attest_matrix_clear(&head->gain[i]);
        attest_matrix_init(&head->gain[i]);
    }
}

/* Charges the longer matrices to the budget. */
static attest_status charge(const attest_linear_tokens *l, attest_budget *budget,
                            attest_error *error)
{
    for (size_t h = 0; h < l->weights->heads; h++) {
        size_t s = l->weights->head[h].wq.rows + 1, most = l->dataset->longest;
        size_t rows = l->capped && most > s ? most : s;

        ATTEST_TRY(attest_budget_charge(budget,
                                        l->width > SIZE_MAX / (4 * sizeof(fmpz)) / rows
                                            ? SIZE_MAX
                                            : 4 * rows * l->width * sizeof(fmpz),
                                        error));
    }
    return ATTEST_OK;
}

/* Makes all heads plain. */
static void set_weights(attest_weights *weights, const attest_linear_tokens *l)
{
    size_t at = l->dataset->dim;

    for (size_t h = 0; h < weights->heads; h++)
        set_head(&weights->head[h], l, h, &at);
    for (size_t h = 0; h < weights->heads; h++)
        fmpq_zero(weights->head[h].slope);
    weights->output_dim = attest_weights_output_dim(weights);
    weights->dim = l->width;
    weights->form.rotary.dims = 0;
    fmpq_zero(weights->form.softcap);
}

static void replace(attest_dataset *dataset, attest_dataset *made)
{
    made->name = dataset->name;
    made->comment = dataset->comment;
    dataset->name = dataset->comment = NULL;
    attest_dataset_clear(dataset);
    *dataset = *made;
    attest_dataset_init(made);
}

attest_status attest_linearise_scores(attest_dataset *dataset, attest_weights *weights,
                                      size_t rounded, long bits, attest_budget *budget,
                                      attest_error *error)
{
    attest_linear_tokens l ATTEST_CLEARED_BY(attest_linear_tokens_clear) = {.dataset = dataset,
                                                                            .weights = weights};
    ATTEST_SCOPED(attest_dataset, made);

    ATTEST_TRY(attest_linear_tokens_init(&l, error));
    if (weights->activation == ATTEST_HARDMAX && (l.turned || l.capped))
        return attest_error_set(error, ATTEST_UNABLE,
                                "hardmax is undecided: scores that are not rational (%s) "
                                "cannot be compared exactly",
                                l.capped ? "a softcap" : "norms or angles of queries and keys");
    ATTEST_TRY(charge(&l, budget, error));
    ATTEST_TRY(attest_linear_tokens_make(&made, &l, rounded, bits, budget, error));
    ATTEST_TRY(set_identity(&made, dataset, budget, error));
    add_output_error(weights, &l);
    set_weights(weights, &l);
    replace(dataset, &made);
    return ATTEST_OK;
}
