/* dataset.c -- sequences of exact rational tokens: what a dataset holds. */
#include <attest/dataset.h>

#include <stdlib.h>
#include <string.h>

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
    free(dataset->meant);
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
