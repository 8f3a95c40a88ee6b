/* doubles.c -- instances whose numbers are doubles, in the form of the filter. */
#include "props/doubles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "base/memory.h"
#include "campaign/label.h"
#include "number/double.h"
#include "number/scope.h"

/* An integer of up to 53 bits over a power of two up to 2^900 is a double, not subnormal. */
enum { EXACT_BITS = 53, EXACT_SHIFT = 900 };

void attest_doubles_init(attest_doubles *doubles)
{
    memset(doubles, 0, sizeof *doubles);
}

void attest_doubles_clear(attest_doubles *doubles)
{
    free(doubles->fits);
    free(doubles->shape);
    free(doubles->instance);
    free(doubles->number);
    free(doubles->length);
    attest_doubles_init(doubles);
}

/* Returns k if x is 2^k and k is not too large, else -1. */
static long get_shift(const fmpz_t x)
{
    flint_bitcnt_t bits = fmpz_bits(x);

    return bits <= EXACT_SHIFT && fmpz_val2(x) == bits - 1 ? (long)bits - 1 : -1;
}

/* Sets x to the fraction; returns false if it is not a double. */
static bool get_rounded(double *x, const fmpz_t numerator, const fmpz_t denominator)
{
    FMPQ(value, back);

    fmpq_set_fmpz_frac(value, numerator, denominator);
    *x = attest_double_get_fraction(fmpq_numref(value), fmpq_denref(value));
    if (isfinite(*x))
        attest_number_set_double(back, *x);
    return isfinite(*x) && fmpq_equal(back, value);
}

/* The same for a denominator whose shift is known. */
static bool get_shifted(double *x, const fmpz_t numerator, const fmpz_t denominator, long shift)
{
    if (shift < 0 || fmpz_bits(numerator) > EXACT_BITS)
        return get_rounded(x, numerator, denominator);
    *x = ldexp(fmpz_get_d(numerator), (int)-shift);
    return true;
}

bool attest_doubles_get(double *x, const fmpz_t numerator, const fmpz_t denominator)
{
    return get_shifted(x, numerator, denominator, get_shift(denominator));
}

bool attest_doubles_get_tokens(double *value, const attest_tokens *tokens)
{
    size_t dim = tokens->dim;

    if (tokens->real) {
        memcpy(value, tokens->real, tokens->count * dim * sizeof *value);
        return true;
    }
    for (size_t t = 0; t < tokens->count; t++) {
        long shift = get_shift(tokens->denominator + t);
        for (size_t c = 0; c < dim; c++)
            if (!get_shifted(value + t * dim + c, tokens->numerator + t * dim + c,
                             tokens->denominator + t, shift))
                return false;
    }
    return true;
}

/* A matrix as the upper left corner of one with cols columns. */
static bool get_matrix(double *x, const attest_matrix *matrix, size_t cols)
{
    long shift = get_shift(matrix->denominator);
    bool ok = true;
    FMPZ(product);

    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols && ok; c++) {
            if (matrix->factored)
                fmpz_mul(product, matrix->u + r, matrix->v + c);
            ok = get_shifted(x + r * cols + c,
                             matrix->factored ? product : matrix->entry + r * matrix->cols + c,
                             matrix->denominator, shift);
        }
    return ok;
}

static bool get_weights(double *x, const attest_weights *weights, size_t size)
{
    size_t each = size * weights->dim;
    bool ok = true;

    memset(x, 0, 4 * weights->heads * each * sizeof *x);
    for (size_t h = 0; h < weights->heads; h++, x += 4 * each) {
        const attest_head *head = &weights->head[h];
        ok = ok && get_matrix(x, &head->wq, weights->dim) &&
             get_matrix(x + each, &head->wk, weights->dim) &&
             get_matrix(x + 2 * each, &head->wv, weights->dim) &&
             get_matrix(x + 3 * each, &head->wo, size);
    }
    return ok;
}

/* Writes the tokens of all positions. The table of distinct tokens is first written to the end
 * of the same array: it fits, because every token has a position. */
static bool get_positions(double *x, const attest_dataset *dataset)
{
    size_t dim = dataset->dim;
    double *table = x + dataset->total * dim;

    if (!attest_doubles_get_tokens(table, &dataset->tokens))
        return false;
    for (size_t k = 0; k < dataset->total; k++)
        memcpy(x + k * dim, table + dataset->token[k] * dim, dim * sizeof *x);
    return true;
}

/* The largest number of rows of a head. */
static size_t size_of(const attest_weights *weights)
{
    size_t size = 1;

    for (size_t h = 0; h < weights->heads; h++)
        size = weights->head[h].wq.rows > size ? weights->head[h].wq.rows : size;
    return size;
}

/* Numbers of an instance, and the table of its tokens. */
static size_t numbers_of(const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    const attest_weights *weights = &instance->weights;

    return (dataset->total + dataset->tokens.count) * dataset->dim +
           4 * weights->heads * size_of(weights) * weights->dim;
}

static bool grow(void **block, size_t *room, size_t need, size_t size)
{
    void *more;

    if (need <= *room)
        return true;
    more = attest_memory_resize(*block, need, size);
    if (!more)
        return false;
    *block = more;
    *room = need;
    return true;
}

static bool reserve(attest_doubles *d, const attest_instance *instance, size_t count)
{
    size_t numbers = 0, lengths = 0, room = d->room;
    void *fits = d->fits, *shape = d->shape, *small = d->instance, *number = d->number,
         *length = d->length;
    bool ok;

    for (size_t i = 0; i < count; i++) {
        numbers += numbers_of(&instance[i]);
        lengths += instance[i].dataset.count;
    }
    ok = grow(&number, &d->number_room, numbers, sizeof *d->number) &&
         grow(&length, &d->length_room, lengths, sizeof *d->length) &&
         grow(&fits, &room, count, sizeof *d->fits) &&
         grow(&shape, &(size_t){d->room}, count, sizeof *d->shape) &&
         grow(&small, &(size_t){d->room}, count, sizeof *d->instance);
    d->number = number, d->length = length;
    d->fits = fits, d->shape = shape, d->instance = small;
    if (ok)
        d->room = room;
    return ok;
}

attest_status attest_doubles_set(attest_doubles *doubles, const attest_instance *instance,
                                 size_t count)
{
    double *number;
    size_t *length;

    if (!reserve(doubles, instance, count))
        return ATTEST_NOMEM;
    doubles->count = count;
    number = doubles->number, length = doubles->length;
    for (size_t i = 0; i < count; i++) {
        const attest_dataset *data = &instance[i].dataset;
        const attest_weights *w = &instance[i].weights;
        double *weight = number + (data->total + data->tokens.count) * data->dim;

        doubles->fits[i] = attest_instance_fits(&instance[i]) && get_positions(number, data) &&
                           get_weights(weight, w, size_of(w));
        doubles->shape[i] = (attest_filter_shape){w->activation, w->ties,  w->mask,   w->skip,
                                                  w->dim,        w->heads, size_of(w)};
        doubles->instance[i] = (attest_filter_instance){data->count, length, number, weight};
        for (size_t s = 0; s < data->count; s++)
            length[s] = attest_dataset_length(data, s);
        number += numbers_of(&instance[i]);
        length += data->count;
    }
    return ATTEST_OK;
}
