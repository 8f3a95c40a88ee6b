/* oracle_equal.c -- equality of softmax outputs, from its reduction to a sum of exponentials.
 *
 * The difference times the product of all denominators is a sum over all ways to choose one key
 * in every group, a group being a head at one of the two places:
 *     e^{sum of the scores} (x - y + sum of the values at a - sum of the values at b). */
#include "props/oracle.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct term {
    fmpq_t exponent;
    fmpq *coefficient; /* dim */
} term;

static int compare_terms(const void *p, const void *q)
{
    return fmpq_cmp(((const term *)p)->exponent, ((const term *)q)->exponent);
}

/* The number of terms, or 0 if it is beyond the limit. */
static size_t count_terms(const attest_oracle *oracle, attest_place a, attest_place b)
{
    size_t terms = 1;

    for (size_t g = 0; g < 2 * oracle->weights->heads; g++) {
        terms *= attest_oracle_seen(oracle, g % 2 ? b : a);
        if (terms > ATTEST_ORACLE_TERMS)
            return 0;
    }
    return terms;
}

/* Term number `index`, whose digits in mixed radix are the keys chosen. */
static void set_term(term *one, const attest_oracle *oracle, attest_place a, attest_place b,
                     size_t index)
{
    size_t dim = oracle->dataset->dim;
    fmpq_t y;

    fmpq_init(y);
    for (size_t c = 0; c < dim; c++) {
        attest_oracle_skip(one->coefficient + c, oracle, a, c);
        attest_oracle_skip(y, oracle, b, c);
        fmpq_sub(one->coefficient + c, one->coefficient + c, y);
    }
    for (size_t g = 0; g < 2 * oracle->weights->heads; g++) {
        attest_place place = g % 2 ? b : a;
        size_t keys = attest_oracle_seen(oracle, place), j = index % keys, h = g / 2;
        index /= keys;
        fmpq_add(one->exponent, one->exponent, attest_oracle_score(oracle, h, place, j));
        for (size_t c = 0; c < dim; c++)
            (g % 2 ? fmpq_sub : fmpq_add)(one->coefficient + c, one->coefficient + c,
                                          attest_oracle_value(oracle, h, place, j, c));
    }
    fmpq_clear(y);
}

/* Whether the coefficients of each exponent, which stand together, add up to zero. */
static bool vanishes(const term *all, size_t terms, size_t dim)
{
    bool zero = true;
    fmpq_t sum;

    fmpq_init(sum);
    for (size_t c = 0; c < dim && zero; c++)
        for (size_t i = 0; i < terms && zero; i++) {
            fmpq_add(sum, sum, all[i].coefficient + c);
            if (i + 1 == terms || !fmpq_equal(all[i].exponent, all[i + 1].exponent)) {
                zero = fmpq_is_zero(sum);
                fmpq_zero(sum);
            }
        }
    fmpq_clear(sum);
    return zero;
}

int attest_oracle_equal(const attest_oracle *oracle, attest_place a, attest_place b)
{
    size_t dim = oracle->dataset->dim, terms = count_terms(oracle, a, b);
    term *all = terms ? attest_memory_alloc(terms, sizeof *all) : NULL;
    int equal;

    if (!all)
        return -1;
    for (size_t i = 0; i < terms; i++) {
        fmpq_init(all[i].exponent);
        all[i].coefficient = _fmpq_vec_init((slong)dim);
        set_term(all + i, oracle, a, b, i);
    }
    qsort(all, terms, sizeof *all, compare_terms);
    equal = vanishes(all, terms, dim);
    for (size_t i = 0; i < terms; i++) {
        fmpq_clear(all[i].exponent);
        _fmpq_vec_clear(all[i].coefficient, (slong)dim);
    }
    free(all);
    return equal;
}
