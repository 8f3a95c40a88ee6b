/* pairing.c -- a dataset and weights that are meant for each other, made to fit. */
#include <attest/pairing.h>

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "data/norm.h"
#include "model/score_form.h"
#include "number/rationals.h"

/* What the new tokens are made of: (z, 1, r), or (z, 1, r, x). */
typedef struct pairing {
    const attest_dataset *z, *residual; /* residual: what the skip adds, or NULL: nothing */
    const fmpq *bias;                   /* of the output: dim rationals */
    size_t dim;                         /* of z and r */
    bool one;                           /* there is a 1 */
    bool before;                        /* there is x, z's token before the norm */
    fmpq *normed;                       /* z's tokens under the norm, or NULL: as they are */
    fmpq *token;                        /* room for one */
} pairing;

static bool same_lengths(const attest_dataset *a, const attest_dataset *b)
{
    bool same = a->count == b->count && a->dim == b->dim;

    for (size_t i = 0; same && i < a->count; i++)
        same = attest_dataset_length(a, i) == attest_dataset_length(b, i);
    return same;
}

static size_t width_of(const pairing *p)
{
    return (p->before ? 3 : 2) * p->dim + p->one;
}

/* p->token = (z, 1, r) at a position, and x. */
static void make_token(const pairing *p, size_t position)
{
    fmpq *r = p->token + p->dim + p->one;
    size_t t = p->z->token[position];

    for (size_t c = 0; c < p->dim; c++) {
        if (p->normed)
            fmpq_set(p->token + c, p->normed + t * p->dim + c);
        else
            attest_tokens_get_entry(p->token + c, &p->z->tokens, t, c);
        if (p->before)
            attest_tokens_get_entry(r + p->dim + c, &p->z->tokens, t, c);
        fmpq_zero(r + c);
        if (p->residual)
            attest_tokens_get_entry(r + c, &p->residual->tokens, p->residual->token[position],
                                    c);
        fmpq_add(r + c, r + c, p->bias + c);
    }
    if (p->one)
        fmpq_one(p->token + p->dim);
}

static attest_status build(attest_dataset *paired, pairing *p, attest_budget *budget,
                           attest_error *error)
{
    size_t width = width_of(p);
    attest_dataset_builder builder;
    attest_status status;

    p->token = attest_rationals_alloc(width);
    if (!p->token)
        return attest_memory_fail(error);
    attest_dataset_builder_init(&builder, width, ATTEST_TABLE_RATIONAL, budget);
    status = attest_dataset_builder_reserve(&builder, p->z->count, p->z->total, error);
    for (size_t i = 0; i < p->z->count && status == ATTEST_OK; i++) {
        for (size_t k = p->z->start[i]; k < p->z->start[i + 1] && status == ATTEST_OK; k++) {
            make_token(p, k);
            status = attest_dataset_builder_add_token(&builder, p->token, error);
        }
        if (status == ATTEST_OK)
            status = attest_dataset_builder_end_sequence(&builder, error);
    }
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(paired, &builder, error);
    attest_dataset_builder_clear(&builder);
    attest_rationals_free(p->token, width);
    return status;
}

/* The tokens of p instead of the dataset's; its name stays. */
static attest_status replace_tokens(attest_dataset *dataset, pairing *p, attest_budget *budget,
                                    attest_error *error)
{
    attest_dataset paired;

    attest_dataset_init(&paired);
    ATTEST_TRY(build(&paired, p, budget, error));
    paired.name = dataset->name;
    paired.comment = dataset->comment;
    dataset->name = dataset->comment = NULL;
    attest_dataset_clear(dataset);
    *dataset = paired;
    return ATTEST_OK;
}

static attest_status widen(attest_weights *weights, size_t dim, attest_budget *budget,
                           attest_error *error)
{
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head *head = &weights->head[h];
        size_t s = head->wq.rows, added = dim - weights->dim;

        ATTEST_TRY(attest_budget_charge(
            budget,
            added > SIZE_MAX / (4 * sizeof(fmpz)) / s ? SIZE_MAX : 4 * s * added * sizeof(fmpz),
            error));
        attest_matrix_widen(&head->wq, s, dim);
        attest_matrix_widen(&head->wk, s, dim);
        attest_matrix_widen(&head->wv, s, dim);
        attest_matrix_widen(&head->wo, dim, s);
    }
    weights->dim = dim;
    return ATTEST_OK;
}

/* Is row r of the values the same for all tokens with a last entry 1? */
static bool is_constant(const attest_matrix *wv, size_t r)
{
    return !wv->factored && _fmpz_vec_is_zero(wv->entry + r * wv->cols, (slong)wv->cols - 1) &&
           !fmpz_is_zero(wv->entry + r * wv->cols + wv->cols - 1);
}

/* bias = what the heads add whatever they attend to, which they do no more then. Averages of a
 * constant are that constant, whatever the weights. */
static bool take_bias(fmpq *bias, attest_weights *weights, size_t dim)
{
    bool any = false;
    fmpq_t value, factor;

    fmpq_init(value);
    fmpq_init(factor);
    for (size_t h = 0; h < weights->heads; h++) {
        attest_matrix *wv = &weights->head[h].wv, *wo = &weights->head[h].wo;

        for (size_t r = 0; r < wv->rows && !wo->factored; r++) {
            if (!is_constant(wv, r))
                continue;
            attest_matrix_get_entry(value, wv, r, dim);
            for (size_t c = 0; c < dim; c++) {
                attest_matrix_get_entry(factor, wo, c, r);
                fmpq_addmul(bias + c, value, factor);
                fmpz_zero(wo->entry + c * wo->cols + r);
                any = any || !fmpq_is_zero(bias + c);
            }
        }
    }
    fmpq_clear(value);
    fmpq_clear(factor);
    return any;
}

static bool has_bias(const fmpq *bias, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (!fmpq_is_zero(bias + c))
            return true;
    return false;
}

/* From so many bits on, doubled until outputs are known to less than 2^-LEAST. */
enum { FIRST_BITS = 128, MOST_BITS = 4096, LEAST = 64 };

/* How precisely tokens are normed, and what that leaves open of outputs. */
static attest_status set_slack(long *bits, attest_weights *weights, size_t dim,
                               attest_error *error)
{
    fmpq_t limit;

    fmpq_init(limit);
    fmpq_set_ui(limit, 1, 1);
    fmpq_div_2exp(limit, limit, LEAST);
    for (*bits = FIRST_BITS; *bits <= MOST_BITS; *bits *= 2)
        if (attest_norm_bound(weights->slack, weights, dim, *bits) &&
            fmpq_cmp(weights->slack, limit) <= 0)
            break;
    fmpq_clear(limit);
    return *bits <= MOST_BITS
               ? ATTEST_OK
               : attest_error_set(error, ATTEST_UNABLE,
                                  "the weights are too large to tell what a norm "
                                  "of %d bits leaves open",
                                  MOST_BITS);
}

/* p->normed = z's tokens under the norm of the weights, if they have one; slack = what their
 * rounding to *rounded bits leaves open (0: they are exact). */
static attest_status norm_tokens(pairing *p, long *rounded, attest_weights *weights,
                                 attest_error *error)
{
    const attest_tokens *tokens = &p->z->tokens;
    bool exact = true;
    long bits;

    if (weights->norm == ATTEST_NORM_NONE)
        return ATTEST_OK;
    ATTEST_TRY(set_slack(&bits, weights, p->dim, error));
    p->normed = attest_rationals_alloc(tokens->count * p->dim);
    if (!p->normed)
        return attest_memory_fail(error);
    for (size_t t = 0; t < tokens->count; t++)
        ATTEST_TRY(attest_norm_get(p->normed + t * p->dim, &exact, tokens, t, weights->norm,
                                   weights->norm_eps, bits, error));
    *rounded = exact ? 0 : bits;
    if (exact)
        fmpq_zero(weights->slack);
    else if (weights->activation == ATTEST_HARDMAX)
        return attest_error_set(
            error, ATTEST_UNABLE,
            "hardmax after a norm is undecided: which scores are equal, after "
            "a square root that is not rational");
    return ATTEST_OK;
}

/* The tokens become (z, 1, r), where r is needed, and (z, 1, r, x) where r is not x and z may
 * be that of another x. */
static attest_status set_longer(attest_dataset *dataset, attest_weights *weights, long *rounded,
                                const attest_dataset *residual, const fmpq *bias, bool one,
                                attest_budget *budget, attest_error *error)
{
    size_t dim = dataset->dim, normed = dataset->tokens.count * dim;
    /* Normed tokens bring those before along: they tell apart what the norm may merge. */
    pairing p = {.z = dataset,
                 .residual = residual ? residual : dataset,
                 .bias = bias,
                 .dim = dim,
                 .one = one,
                 .before = residual && weights->norm != ATTEST_NORM_NONE};
    bool adds = weights->skip || has_bias(bias, dim);
    attest_status status;

    if (!weights->skip && adds)
        p.residual = NULL;

    if (residual && !same_lengths(dataset, residual))
        return attest_error_set(error, ATTEST_FORMAT,
                                "the tensor '%.100s' that the skip adds has another shape than "
                                "the tokens",
                                weights->residual);
    status = norm_tokens(&p, rounded, weights, error);
    if (status == ATTEST_OK)
        status = replace_tokens(dataset, &p, budget, error);
    attest_rationals_free(p.normed, normed);
    ATTEST_TRY(status);
    ATTEST_TRY(widen(weights, dataset->dim, budget, error));
    weights->skip = adds;
    weights->skip_from = dim + one;
    weights->output_dim = dim;
    return ATTEST_OK;
}

static attest_status set(attest_dataset *dataset, attest_weights *weights, long *rounded,
                         const attest_dataset *residual, fmpq *bias, attest_budget *budget,
                         attest_error *error)
{
    size_t dim = dataset->dim;
    bool one = dim != weights->dim;

    /* Without a skip, normed tokens keep their place: the bias stays where it is. */
    bool keeps = weights->norm != ATTEST_NORM_NONE && !weights->skip;

    if ((one && !keeps && take_bias(bias, weights, dim)) || residual ||
        weights->norm != ATTEST_NORM_NONE)
        return set_longer(dataset, weights, rounded, residual, bias, one, budget, error);
    if (one) {
        ATTEST_TRY(attest_dataset_set_homogeneous(dataset, budget, error));
        weights->output_dim = dim;
    }
    return ATTEST_OK;
}

/* The same with the tensor that the skip adds, and room for the output's bias. */
static attest_status set_with(attest_dataset *dataset, attest_weights *weights, long *rounded,
                              const attest_input *input, attest_budget *budget,
                              attest_error *error)
{
    bool other = weights->residual && weights->skip;
    size_t dim = dataset->dim;
    fmpq *bias = attest_rationals_alloc(dim);
    attest_status status = bias ? ATTEST_OK : attest_memory_fail(error);
    attest_dataset residual;

    attest_dataset_init(&residual);
    if (status == ATTEST_OK && other && !input)
        status = attest_error_set(error, ATTEST_USAGE,
                                  "the skip adds the tensor '%.100s', but there is no file to "
                                  "find it in",
                                  weights->residual);
    if (status == ATTEST_OK && other)
        status = attest_dataset_read_input(&residual, input, weights->residual, budget, error);
    if (status == ATTEST_OK)
        status = set(dataset, weights, rounded, other ? &residual : NULL, bias, budget, error);
    attest_dataset_clear(&residual);
    attest_rationals_free(bias, dim);
    return status;
}

attest_status attest_pairing_set(attest_dataset *dataset, attest_weights *weights,
                                 const attest_input *input, attest_budget *budget,
                                 attest_error *error)
{
    attest_status status = ATTEST_OK;
    size_t dim = dataset->dim;
    long rounded = 0;

    if (dataset->dim + weights->homogeneous != weights->dim && dataset->dim != weights->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                dataset->dim, weights->dim - weights->homogeneous);
    if (weights->norm != ATTEST_NORM_NONE &&
        dataset->dim + weights->homogeneous != weights->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "a norm is of tokens of %zu entries, without a coordinate 1",
                                weights->dim - weights->homogeneous);
    if (dataset->dim != weights->dim || weights->residual || weights->norm != ATTEST_NORM_NONE)
        status = set_with(dataset, weights, &rounded, input, budget, error);
    if (status != ATTEST_OK)
        return status;
    weights->homogeneous = false;
    weights->norm = ATTEST_NORM_NONE;
    free(weights->residual);
    weights->residual = NULL;
    return attest_weights_have_form(weights)
               ? attest_score_form_apply(dataset, weights, dim, rounded, budget, error)
               : ATTEST_OK;
}
