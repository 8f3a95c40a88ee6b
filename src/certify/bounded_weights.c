/* bounded_weights.c -- exact weights and tokens as doubles, and whether that rounded them. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "certify/bounded_points.h"
#include "number/double.h"
#include "number/scope.h"

/* Integers of up to 53 bits over 2^900 at most are doubles, and none of them is subnormal. */
enum { EXACT_BITS = 53, EXACT_SHIFT = 900 };

/* numerator / 2^shift, for a shift that get_shift gave. */
static bool set_exact(double *x, const fmpz_t numerator, long shift)
{
    if (shift < 0 || fmpz_bits(numerator) > EXACT_BITS)
        return false;
    *x = ldexp(fmpz_get_d(numerator), (int)-shift);
    return true;
}

/* k where the denominator is 2^k and k is not too large, else -1. */
static long get_shift(const fmpz_t denominator)
{
    flint_bitcnt_t bits = fmpz_bits(denominator);

    return bits <= EXACT_SHIFT && fmpz_val2(denominator) == bits - 1 ? (long)bits - 1 : -1;
}

/* The entries of a matrix; *rounded is set when one of them is not the double. */
static void set_entries(double *entry, bool *rounded, const attest_matrix *matrix)
{
    long shift = matrix->factored ? -1 : get_shift(matrix->denominator);
    FMPQ(value);

    for (size_t e = 0; e < matrix->rows * matrix->cols; e++) {
        if (!matrix->factored && set_exact(entry + e, matrix->entry + e, shift))
            continue;
        attest_matrix_get_entry(value, matrix, e / matrix->cols, e % matrix->cols);
        entry[e] = attest_double_get_fraction(fmpq_numref(value), fmpq_denref(value));
        *rounded = true;
    }
}

static const attest_matrix *matrix_of(const attest_head *head, int which)
{
    const attest_matrix *const all[] = {&head->wq, &head->wk, &head->wv, &head->wo};

    return all[which];
}

static attest_bounded_matrix *set_of(attest_bounded_head *head, int which)
{
    attest_bounded_matrix *const all[] = {&head->q, &head->k, &head->v, &head->o};

    return all[which];
}

attest_status attest_bounded_layer_init(attest_bounded_layer *layer,
                                        const attest_weights *weights, attest_error *error)
{
    bool rounded = false;

    *layer = (attest_bounded_layer){.activation = weights->activation,
                                    .mask = weights->mask,
                                    .skip = weights->skip,
                                    .skip_from = weights->skip_from,
                                    .output_dim = weights->output_dim,
                                    .dim = weights->dim,
                                    .heads = weights->heads};
    layer->head = attest_memory_alloc(weights->heads, sizeof *layer->head);
    if (!layer->head)
        return attest_memory_fail(error);
    for (size_t h = 0; h < weights->heads; h++) {
        for (int which = 0; which < 4; which++) {
            const attest_matrix *matrix = matrix_of(&weights->head[h], which);
            double *entry = attest_memory_alloc(matrix->rows * matrix->cols, sizeof *entry);
            if (!entry) {
                attest_bounded_layer_clear(layer);
                return attest_memory_fail(error);
            }
            set_entries(entry, &rounded, matrix);
            attest_bounded_matrix_set(set_of(&layer->head[h], which), entry, matrix->rows,
                                      matrix->cols);
        }
    }
    layer->error = rounded ? ATTEST_BOUNDED_ROUNDED : 0;
    return ATTEST_OK;
}

void attest_bounded_layer_clear(attest_bounded_layer *layer)
{
    for (size_t h = 0; layer->head && h < layer->heads; h++)
        for (int which = 0; which < 4; which++)
            free((double *)set_of(&layer->head[h], which)->entry);
    free(layer->head);
    layer->head = NULL;
}

attest_status attest_bounded_tokens_init(attest_bounded_tokens *table,
                                         const attest_tokens *tokens, attest_error *error)
{
    *table = (attest_bounded_tokens){.value = tokens->real};
    if (tokens->real)
        return ATTEST_OK;
    /* The numerators are there, so this product does not overflow. */
    table->own = attest_memory_alloc(tokens->count * tokens->dim, sizeof *table->own);
    if (!table->own)
        return attest_memory_fail(error);
    table->value = table->own;
    for (size_t t = 0; t < tokens->count; t++) {
        const fmpz *numerator = tokens->numerator + t * tokens->dim;
        long shift = get_shift(tokens->denominator + t);
        for (size_t c = 0; c < tokens->dim; c++) {
            double *x = table->own + t * tokens->dim + c;
            if (set_exact(x, numerator + c, shift))
                continue;
            *x = attest_double_get_fraction(numerator + c, tokens->denominator + t);
            table->error = ATTEST_BOUNDED_ROUNDED;
        }
    }
    return ATTEST_OK;
}

void attest_bounded_tokens_clear(attest_bounded_tokens *table)
{
    free(table->own);
    *table = (attest_bounded_tokens){0};
}
