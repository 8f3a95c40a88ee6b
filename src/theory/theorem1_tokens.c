/* theorem1_tokens.c -- tokens over one denominator, and how a query ranks them. */
#include "data/linear.h"
#include "number/scope.h"
#include "theory/theorem1_check.h"

attest_status attest_theorem1_check_vocabulary(const attest_weights *weights,
                                               const attest_dataset *vocabulary,
                                               attest_error *error)
{
    if (weights->activation != ATTEST_HARDMAX)
        return attest_error_set(error, ATTEST_DOMAIN, "Theorem 1 is about hardmax weights");
    if (weights->dim != vocabulary->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                vocabulary->dim, weights->dim);
    return ATTEST_OK;
}

static size_t number_of(const size_t *id, size_t y)
{
    return id ? id[y] : y;
}

/* denominator = that of all of them; token is overwritten. */
static attest_status set_denominator(fmpz_t denominator, fmpz *token,
                                     const attest_tokens *tokens, const size_t *id,
                                     size_t count, attest_budget *budget, attest_error *error)
{
    FMPZ(own);

    fmpz_one(denominator);
    for (size_t y = 0; y < count; y++) {
        attest_tokens_get(token + y * tokens->dim, own, tokens, number_of(id, y));
        fmpz_lcm(denominator, denominator, own);
        ATTEST_TRY(attest_budget_charge(budget, fmpz_bits(denominator) / 8, error));
    }
    return ATTEST_OK;
}

attest_status attest_theorem1_load(fmpz *token, fmpz_t denominator, const attest_tokens *tokens,
                                   const size_t *id, size_t count, attest_budget *budget,
                                   attest_error *error)
{
    size_t dim = tokens->dim;
    FMPZ(own);

    ATTEST_TRY(set_denominator(denominator, token, tokens, id, count, budget, error));
    ATTEST_TRY(attest_budget_charge(budget, count * dim * (fmpz_bits(denominator) / 8), error));
    for (size_t y = 0; y < count; y++) {
        attest_tokens_get(token + y * dim, own, tokens, number_of(id, y));
        fmpz_divexact(own, denominator, own);
        _fmpz_vec_scalar_mul_fmpz(token + y * dim, token + y * dim, (slong)dim, own);
    }
    return ATTEST_OK;
}

void attest_theorem1_rank(fmpz *score, const attest_head *head, const fmpz *token, size_t count,
                          size_t dim, size_t x)
{
    size_t size = head->wk.rows;
    fmpz *query = _fmpz_vec_init((slong)size), *l = _fmpz_vec_init((slong)dim);

    attest_linear_apply(query, &head->wq, token + x * dim);
    attest_linear_apply_transposed(l, &head->wk, query);
    for (size_t y = 0; y < count; y++)
        _fmpz_vec_dot(score + y, l, token + y * dim, (slong)dim);
    _fmpz_vec_clear(query, (slong)size);
    _fmpz_vec_clear(l, (slong)dim);
}
