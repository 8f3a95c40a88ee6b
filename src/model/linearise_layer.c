/* linearise_layer.c -- a dataset and weights with biases, a norm, a residual tensor or a form
 * of scores as plain heads on longer tokens. */
#include <stdlib.h>

#include <attest/pairing.h>

#include "base/memory.h"
#include "base/scope.h"
#include "model/linearise_scores.h"
#include "number/rationals.h"
#include "number/scope.h"

/* Returns whether the rational is a square, and sets root = 1/sqrt of it. */
static bool set_exact_root(fmpq_t root, const fmpq_t square)
{
    if (!fmpz_is_square(fmpq_numref(square)) || !fmpz_is_square(fmpq_denref(square)))
        return false;
    fmpz_sqrt(fmpq_denref(root), fmpq_numref(square));
    fmpz_sqrt(fmpq_numref(root), fmpq_denref(square));
    return true;
}

/* Returns whether |root^2 square - 1| <= 2^-bits, decided exactly: then root is 1/sqrt(square)
 * times 1 + t with |t| <= 2^-bits. */
static bool is_near(const fmpq_t root, const fmpq_t square, long bits)
{
    bool near;

    FMPQ(error, limit);
    fmpq_mul(error, root, root);
    fmpq_mul(error, error, square);
    fmpq_sub_si(error, error, 1);
    fmpq_abs(error, error);
    fmpq_one(limit);
    fmpq_div_2exp(limit, limit, (flint_bitcnt_t)bits);
    near = fmpq_cmp(error, limit) <= 0;
    return near;
}

/* root = 1/sqrt(square) to a relative error of 2^-bits, proved. Domain: square > 0. */
static void set_root(fmpq_t root, bool *exact, const fmpq_t square, long bits)
{

    if (set_exact_root(root, square))
        return;
    *exact = false;
    ARB(x);
    ARF(middle);
    for (long more = bits + 32;; more *= 2) {
        arb_set_fmpq(x, square, more + 32);
        arb_rsqrt(x, x, more + 32);
        arf_set_round(middle, arb_midref(x), more, ARF_RND_NEAR);
        arf_get_fmpq(root, middle);
        if (is_near(root, square, bits))
            break;
    }
}

/* z = a token under the norm, times a factor 1 + t with |t| <= 2^-bits: dim rationals. Sets
 * *exact = false unless t is 0. Status: FORMAT (the divisor is 0). */
static attest_status norm_token(fmpq *z, bool *exact, const attest_tokens *tokens, size_t t,
                                attest_norm norm, const fmpq_t eps, long bits,
                                attest_error *error)
{
    size_t dim = tokens->dim;
    bool zero;

    FMPQ(sum, count);
    fmpq_set_ui(count, dim, 1);
    for (size_t c = 0; c < dim; c++) {
        attest_tokens_get_entry(z + c, tokens, t, c);
        fmpq_add(sum, sum, z + c);
    }
    fmpq_div(sum, sum, count);
    for (size_t c = 0; norm == ATTEST_NORM_LAYER && c < dim; c++)
        fmpq_sub(z + c, z + c, sum);
    fmpq_zero(sum);
    for (size_t c = 0; c < dim; c++)
        fmpq_addmul(sum, z + c, z + c);
    fmpq_div(sum, sum, count);
    fmpq_add(sum, sum, eps);
    zero = fmpq_is_zero(sum);
    if (!zero)
        set_root(count, exact, sum, bits);
    for (size_t c = 0; !zero && c < dim; c++)
        fmpq_mul(z + c, z + c, count);
    return zero ? attest_error_set(error, ATTEST_FORMAT,
                                   "the norm of a token divides by 0, since eps is 0")
                : ATTEST_OK;
}

/* Adds the bound for one head. (1) Scores differ by s <= 3 |W_K| |W_Q| T^2 t; (2) if s <= 1/8,
 * outputs of the head differ by |W_O| |W_V| T (4 s + t). *known = false if (2) does not apply.
 */
static void add_head(arb_t sum, bool *known, const attest_head *head, const arb_t length,
                     const arb_t t)
{
    ARB(score, part, limit);

    attest_linearise_matrix_norm(score, &head->wk);
    attest_linearise_matrix_norm(part, &head->wq);
    arb_mul(score, score, part, 64);
    arb_mul(score, score, length, 64);
    arb_mul(score, score, length, 64);
    arb_mul(score, score, t, 64);
    arb_mul_ui(score, score, 3, 64);
    arb_set_d(limit, 0.125);
    *known = *known && arb_le(score, limit);
    arb_mul_2exp_si(score, score, 2);
    arb_add(score, score, t, 64);
    arb_mul(score, score, length, 64);
    attest_linearise_matrix_norm(part, &head->wv);
    arb_mul(score, score, part, 64);
    attest_linearise_matrix_norm(part, &head->wo);
    arb_addmul(sum, score, part, 64);
}

/* slack = a bound on the Euclidean distance between outputs of softmax heads for tokens (z, 1)
 * or z, z of dim entries and normed, and for tokens (z (1 + t), 1), each with its own |t| <=
 * 2^-bits; false if bits is too small for a bound. */
static bool bound_norm_error(fmpq_t slack, const attest_weights *weights, size_t dim, long bits)
{
    bool known = true;

    ARB(sum, length, t);
    ARF(above);
    /* |(z, 1)| <= sqrt(dim + 1) before the factor, which is below sqrt(2) */
    arb_sqrt_ui(length, 2 * ((ulong)dim + 1), 64);
    arb_one(t);
    arb_mul_2exp_si(t, t, -bits);
    for (size_t h = 0; h < weights->heads; h++)
        add_head(sum, &known, &weights->head[h], length, t);
    arb_get_ubound_arf(above, sum, 64);
    known = known && arf_is_finite(above);
    if (known)
        arf_get_fmpq(slack, above);
    return known;
}

/* The parts of the new tokens (z, 1, r) or (z, 1, r, x). */
typedef struct pairing {
    const attest_dataset *z, *residual; /* residual: the tokens that the skip adds, or NULL */
    const fmpq *bias;                   /* of the output: dim rationals */
    size_t dim;                         /* of z and r */
    bool one;                           /* the token contains a 1 */
    bool before;                        /* the token contains x, its value before the norm */
    fmpq *normed;                       /* the normed tokens, or NULL: no norm */
    size_t entries;                     /* of normed */
    fmpq *token;                        /* one token */
} pairing;

static void pairing_clear(pairing *p)
{
    attest_rationals_free(p->normed, p->entries);
}

static bool same_lengths(const attest_dataset *a, const attest_dataset *b)
{
    bool same = a->count == b->count && a->dim == b->dim;

    for (size_t i = 0; same && i < a->count; i++)
        same = attest_dataset_length(a, i) == attest_dataset_length(b, i);
    return same;
}

/* p->token = the new token at a position. */
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
    size_t width = (p->before ? 3 : 2) * p->dim + p->one;
    ATTEST_RATIONALS(token, width);
    ATTEST_SCOPED(attest_dataset_builder, builder, width, ATTEST_TABLE_RATIONAL, budget);

    if (!token)
        return attest_memory_fail(error);
    p->token = token;
    ATTEST_TRY(attest_dataset_builder_reserve(&builder, p->z->count, p->z->total, error));
    for (size_t i = 0; i < p->z->count; i++) {
        for (size_t k = p->z->start[i]; k < p->z->start[i + 1]; k++) {
            make_token(p, k);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, token, error));
        }
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, error));
    }
    return attest_dataset_builder_finish(paired, &builder, error);
}

/* Replaces the tokens of the dataset by those of p; keeps its name. */
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

/* Returns whether row r of the values is constant over all tokens whose last entry is 1. */
static bool is_constant(const attest_matrix *wv, size_t r)
{
    return !wv->factored && _fmpz_vec_is_zero(wv->entry + r * wv->cols, (slong)wv->cols - 1) &&
           !fmpz_is_zero(wv->entry + r * wv->cols + wv->cols - 1);
}

/* Moves the constant part of the heads' outputs to bias: the average of a constant is that
 * constant for all softmax weights. */
static bool take_bias(fmpq *bias, attest_weights *weights, size_t dim)
{
    bool any = false;

    FMPQ(value, factor);
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
    return any;
}

static bool has_bias(const fmpq *bias, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (!fmpq_is_zero(bias + c))
            return true;
    return false;
}

/* Norms are computed with FIRST_BITS bits, doubled until the error of outputs is at most
 * 2^-LEAST. */
enum { FIRST_BITS = 128, MOST_BITS = 4096, LEAST = 64 };

/* *bits = the precision of norms, and weights->output_error = the error of outputs that it
 * causes. */
static attest_status set_output_error(long *bits, attest_weights *weights, size_t dim,
                                      attest_error *error)
{
    FMPQ(limit);

    fmpq_set_ui(limit, 1, 1);
    fmpq_div_2exp(limit, limit, LEAST);
    for (*bits = FIRST_BITS; *bits <= MOST_BITS; *bits *= 2)
        if (bound_norm_error(weights->output_error, weights, dim, *bits) &&
            fmpq_cmp(weights->output_error, limit) <= 0)
            break;
    return *bits <= MOST_BITS ? ATTEST_OK
                              : attest_error_set(error, ATTEST_UNABLE,
                                                 "the weights are too large for a bound on the "
                                                 "error of a norm with %d bits",
                                                 MOST_BITS);
}

/* p->normed = the tokens under the norm of the weights, if there is one; weights->output_error
 * = the error of outputs from rounding them to *rounded bits (0: they are exact). */
static attest_status norm_tokens(pairing *p, long *rounded, attest_weights *weights,
                                 attest_error *error)
{
    const attest_tokens *tokens = &p->z->tokens;
    bool exact = true;
    long bits;

    if (weights->norm == ATTEST_NORM_NONE)
        return ATTEST_OK;
    ATTEST_TRY(set_output_error(&bits, weights, p->dim, error));
    p->normed = attest_rationals_alloc(tokens->count * p->dim);
    if (!p->normed)
        return attest_memory_fail(error);
    for (size_t t = 0; t < tokens->count; t++)
        ATTEST_TRY(norm_token(p->normed + t * p->dim, &exact, tokens, t, weights->norm,
                              weights->norm_eps, bits, error));
    *rounded = exact ? 0 : bits;
    if (exact)
        fmpq_zero(weights->output_error);
    else if (weights->activation == ATTEST_HARDMAX)
        return attest_error_set(
            error, ATTEST_UNABLE,
            "hardmax after a norm is undecided: scores with irrational square roots "
            "cannot be compared exactly");
    return ATTEST_OK;
}

/* The tokens become (z, 1, r), or (z, 1, r, x) if r is not x and the norm may map several x to
 * one z. */
static attest_status set_longer(attest_dataset *dataset, attest_weights *weights, long *rounded,
                                const attest_dataset *residual, const fmpq *bias, bool one,
                                attest_budget *budget, attest_error *error)
{
    size_t dim = dataset->dim;
    /* Normed tokens contain the tokens before the norm, which may map several of them to one.
     */
    pairing p ATTEST_CLEARED_BY(pairing_clear) = {.z = dataset,
                                                  .residual = residual ? residual : dataset,
                                                  .bias = bias,
                                                  .dim = dim,
                                                  .one = one,
                                                  .before = residual &&
                                                            weights->norm != ATTEST_NORM_NONE,
                                                  .entries = dataset->tokens.count * dim};
    bool adds = weights->skip || has_bias(bias, dim);

    if (!weights->skip && adds)
        p.residual = NULL;

    if (residual && !same_lengths(dataset, residual))
        return attest_error_set(error, ATTEST_FORMAT,
                                "the tensor '%.100s' that the skip adds has another shape than "
                                "the tokens",
                                weights->residual);
    ATTEST_TRY(norm_tokens(&p, rounded, weights, error));
    ATTEST_TRY(replace_tokens(dataset, &p, budget, error));
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

    /* Without a skip, the bias stays a column of normed tokens. */
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

/* Sets the longer tokens if the skip adds a tensor of its own: reads it from the input first.
 */
static attest_status set_with(attest_dataset *dataset, attest_weights *weights, long *rounded,
                              const attest_input *input, attest_budget *budget,
                              attest_error *error)
{
    bool other = weights->residual && weights->skip;
    size_t dim = dataset->dim;
    ATTEST_RATIONALS(bias, dim);
    ATTEST_SCOPED(attest_dataset, residual);

    if (!bias)
        return attest_memory_fail(error);
    if (other && !input)
        return attest_error_set(error, ATTEST_USAGE,
                                "the skip adds the tensor '%.100s', but there is no file to "
                                "find it in",
                                weights->residual);
    if (other)
        ATTEST_TRY(
            attest_dataset_read_input(&residual, input, weights->residual, budget, error));
    return set(dataset, weights, rounded, other ? &residual : NULL, bias, budget, error);
}

attest_status attest_pairing_set(attest_dataset *dataset, attest_weights *weights,
                                 const attest_input *input, attest_budget *budget,
                                 attest_error *error)
{
    size_t dim = dataset->dim;
    long rounded = 0;

    if (dataset->dim + weights->homogeneous != weights->dim && dataset->dim != weights->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                dataset->dim, weights->dim - weights->homogeneous);
    if (weights->norm != ATTEST_NORM_NONE &&
        dataset->dim + weights->homogeneous != weights->dim)
        return attest_error_set(
            error, ATTEST_DOMAIN,
            "the norm takes tokens of %zu entries, without the coordinate 1",
            weights->dim - weights->homogeneous);
    if (dataset->dim != weights->dim || weights->residual || weights->norm != ATTEST_NORM_NONE)
        ATTEST_TRY(set_with(dataset, weights, &rounded, input, budget, error));
    weights->homogeneous = false;
    weights->norm = ATTEST_NORM_NONE;
    free(weights->residual);
    weights->residual = NULL;
    return attest_weights_have_form(weights)
               ? attest_linearise_scores(dataset, weights, dim, rounded, budget, error)
               : ATTEST_OK;
}
