/* dataset_get.c -- tokens and sequences over one denominator. */
#include <attest/dataset.h>

#include "number/double.h"

/* The least exponent of the entries that are not 0, and at most 0: the denominator of the token
 * is 2^-least. */
static int least_exponent(const double *real, size_t dim)
{
    int64_t significand;
    int exponent, least = 0;

    for (size_t c = 0; c < dim; c++) {
        attest_double_split(&significand, &exponent, real[c]);
        if (exponent < least)
            least = exponent;
    }
    return least;
}

/* numerator = real * 2^-least. */
static void scale_reals(fmpz *numerator, const double *real, size_t dim, int least)
{
    int64_t significand;
    int exponent;

    for (size_t c = 0; c < dim; c++) {
        attest_double_split(&significand, &exponent, real[c]);
        fmpz_set_si(numerator + c, significand);
        fmpz_mul_2exp(numerator + c, numerator + c, (ulong)(exponent - least));
    }
}

void attest_tokens_get(fmpz *numerator, fmpz_t denominator, const attest_tokens *tokens,
                       size_t t)
{
    size_t dim = tokens->dim;

    if (tokens->real) {
        int least = least_exponent(tokens->real + t * dim, dim);
        scale_reals(numerator, tokens->real + t * dim, dim, least);
        fmpz_one(denominator);
        fmpz_mul_2exp(denominator, denominator, (ulong)-least);
        return;
    }
    _fmpz_vec_set(numerator, tokens->numerator + t * dim, (slong)dim);
    fmpz_set(denominator, tokens->denominator + t);
}

static attest_status check_budget(const attest_budget *budget, size_t bytes, size_t entries,
                                  attest_error *error)
{
    attest_budget left;

    if (!budget || bytes <= budget->left / entries)
        return ATTEST_OK;
    left = *budget;
    return attest_budget_charge(&left, SIZE_MAX, error);
}

static attest_status get_reals(attest_sequence *sequence, const attest_dataset *dataset,
                               size_t i, const attest_budget *budget, attest_error *error)
{
    const attest_tokens *tokens = &dataset->tokens;
    size_t dim = dataset->dim, length = attest_dataset_length(dataset, i);
    attest_status status;
    int least = 0;

    for (size_t k = 0; k < length; k++) {
        size_t t = attest_dataset_token(dataset, i, k);
        int own = least_exponent(tokens->real + t * dim, dim);
        least = own < least ? own : least;
    }
    /* A double is below 2^1024, so that no numerator has more bits than this. */
    status = check_budget(budget, (size_t)(1024 - least) / 8, length * dim, error);
    if (status != ATTEST_OK)
        return status;
    for (size_t k = 0; k < length; k++) {
        size_t t = attest_dataset_token(dataset, i, k);
        scale_reals(sequence->entry + k * dim, tokens->real + t * dim, dim, least);
    }
    fmpz_one(sequence->denominator);
    fmpz_mul_2exp(sequence->denominator, sequence->denominator, (ulong)-least);
    return ATTEST_OK;
}

/* denominator = the least common denominator of sequence i. It ends as soon as the numerators
 * over it are beyond the budget. */
static attest_status common_denominator(fmpz_t denominator, const attest_dataset *dataset,
                                        size_t i, const attest_budget *budget,
                                        attest_error *error)
{
    const attest_tokens *tokens = &dataset->tokens;
    size_t length = attest_dataset_length(dataset, i), entries = length * dataset->dim;
    attest_status status = ATTEST_OK;

    fmpz_one(denominator);
    for (size_t k = 0; k < length && status == ATTEST_OK; k++) {
        const fmpz *own = tokens->denominator + attest_dataset_token(dataset, i, k);
        if (fmpz_divisible(denominator, own))
            continue;
        fmpz_lcm(denominator, denominator, own);
        status = check_budget(budget, (size_t)fmpz_size(denominator) * sizeof(mp_limb_t),
                              entries, error);
    }
    return status;
}

static attest_status get_rationals(attest_sequence *sequence, const attest_dataset *dataset,
                                   size_t i, const attest_budget *budget, attest_error *error)
{
    const attest_tokens *tokens = &dataset->tokens;
    size_t dim = dataset->dim, length = attest_dataset_length(dataset, i);
    attest_status status = common_denominator(sequence->denominator, dataset, i, budget, error);
    fmpz_t factor;

    if (status != ATTEST_OK)
        return status;
    fmpz_init(factor);
    for (size_t k = 0; k < length; k++) {
        size_t t = attest_dataset_token(dataset, i, k);
        fmpz_divexact(factor, sequence->denominator, tokens->denominator + t);
        _fmpz_vec_scalar_mul_fmpz(sequence->entry + k * dim, tokens->numerator + t * dim,
                                  (slong)dim, factor);
    }
    fmpz_clear(factor);
    return ATTEST_OK;
}

attest_status attest_dataset_get_sequence(attest_sequence *sequence,
                                          const attest_dataset *dataset, size_t i,
                                          const attest_budget *budget, attest_error *error)
{
    attest_sequence_resize(sequence, attest_dataset_length(dataset, i), dataset->dim);
    return dataset->tokens.real ? get_reals(sequence, dataset, i, budget, error)
                                : get_rationals(sequence, dataset, i, budget, error);
}

attest_place attest_place_get(const attest_dataset *dataset, size_t position)
{
    size_t low = 0, high = dataset->count;

    while (high - low > 1) { /* start[low] <= position < start[high] */
        size_t middle = low + (high - low) / 2;
        if (dataset->start[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return (attest_place){low, position - dataset->start[low]};
}
