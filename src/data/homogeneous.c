/* homogeneous.c -- tokens with one more coordinate, which is 1. */
#include <attest/dataset.h>

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

_Static_assert(sizeof(double) == sizeof(fmpz), "both kinds of table have entries of one size");

/* What the new coordinates take: words, and for a rational table copies of the denominators. */
static size_t bytes_of(const attest_tokens *tokens)
{
    size_t bytes = tokens->count * sizeof(double);

    for (size_t t = 0; !tokens->real && t < tokens->count; t++)
        if (COEFF_IS_MPZ(tokens->denominator[t]))
            bytes += sizeof(__mpz_struct) + fmpz_size(tokens->denominator + t) * sizeof(ulong);
    return bytes;
}

/* Moves each of count rows of width entries apart by one entry, the last one first. */
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
    attest_status status = attest_budget_charge(budget, bytes, error);

    if (status != ATTEST_OK)
        return status;
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
