/* dataset.c -- sequences of exact rational tokens. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/dataset.h>
#include <attest/sequence.h>

#include "base/memory.h"
#include "number/double.h"
#include "number/scope.h"

void attest_dataset_init(attest_dataset *dataset)
{
    memset(dataset, 0, sizeof *dataset);
}

/* _fmpz_vec_clear also frees, with FLINT's allocator; this memory is not FLINT's. */
static void clear_integers(fmpz *integers, size_t count)
{
    if (integers)
        for (size_t i = 0; i < count; i++)
            fmpz_clear(integers + i);
    free(integers);
}

void attest_dataset_clear(attest_dataset *dataset)
{
    attest_tokens *tokens = &dataset->tokens;

    clear_integers(tokens->numerator, tokens->count * tokens->dim);
    clear_integers(tokens->denominator, tokens->count);
    free(tokens->real);
    if (dataset->label)
        for (size_t i = 0; i < dataset->total * dataset->label_dim; i++)
            fmpq_clear(dataset->label + i);
    free(dataset->label);
    free(dataset->start);
    free(dataset->token);
    free(dataset->name);
    free(dataset->comment);
    free(dataset->identity);
    attest_dataset_init(dataset);
}

void attest_tokens_get_entry(fmpq_t value, const attest_tokens *tokens, size_t t, size_t c)
{
    if (tokens->real) {
        attest_number_set_double(value, tokens->real[t * tokens->dim + c]);
        return;
    }
    fmpz_set(fmpq_numref(value), tokens->numerator + t * tokens->dim + c);
    fmpz_set(fmpq_denref(value), tokens->denominator + t);
    fmpq_canonicalise(value);
}

void attest_tokens_get_entries(fmpq *value, const attest_tokens *tokens, size_t t)
{
    for (size_t c = 0; c < tokens->dim; c++)
        attest_tokens_get_entry(value + c, tokens, t, c);
}

/* The least exponent of the entries that are not 0, and at most 0: the denominator of the
 * token is 2^-least. */
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
    int least = 0;

    for (size_t k = 0; k < length; k++) {
        size_t t = attest_dataset_token(dataset, i, k);
        int own = least_exponent(tokens->real + t * dim, dim);
        least = own < least ? own : least;
    }
    /* A double is below 2^1024, so that no numerator has more bits than this. */
    ATTEST_TRY(check_budget(budget, (size_t)(1024 - least) / 8, length * dim, error));
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

    fmpz_one(denominator);
    for (size_t k = 0; k < length; k++) {
        const fmpz *own = tokens->denominator + attest_dataset_token(dataset, i, k);
        if (fmpz_divisible(denominator, own))
            continue;
        fmpz_lcm(denominator, denominator, own);
        ATTEST_TRY(check_budget(budget, (size_t)fmpz_size(denominator) * sizeof(mp_limb_t),
                                entries, error));
    }
    return ATTEST_OK;
}

static attest_status get_rationals(attest_sequence *sequence, const attest_dataset *dataset,
                                   size_t i, const attest_budget *budget, attest_error *error)
{
    const attest_tokens *tokens = &dataset->tokens;
    size_t dim = dataset->dim, length = attest_dataset_length(dataset, i);

    ATTEST_TRY(common_denominator(sequence->denominator, dataset, i, budget, error));
    FMPZ(factor);
    for (size_t k = 0; k < length; k++) {
        size_t t = attest_dataset_token(dataset, i, k);
        fmpz_divexact(factor, sequence->denominator, tokens->denominator + t);
        _fmpz_vec_scalar_mul_fmpz(sequence->entry + k * dim, tokens->numerator + t * dim,
                                  (slong)dim, factor);
    }
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

_Static_assert(sizeof(double) == sizeof(fmpz), "both kinds of table have entries of one size");

/* Returns the bytes of the new coordinates: words, and for a rational table copies of the
 * denominators. */
static size_t bytes_of(const attest_tokens *tokens)
{
    size_t bytes = tokens->count * sizeof(double);

    for (size_t t = 0; !tokens->real && t < tokens->count; t++)
        if (COEFF_IS_MPZ(tokens->denominator[t]))
            bytes += sizeof(__mpz_struct) + fmpz_size(tokens->denominator + t) * sizeof(ulong);
    return bytes;
}

/* Makes room for one more entry at the end of each of count rows of width entries; moves the
 * last row first. */
static void spread(void *block, size_t count, size_t width)
{
    char *bytes = block;
    size_t row = width * sizeof(double);

    for (size_t t = count; t-- > 0;)
        memmove(bytes + t * (row + sizeof(double)), bytes + t * row, row);
}

attest_status attest_dataset_set_homogeneous(attest_dataset *dataset, attest_budget *budget,
                                             attest_error *error)
{
    attest_tokens *tokens = &dataset->tokens;
    size_t dim = tokens->dim, bytes = bytes_of(tokens);
    void *block = tokens->real ? (void *)tokens->real : (void *)tokens->numerator;

    ATTEST_TRY(attest_budget_charge(budget, bytes, error));
    block = tokens->count > SIZE_MAX / (dim + 1)
                ? NULL
                : attest_memory_resize(block, tokens->count * (dim + 1), sizeof(double));
    if (!block) {
        attest_budget_give_back(budget, bytes);
        return attest_memory_fail(error);
    }
    spread(block, tokens->count, dim);
    if (tokens->real) {
        tokens->real = block;
        for (size_t t = 0; t < tokens->count; t++)
            tokens->real[t * (dim + 1) + dim] = 1;
    } else {
        tokens->numerator = block;
        for (size_t t = 0; t < tokens->count; t++)
            fmpz_init_set(tokens->numerator + t * (dim + 1) + dim, tokens->denominator + t);
    }
    tokens->dim = dataset->dim = dim + 1;
    return ATTEST_OK;
}

void attest_sequence_init(attest_sequence *sequence)
{
    memset(sequence, 0, sizeof *sequence);
    fmpz_init_set_ui(sequence->denominator, 1);
}

static void clear_entries(attest_sequence *sequence)
{
    if (sequence->entry)
        _fmpz_vec_clear(sequence->entry, (slong)(sequence->length * sequence->dim));
    sequence->entry = NULL;
}

void attest_sequence_clear(attest_sequence *sequence)
{
    clear_entries(sequence);
    fmpz_clear(sequence->denominator);
    memset(sequence, 0, sizeof *sequence);
}

void attest_sequence_resize(attest_sequence *sequence, size_t length, size_t dim)
{
    clear_entries(sequence);
    sequence->length = length;
    sequence->dim = dim;
    sequence->entry = _fmpz_vec_init((slong)(length * dim));
    fmpz_one(sequence->denominator);
}
