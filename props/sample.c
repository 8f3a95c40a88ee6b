/* sample.c -- a hash of an instance, from its values alone. */
#include "props/sample.h"

#include <string.h>

/* Numbers of any length are taken modulo this prime. */
#define PRIME ((((ulong)1) << 61) - 1)

/* Both multiplications are invertible, so no information is lost before the last one mixes
 * downward.
 */
static void add(uint64_t *number, uint64_t value)
{
    *number = (*number ^ value) * 0x9e3779b97f4a7c15u;
    *number ^= *number >> 29;
}

static void add_integers(uint64_t *number, const fmpz *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(number, fmpz_fdiv_ui(value + i, PRIME));
}

static void add_matrix(uint64_t *number, const attest_matrix *matrix)
{
    add(number, matrix->rows);
    add_integers(number, matrix->denominator, 1);
    if (!matrix->factored) {
        add_integers(number, matrix->entry, matrix->rows * matrix->cols);
        return;
    }
    add_integers(number, matrix->u, matrix->rows);
    add_integers(number, matrix->v, matrix->cols);
}

static void add_tokens(uint64_t *number, const attest_tokens *tokens)
{
    size_t entries = tokens->count * tokens->dim;

    if (!tokens->real) {
        add_integers(number, tokens->numerator, entries);
        add_integers(number, tokens->denominator, tokens->count);
        return;
    }
    for (size_t i = 0; i < entries; i++) {
        uint64_t bits;
        memcpy(&bits, &tokens->real[i], sizeof bits);
        add(number, bits);
    }
}

uint64_t attest_sample_number(const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    const attest_weights *weights = &instance->weights;
    uint64_t number = 1;

    add_tokens(&number, &dataset->tokens);
    for (size_t s = 0; s < dataset->count; s++)
        add(&number, attest_dataset_length(dataset, s));
    for (size_t p = 0; p < dataset->total; p++)
        add(&number, dataset->token[p]);
    for (size_t h = 0; h < weights->heads; h++) {
        add_matrix(&number, &weights->head[h].wq);
        add_matrix(&number, &weights->head[h].wk);
        add_matrix(&number, &weights->head[h].wv);
        add_matrix(&number, &weights->head[h].wo);
    }
    add(&number, (uint64_t)weights->activation * 8 + (uint64_t)weights->ties * 4 +
                     (uint64_t)weights->mask * 2 + weights->skip);
    for (size_t p = 0; p < instance->parameters; p++)
        add_integers(&number, fmpq_numref(instance->parameter[p].value), 1),
            add_integers(&number, fmpq_denref(instance->parameter[p].value), 1);
    return number >> 8;
}
