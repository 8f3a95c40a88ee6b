/* oracle_equal.c -- equality of softmax outputs, from its reduction to a sum of exponentials.
 *
 * The difference times the product of all denominators is a sum over all ways to choose one key
 * in every group, a group being a head at one of the two places:
 *     e^{sum of the scores} (x - y + sum of the values at a - sum of the values at b).
 * Group after group is multiplied out, and ways of equal exponent are counted together: a term
 * is e^{exponent} (the sum of what `ways` ways add up to). */
#include "number/scope.h"
#include "props/oracle.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct term {
    fmpq_t exponent;
    size_t ways; /* at most ATTEST_ORACLE_TERMS */
    fmpq *sum;   /* dim */
} term;

typedef struct terms {
    size_t count, dim;
    term *term;
} terms;

static bool terms_init(terms *all, size_t count, size_t dim)
{
    all->term = attest_memory_alloc(count, sizeof *all->term);
    all->count = all->term ? count : 0;
    all->dim = dim;
    for (size_t i = 0; i < all->count; i++) {
        fmpq_init(all->term[i].exponent);
        all->term[i].ways = 0;
        all->term[i].sum = _fmpq_vec_init((slong)dim);
    }
    return all->term != NULL;
}

static void terms_clear(terms *all)
{
    for (size_t i = 0; i < all->count; i++) {
        fmpq_clear(all->term[i].exponent);
        _fmpq_vec_clear(all->term[i].sum, (slong)all->dim);
    }
    free(all->term);
}

static int compare_terms(const void *p, const void *q)
{
    return fmpq_cmp(((const term *)p)->exponent, ((const term *)q)->exponent);
}

/* Equal exponents together, as one term each. */
static void collect(terms *all)
{
    size_t kept = 0;

    qsort(all->term, all->count, sizeof *all->term, compare_terms);
    for (size_t i = 1; i < all->count; i++) {
        term *into = all->term + kept, *from = all->term + i;

        if (fmpq_equal(into->exponent, from->exponent)) {
            into->ways += from->ways;
            for (size_t c = 0; c < all->dim; c++)
                fmpq_add(into->sum + c, into->sum + c, from->sum + c);
        } else if (++kept < i) {
            term swap = all->term[kept];

            all->term[kept] = *from;
            *from = swap;
        }
    }
    for (size_t i = kept + 1; i < all->count; i++) {
        fmpq_clear(all->term[i].exponent);
        _fmpq_vec_clear(all->term[i].sum, (slong)all->dim);
    }
    all->count = kept + 1;
}

/* to = from with key j of the group chosen, in every one of its ways. */
static void choose(term *to, const term *from, const attest_oracle *oracle, size_t group,
                   attest_place place, size_t j)
{
    FMPQ(value);

    fmpq_add(to->exponent, from->exponent, attest_oracle_score(oracle, group / 2, place, j));
    to->ways = from->ways;
    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        fmpq_mul_ui(value, attest_oracle_value(oracle, group / 2, place, j, c), from->ways);
        (group % 2 ? fmpq_sub : fmpq_add)(to->sum + c, from->sum + c, value);
    }
}

/* all times the denominator of a group. */
static bool multiply(terms *all, const attest_oracle *oracle, size_t group, attest_place place)
{
    size_t keys = attest_oracle_seen(oracle, place);
    terms product;

    if (!terms_init(&product, all->count * keys, all->dim))
        return false;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < keys; j++)
            choose(product.term + i * keys + j, all->term + i, oracle, group, place, j);
    terms_clear(all);
    collect(&product);
    *all = product;
    return true;
}

/* Whether there are too many ways. */
static bool is_beyond(const attest_oracle *oracle, attest_place a, attest_place b)
{
    size_t ways = 1;

    for (size_t g = 0; g < 2 * oracle->weights->heads && ways <= ATTEST_ORACLE_TERMS; g++)
        ways *= attest_oracle_seen(oracle, g % 2 ? b : a);
    return ways > ATTEST_ORACLE_TERMS;
}

/* One way, of exponent 0: the difference of what the skip adds. */
static void set_skip(term *one, const attest_oracle *oracle, attest_place a, attest_place b)
{
    FMPQ(y);

    one->ways = 1;
    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        attest_oracle_skip(one->sum + c, oracle, a, c);
        attest_oracle_skip(y, oracle, b, c);
        fmpq_sub(one->sum + c, one->sum + c, y);
    }
}

int attest_oracle_equal(const attest_oracle *oracle, attest_place a, attest_place b)
{
    if (is_beyond(oracle, a, b))
        return -1;
    terms all ATTEST_CLEARED_BY(terms_clear);
    if (!terms_init(&all, 1, oracle->dataset->dim))
        return -1;
    set_skip(all.term, oracle, a, b);
    for (size_t g = 0; g < 2 * oracle->weights->heads; g++)
        if (!multiply(&all, oracle, g, g % 2 ? b : a))
            return -1;
    for (size_t i = 0; i < all.count; i++)
        for (size_t c = 0; c < all.dim; c++)
            if (!fmpq_is_zero(all.term[i].sum + c))
                return 0;
    return 1;
}
