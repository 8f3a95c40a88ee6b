/* projection.c -- vector.token for all tokens, in doubles with error bounds, and their order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/projection.h"
#include "number/double.h"
#include "number/scope.h"

enum { LIMIT_EXPONENT = 900, NEAR_EXPONENT = 64 };

void attest_projection_clear(attest_projection *projection)
{
    free(projection->value);
    free(projection->error);
    free(projection->rank);
    free(projection->token);
    fmpq_clear(projection->gap);
}

/* direction[c] = entry c in units of 2^exponent, the largest in [1/2, 1]: relative error 2^-53.
 */
static bool round_vector(double *direction, slong *exponent,
                         const attest_rational_vector *vector)
{
    bool usable = true;
    ARB(entry);

    *exponent = WORD_MIN;
    for (size_t c = 0; c < vector->dim; c++) {
        slong size =
            (slong)fmpz_bits(vector->numerator + c) - (slong)fmpz_bits(vector->denominator) + 1;

        if (!fmpz_is_zero(vector->numerator + c) && size > *exponent)
            *exponent = size;
    }
    for (size_t c = 0; c < vector->dim; c++) {
        if (labs(*exponent) <= NEAR_EXPONENT) { /* a subnormal result is not usable */
            direction[c] =
                ldexp(attest_double_get_fraction(vector->numerator + c, vector->denominator),
                      (int)-*exponent);
        } else {
            arb_fmpz_div_fmpz(entry, vector->numerator + c, vector->denominator, 128);
            arb_mul_2exp_si(entry, entry, -*exponent);
            direction[c] = arf_get_d(arb_midref(entry), ARF_RND_NEAR);
        }
        usable = usable && (direction[c] == 0) == fmpz_is_zero(vector->numerator + c) &&
                 (direction[c] == 0 || fabs(direction[c]) > ldexp(1, -LIMIT_EXPONENT));
    }
    return usable;
}

/* entry[c] of token t, with a relative error of at most 2^-53. */
static bool round_token(double *entry, const attest_tokens *tokens, size_t t)
{
    const fmpz *numerator = tokens->numerator + t * tokens->dim;
    bool usable = true;

    for (size_t c = 0; c < tokens->dim; c++) {
        entry[c] = attest_double_get_fraction(numerator + c, tokens->denominator + t);
        usable = usable &&
                 (fmpz_is_zero(numerator + c) || (fabs(entry[c]) < ldexp(1, LIMIT_EXPONENT) &&
                                                  fabs(entry[c]) > ldexp(1, -LIMIT_EXPONENT)));
    }
    return usable;
}

/* The sum of d products, each with three roundings (entry of the vector, entry of the token,
 * product) and d - 1 of the sum, is within (d + 3) 2^-53 (1 + small) of the truth relative to
 * the sum of absolute values, which is itself computed within a factor 1 + d 2^-52; underflow
 * adds 2^-1074 a product. Doubling covers the small terms. */
static bool project(double *value, double *error, const double *direction, const double *entry,
                    size_t dim)
{
    double sum = 0, size = 0;

    for (size_t c = 0; c < dim; c++) {
        double product = direction[c] * entry[c];

        sum += product;
        size += fabs(product);
    }
    *value = sum;
    *error = size * (double)(dim + 6) * 0x1p-52 + (double)dim * 0x1p-1073;
    return isfinite(size) && *error < INFINITY;
}

attest_status attest_projection_init(attest_projection *projection, const attest_tokens *tokens,
                                     const attest_rational_vector *vector, attest_error *error)
{
    size_t dim = tokens->dim;
    double *direction ATTEST_FREED = attest_memory_alloc(dim, sizeof *direction);
    double *entry ATTEST_FREED = attest_memory_alloc(dim, sizeof *entry);
    bool usable;

    memset(projection, 0, sizeof *projection);
    projection->tokens = tokens;
    projection->vector = vector;
    fmpq_init(projection->gap);
    projection->value = attest_memory_alloc(tokens->count, sizeof *projection->value);
    projection->error = attest_memory_alloc(tokens->count, sizeof *projection->error);
    if (!direction || !entry || !projection->value || !projection->error)
        return attest_memory_fail(error);
    usable = round_vector(direction, &projection->exponent, vector);
    for (size_t t = 0; t < tokens->count && usable; t++) {
        const double *x = tokens->real ? tokens->real + t * dim : entry;

        usable = (tokens->real || round_token(entry, tokens, t)) &&
                 project(&projection->value[t], &projection->error[t], direction, x, dim);
    }
    if (!usable)
        return attest_error_set(error, ATTEST_UNABLE, "numbers beyond the range of doubles");
    return ATTEST_OK;
}

void attest_projection_get(fmpq_t value, const attest_projection *projection, size_t t)
{
    FMPZ_VEC(numerator, (slong)projection->tokens->dim);
    FMPZ(denominator);

    attest_tokens_get(numerator, denominator, projection->tokens, t);
    attest_rational_vector_dot(value, projection->vector, numerator, denominator);
}

/* Sorting starts with the least significant digit, 11 bits at a time. A digit that all keys
 * share costs a look at the histogram. */
enum { DIGIT_BITS = 11, DIGITS = 6, VALUES = 1 << DIGIT_BITS, FEW = 64 };

static unsigned digit(uint64_t key, int d)
{
    return (unsigned)(key >> (d * DIGIT_BITS)) & (VALUES - 1);
}

/* Clearing the histograms takes longer than sorting a few items like this. */
static void insert_each(attest_radix_item *item, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        attest_radix_item own = item[i];
        size_t at = i;

        for (; at > 0 && item[at - 1].key > own.key; at--)
            item[at] = item[at - 1];
        item[at] = own;
    }
}

static attest_status sort_digits(attest_radix_item *item, size_t count)
{
    size_t(*histogram)[VALUES] = attest_memory_alloc(DIGITS, sizeof *histogram);
    attest_radix_item *other = attest_memory_alloc(count, sizeof *other), *from = item,
                      *to = other;

    if (!histogram || !other) {
        free(histogram);
        free(other);
        return ATTEST_NOMEM;
    }
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            histogram[d][digit(item[i].key, d)]++;
    for (int d = 0; d < DIGITS && count > 0; d++) {
        size_t sum = 0;

        if (histogram[d][digit(item[0].key, d)] == count)
            continue;
        for (size_t v = 0; v < VALUES; v++) {
            size_t here = histogram[d][v];

            histogram[d][v] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[histogram[d][digit(from[i].key, d)]++] = from[i];
        attest_radix_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != item)
        memcpy(item, from, count * sizeof *item);
    free(histogram);
    free(other);
    return ATTEST_OK;
}

uint64_t attest_radix_key(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

attest_status attest_radix_sort(attest_radix_item *item, size_t count)
{
    if (count > FEW)
        return sort_digits(item, count);
    insert_each(item, count);
    return ATTEST_OK;
}

/* A token and its exact value, to be sorted. */
typedef struct exact_item {
    fmpq value;
    uint32_t token;
} exact_item;

static int compare_exact(const void *left, const void *right)
{
    return fmpq_cmp(&((const exact_item *)left)->value, &((const exact_item *)right)->value);
}

static void offer_gap(attest_projection *p, const fmpq_t gap, uint32_t a, uint32_t b)
{
    if (p->has_gap && fmpq_cmp(gap, p->gap) >= 0)
        return;
    fmpq_set(p->gap, gap);
    p->has_gap = true;
    p->close[0] = a;
    p->close[1] = b;
}

/* Sorts places [from, to), whose enclosures overlap, by exact values. */
static attest_status sort_cluster(attest_projection *p, size_t from, size_t to)
{
    size_t count = to - from;
    exact_item *item ATTEST_FREED = attest_memory_alloc(count, sizeof *item);
    FMPQ(gap);

    if (!item)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < count; i++) {
        fmpq_init(&item[i].value);
        item[i].token = p->token[from + i];
        attest_projection_get(&item[i].value, p, item[i].token);
    }
    qsort(item, count, sizeof *item, compare_exact);
    for (size_t i = 0; i < count; i++) {
        p->token[from + i] = item[i].token;
        if (i == 0)
            continue;
        fmpq_sub(gap, &item[i].value, &item[i - 1].value);
        if (fmpq_is_zero(gap)) {
            p->injective = false;
            p->equal[0] = item[i - 1].token;
            p->equal[1] = item[i].token;
        } else {
            offer_gap(p, gap, item[i - 1].token, item[i].token);
        }
    }
    for (size_t i = 0; i < count; i++)
        fmpq_clear(&item[i].value);
    return ATTEST_OK;
}

/* Order by doubles, then runs of overlapping intervals exactly. */
static attest_status sort_tokens(attest_projection *p)
{
    size_t count = p->tokens->count;
    attest_radix_item *item ATTEST_FREED = attest_memory_alloc(count, sizeof *item);

    if (!item)
        return ATTEST_NOMEM;
    for (size_t t = 0; t < count; t++)
        item[t] = (attest_radix_item){attest_radix_key(p->value[t]), (uint32_t)t};
    if (attest_radix_sort(item, count) != ATTEST_OK)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < count; i++)
        p->token[i] = item[i].index;
    for (size_t from = 0, to; from < count; from = to) {
        double high = p->value[p->token[from]] + p->error[p->token[from]];

        for (to = from + 1; to < count; to++) {
            uint32_t t = p->token[to];

            /* 2^-50 more than rounding can take away from either end */
            if (p->value[t] - p->error[t] > high + 0x1p-50 * fabs(high) + 0x1p-1060)
                break;
            high = fmax(high, p->value[t] + p->error[t]);
        }
        if (to - from > 1 && sort_cluster(p, from, to) != ATTEST_OK)
            return ATTEST_NOMEM;
    }
    return ATTEST_OK;
}

/* Upper and lower bounds of the distance of the tokens at places i - 1 and i. */
static double gap_end(const attest_projection *p, size_t i, int sign)
{
    uint32_t a = p->token[i - 1], b = p->token[i];
    double distance = p->value[b] - p->value[a], error = p->error[a] + p->error[b];
    double slack = 0x1p-50 * (fabs(p->value[a]) + fabs(p->value[b]) + error) + 0x1p-1060;

    return distance + sign * (error + slack);
}

double attest_projection_gap_above(const attest_projection *projection)
{
    double least = INFINITY;

    for (size_t i = 1; i < projection->tokens->count; i++)
        least = fmin(least, gap_end(projection, i, 1));
    return least;
}

attest_status attest_projection_order(attest_projection *projection)
{
    size_t count = projection->tokens->count;

    projection->rank = attest_memory_alloc(count, sizeof *projection->rank);
    projection->token = attest_memory_alloc(count, sizeof *projection->token);
    projection->injective = true;
    if (!projection->rank || !projection->token || sort_tokens(projection) != ATTEST_OK)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < count; i++)
        projection->rank[projection->token[i]] = (uint32_t)i;
    return ATTEST_OK;
}

void attest_projection_find_gap(attest_projection *p)
{
    double least = attest_projection_gap_above(p);
    FMPQ(below, above);

    for (size_t i = 1; i < p->tokens->count; i++) {
        if (gap_end(p, i, -1) > least)
            continue;
        attest_projection_get(below, p, p->token[i - 1]);
        attest_projection_get(above, p, p->token[i]);
        fmpq_sub(above, above, below);
        if (!fmpq_is_zero(above))
            offer_gap(p, above, p->token[i - 1], p->token[i]);
    }
}

attest_status attest_projection_sort(attest_projection *projection)
{
    ATTEST_TRY(attest_projection_order(projection));
    attest_projection_find_gap(projection);
    return ATTEST_OK;
}
