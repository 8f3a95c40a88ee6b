/* doubles.c -- instances whose numbers are doubles, in the form of the filter, and Definition 2
 * for them. */
#include "props/doubles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "base/memory.h"
#include "base/scope.h"
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

/* Writes the tokens of all positions, and after them the table of distinct tokens, for which
 * numbers_of counts the room. */
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

/* ---- Verdicts, by one filter for each shape. */

void attest_verdicts_init(attest_verdicts *verdicts)
{
    memset(verdicts, 0, sizeof *verdicts);
}

void attest_verdicts_clear(attest_verdicts *verdicts)
{
    for (size_t f = 0; f < verdicts->filters; f++)
        attest_filter_clear(&verdicts->filter[f]);
    free(verdicts->filter);
    free(verdicts->which);
    free(verdicts->some);
    free(verdicts->place);
    free(verdicts->answer);
    attest_verdicts_init(verdicts);
}

static bool same_shape(const attest_filter_shape *a, const attest_filter_shape *b)
{
    return a->activation == b->activation && a->ties == b->ties && a->mask == b->mask &&
           a->skip == b->skip && a->dim == b->dim && a->heads == b->heads && a->size == b->size;
}

/* A filter of this shape. */
static attest_status find_filter(size_t *which, attest_verdicts *v,
                                 const attest_filter_shape *shape, attest_error *error)
{
    for (*which = 0; *which < v->filters; ++*which)
        if (same_shape(&v->filter[*which].shape, shape))
            return ATTEST_OK;
    if (!attest_memory_grow(&v->filter, &v->filter_room, v->filters + 1, sizeof *v->filter))
        return attest_memory_fail(error);
    v->filters++; /* it must be cleared in any case */
    return attest_filter_init(&v->filter[*which], shape, error);
}

static attest_status reserve_answers(attest_verdicts *v, size_t count, attest_error *error)
{
    if (count <= v->room)
        return ATTEST_OK;
    free(v->which);
    free(v->some);
    free(v->place);
    free(v->answer);
    v->which = attest_memory_alloc(count, sizeof *v->which);
    v->some = attest_memory_alloc(count, sizeof *v->some);
    v->place = attest_memory_alloc(count, sizeof *v->place);
    v->answer = attest_memory_alloc(count, sizeof *v->answer);
    v->room = v->which && v->some && v->place && v->answer ? count : 0;
    return v->room ? ATTEST_OK : attest_memory_fail(error);
}

/* Sets the answers of the wanted instances that belong to filter f. */
static attest_status check_some(attest_filter_answer *answer, attest_verdicts *v, size_t f,
                                const attest_doubles *doubles, const bool *wanted,
                                attest_error *error)
{
    size_t some = 0;

    for (size_t i = 0; i < doubles->count; i++)
        if (wanted[i] && v->which[i] == f) {
            v->some[some] = doubles->instance[i];
            v->place[some++] = i;
        }
    ATTEST_TRY(attest_filter_check(v->answer, &v->filter[f], v->some, some, error));
    for (size_t s = 0; s < some; s++)
        answer[v->place[s]] = v->answer[s];
    return ATTEST_OK;
}

attest_status attest_verdicts_get(attest_filter_answer *answer, attest_verdicts *verdicts,
                                  const attest_doubles *doubles, const bool *wanted,
                                  attest_error *error)
{
    ATTEST_TRY(reserve_answers(verdicts, doubles->count, error));
    for (size_t i = 0; i < doubles->count; i++)
        if (wanted[i])
            ATTEST_TRY(find_filter(&verdicts->which[i], verdicts, &doubles->shape[i], error));
    for (size_t f = 0; f < verdicts->filters; f++)
        ATTEST_TRY(check_some(answer, verdicts, f, doubles, wanted, error));
    return ATTEST_OK;
}

static attest_status certify(attest_filter_answer *answer, const attest_instance *instance,
                             attest_error *error)
{
    ATTEST_SCOPED(attest_claim, claim);
    ATTEST_SCOPED(attest_finding, finding);

    claim.dataset = &instance->dataset;
    claim.weights = &instance->weights;
    ATTEST_TRY(attest_certify(&finding, &claim, error));
    *answer = (attest_filter_answer){.verdict = finding.verdict,
                                     .part = finding.part,
                                     .place = {finding.pair[0], finding.pair[1]},
                                     .method = finding.method};
    return ATTEST_OK;
}

/* For larger layers a filter takes too much memory. */
static bool is_small(const attest_weights *weights)
{
    enum { MOST = 1024 };
    size_t size = weights->dim <= MOST ? weights->dim : MOST + 1;

    for (size_t h = 0; h < weights->heads && size <= MOST; h++)
        size += weights->head[h].wq.rows <= MOST ? weights->head[h].wq.rows * weights->dim
                                                 : MOST + 1;
    return size <= MOST;
}

attest_status attest_verdicts_get_one(attest_filter_answer *answer,
                                      const attest_instance *instance, attest_error *error)
{
    attest_status status;

    if (!is_small(&instance->weights))
        return certify(answer, instance, error);
    ATTEST_SCOPED(attest_doubles, doubles);
    ATTEST_SCOPED(attest_verdicts, verdicts);
    status = attest_doubles_set(&doubles, instance, 1);
    if (status != ATTEST_OK)
        return attest_error_set(error, status, "out of memory");
    if (!*doubles.fits)
        return certify(answer, instance, error);
    return attest_verdicts_get(answer, &verdicts, &doubles, doubles.fits, error);
}
